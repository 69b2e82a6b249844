/** Which buffers of a message may move to the other thread instead of being copied. */

import { answerPieces } from "../api/engine.ts";
import type { FromQueryThread, FromWriteThread } from "./thread-messages.ts";

/** An answer's body, unless it is a window of a buffer that others use too, and parsed pieces. */
export function movableBuffers(message: FromQueryThread | FromWriteThread): ArrayBuffer[] {
  if (message.kind === "consumed") return [message.piece.buffer];
  if (message.kind !== "answer") return [];
  const buffers: ArrayBuffer[] = [];
  for (const { buffer, byteLength } of answerPieces(message.answer)) {
    if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) buffers.push(buffer);
  }
  return buffers;
}
