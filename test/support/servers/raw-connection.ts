import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A client's connection whose bytes a test writes itself. */
export interface RawConnection {
  readonly socket: Socket;
  /** All that came until now. */
  received(): string;
  /** Resolves when so many responses with a `content-length` are complete. */
  responses(count: number): Promise<readonly string[]>;
  /** Resolves with all that came when the connection is closed, also by a reset. */
  readonly closed: Promise<string>;
}

/** Connects to a server, and sends `bytes` if there are some. */
export function rawConnection(url: string, bytes = ""): RawConnection {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.setNoDelay(true).on("error", () => {});
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString("latin1");
  });
  if (bytes !== "") socket.write(bytes);
  return {
    socket,
    received: () => text,
    responses: async (count) => {
      for (;;) {
        const whole = wholeResponses(text);
        if (whole.length >= count) return whole;
        if (socket.closed) throw new Error(`closed after ${whole.length} responses: ${text}`);
        await Promise.race([once(socket, "data"), once(socket, "close")]);
      }
    },
    closed: new Promise((resolve) => socket.once("close", () => resolve(text))),
  };
}

function wholeResponses(text: string): string[] {
  const found: string[] = [];
  for (let start = 0; ; ) {
    const headEnd = text.indexOf("\r\n\r\n", start);
    if (headEnd < 0) return found;
    const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(start, headEnd))?.[1] ?? "0";
    const end = headEnd + 4 + Number(length);
    if (text.length < end) return found;
    found.push(text.slice(start, end));
    start = end;
  }
}
