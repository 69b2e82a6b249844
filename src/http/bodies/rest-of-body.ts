/**
 * The rest of a body whose request is answered before all of it has come, as refusals are. It is
 * read and thrown away: a connection that ended now would be reset by what the client still sends,
 * and the client could lose the answer.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import { MIB } from "../../base/byte-sizes.ts";
import type { Clock } from "../../base/clock.ts";

/** A rest up to this size keeps its connection: to open another one costs clients more. */
const KEPT_REST_BYTES_MAX = 16 * MIB;
/** Longest time that the rest is read if the connection ends with the answer. */
const DISCARD_MS_MAX = 10_000;

/** A request that was answered. */
interface AnsweredMessage {
  readonly message: IncomingMessage;
  /** Decompressed bytes of the body that were read. */
  readonly bytesReceived: number;
  /** True if the client waits for `100 Continue`, which was not sent. */
  readonly awaitsContinue: boolean;
}

/**
 * Returns true if the connection must end with the answer, which has to announce it: the rest of
 * the body is too long, or it is unknown whether a body or the next request comes.
 */
export function endsWithAnswer(answered: AnsweredMessage): boolean {
  const { message, awaitsContinue, bytesReceived } = answered;
  if (message.complete) return false;
  if (awaitsContinue) return true;
  const {
    "content-length": length,
    "content-encoding": encoding,
    "transfer-encoding": transfer,
  } = message.headers;
  if (length === undefined) return transfer !== undefined;
  const bytesRead = encoding === undefined ? bytesReceived : 0;
  return Number(length) - bytesRead > KEPT_REST_BYTES_MAX;
}

/**
 * Discards the rest of a body; to be called before the answer is sent. If `isLast`, the connection
 * ends with the answer, and the client has `DISCARD_MS_MAX` to end its side.
 */
export function discardRest(
  { message }: AnsweredMessage,
  response: ServerResponse,
  { clock, isLast }: { readonly clock: Clock; readonly isLast: boolean },
): void {
  if (message.complete) return;
  if (isLast) endInTurn(message);
  response.once("finish", () => {
    // A reader that still waits for the next chunk would keep the rest from flowing: later
    // requests of the connection would never be read.
    message.unpipe();
    message.removeAllListeners("readable");
    // Without a listener the removal would stop the flow again, a tick later: the message would
    // never end, and count as one that still comes.
    message.on("data", () => {});
    message.resume();
    if (isLast) cutOff(message, clock);
  });
}

/** Ends the server's direction of a connection with the answer, and the other when the body came. */
function endInTurn(message: IncomingMessage): void {
  const { socket } = message;
  // Node calls it when the answer is out, and would end both.
  socket.destroySoon = () => socket.end();
  message.once("close", () => {
    Reflect.deleteProperty(socket, "destroySoon");
    if (socket.writableEnded) socket.destroySoon();
  });
}

function cutOff(message: IncomingMessage, clock: Clock): void {
  const closed = new AbortController();
  if (message.closed) return;
  message.once("close", () => closed.abort());
  clock.sleep(DISCARD_MS_MAX, closed.signal).then(
    () => message.destroy(),
    () => {},
  );
}
