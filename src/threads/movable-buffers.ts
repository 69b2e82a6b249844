/** Which buffers of a message may move to the other thread instead of being copied. */

import { answerPieces } from "../api/engine.ts";
import type { FromQueryThread, FromWriteThread } from "./thread-messages.ts";

/** An answer's body, unless it is a window of a buffer that others use too, and parsed pieces. */
export function movableBuffers(message: FromQueryThread | FromWriteThread): ArrayBuffer[] {
  if (message.kind === "consumed") return [message.piece.buffer];
  if (message.kind !== "answer") return [];
  return answerPieces(message.answer).flatMap(({ buffer, byteLength }) =>
    buffer instanceof ArrayBuffer && buffer.byteLength === byteLength ? [buffer] : [],
  );
}
