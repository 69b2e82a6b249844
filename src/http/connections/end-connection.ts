import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Clock } from "../../base/clock.ts";

/** How long a client may take to end a connection that the server has ended. */
const CONNECTION_END_MS_MAX = 2000;

/** Status line and message of an answer that is written to the socket itself. */
type RawAnswer = readonly [status: number, reason: string, message: string];

/**
 * Ends a connection whose bytes are no request; a client that does not end it too is cut off. One
 * on which nothing was sent yet stays: a pool may have opened it in advance, and its time is
 * `IDLE_CONNECTION_MS_MAX`.
 */
export function endConnection(
  { code }: { readonly code: string },
  socket: Socket,
  clock: Clock,
): void {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT" && socket.bytesRead === 0) return;
  if (!socket.writable || code === "ECONNRESET" || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  answerLast(socket, clientFault(code), clock);
}

/** Answers `CONNECT`, which Node hands over with its socket; no tunnels are made. */
export function refuseConnect(socket: Duplex, clock: Clock): void {
  socket.on("error", () => {});
  // Node has detached the socket: without a reader the end of the connection is not seen.
  socket.resume();
  answerLast(socket, [405, "Method Not Allowed", "CONNECT is not served: this is no proxy"], clock);
}

function answerLast(socket: Duplex, answer: RawAnswer, clock: Clock): void {
  const closed = new AbortController();
  socket.once("close", () => closed.abort());
  socket.end(answerText(answer));
  clock.sleep(CONNECTION_END_MS_MAX, closed.signal).then(
    () => socket.destroy(),
    () => {},
  );
}

/** Returns true if the head of an answer is sent: further bytes would count as its body. */
function isAnswering(socket: Socket & { readonly _httpMessage?: ServerResponse | null }): boolean {
  return socket._httpMessage?.headersSent === true;
}

/** Describes bytes that are no HTTP request, by Node's error code. */
function clientFault(code: string): RawAnswer {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return [408, "Request Timeout", "the request did not arrive in time"];
    case "HPE_HEADER_OVERFLOW":
      return [431, "Request Header Fields Too Large", "the request's headers are too large"];
    default:
      return [400, "Bad Request", `the bytes received are no valid HTTP request (${code})`];
  }
}

function answerText([status, reason, message]: RawAnswer): string {
  const body = JSON.stringify({ status: "error", error: message });
  return (
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/json\r\nconnection: close\r\n` +
    "x-content-type-options: nosniff\r\n" +
    `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  );
}
