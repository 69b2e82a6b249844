import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";

/** What is read of a request, whether it came over a socket or was made here. */
export type RequestMessage = Readable &
  Pick<IncomingMessage, "headers" | "method" | "complete"> & {
    readonly socket: { readonly remoteAddress?: string | undefined };
  };

/** Headers that say who asks, and from where; all others are about the message that had them. */
const PASSED_ON = [
  "authorization",
  "host",
  "origin",
  "sec-fetch-site",
  "forwarded",
  "x-forwarded-for",
  "x-real-ip",
  "via",
] as const;

/** A request made for another one: by the same client, with the same key. */
export function innerMessage(
  outer: RequestMessage,
  { method, body }: { readonly method: string; readonly body: string | undefined },
): RequestMessage {
  const bytes = Buffer.from(body ?? "");
  const message = new Readable({ read: () => {} });
  if (bytes.length > 0) message.push(bytes);
  message.push(null);
  const passed = PASSED_ON.map((name) => [name, outer.headers[name]] as const);
  const headers = {
    ...Object.fromEntries(passed.filter(([, value]) => value !== undefined)),
    "content-length": String(bytes.length),
    // A field that is passed over is a mistake that a model would not find.
    "trawl-strict": "true",
  };
  return Object.assign(message, { headers, method, complete: true, socket: outer.socket });
}
