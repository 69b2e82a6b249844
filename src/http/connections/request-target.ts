/**
 * Request lines and `Host` as RFC 9112 wants them: targets in absolute form are served as those in
 * origin form, and a request whose host is missing or doubtful is refused.
 */

import type { IncomingMessage } from "node:http";
import { clipName } from "../../base/bounded-text.ts";

/** The parts of a message that are read here. */
type Message = Pick<IncomingMessage, "headers" | "httpVersion" | "rawHeaders"> & {
  url?: string | undefined;
};

/** A scheme and an authority before the path. */
const ABSOLUTE_FORM = /^https?:\/\/([^/?#]*)/i;
/** Characters that no host and port have; a comma would join several. */
const NO_HOST = /[\s/?#@\\,]/;

/**
 * Gives a message in absolute form the URL of the origin form, and the host of its target: that in
 * `Host` does not count then (RFC 9112, 3.2.2).
 */
export function normalizeTarget(message: Message): void {
  const { url = "/" } = message;
  if (url.startsWith("/")) return;
  const match = ABSOLUTE_FORM.exec(url);
  if (match === null) return;
  const path = url.slice(match[0].length);
  message.url = path.startsWith("/") ? path : `/${path}`;
  message.headers.host = match[1];
}

/**
 * Returns why the host of a message is refused with 400 (RFC 9112, 3.2); undefined if it is valid.
 */
export function hostFault({ headers, httpVersion, rawHeaders }: Message): string | undefined {
  const count = rawHeaders.filter((name, at) => {
    return at % 2 === 0 && name.length === 4 && name.toLowerCase() === "host";
  }).length;
  const { host } = headers;
  if (count === 0 && httpVersion === "1.1") {
    return "the header `Host` is missing: HTTP/1.1 requires exactly one, such as `Host: localhost`";
  }
  if (count > 1) return `the header \`Host\` was sent ${count} times: it must be sent once`;
  if (host !== undefined && NO_HOST.test(host)) {
    const rule = "it must be a name or an address, and perhaps a port";
    return `the host '${clipName(host)}' is invalid: ${rule}`;
  }
  return undefined;
}
