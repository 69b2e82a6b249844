import type { Socket } from "node:net";
import type { Clock } from "../../base/clock.ts";

/** How long a client may take to end a connection that the server has ended. */
const CONNECTION_END_MS_MAX = 2000;

/** Ends a connection whose bytes are no request; a client that does not end it too is cut off. */
export function endConnection(
  { code }: { readonly code: string },
  socket: Socket,
  clock: Clock,
): void {
  if (!socket.writable || code === "ECONNRESET") {
    socket.destroy();
    return;
  }
  const closed = new AbortController();
  socket.once("close", () => closed.abort());
  socket.end(clientErrorText(code));
  clock.sleep(CONNECTION_END_MS_MAX, closed.signal).then(
    () => socket.destroy(),
    () => {},
  );
}

/** A whole response for bytes that are no HTTP request, by Node's error code. */
function clientErrorText(code: string): string {
  const [status, reason, message] =
    code === "ERR_HTTP_REQUEST_TIMEOUT"
      ? [408, "Request Timeout", "the request did not arrive in time"]
      : code === "HPE_HEADER_OVERFLOW"
        ? [431, "Request Header Fields Too Large", "the request's headers are too large"]
        : [400, "Bad Request", `the bytes received are no valid HTTP request (${code})`];
  const body = JSON.stringify({ status: "error", error: message });
  return (
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\nconnection: close\r\n` +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
