/** Large answers as streams: a piece goes out when the client has taken the ones before. */

import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { answerBytes, answerPieces, type HttpAnswer } from "../../api/engine.ts";
import { asksForGzip, GZIP_HEADERS, GZIP_LEVEL } from "./compress-answer.ts";

/** The pieces of an answer, each forgotten once it is written, and the headers that tell of them. */
export function streamAnswer(
  answer: HttpAnswer,
  acceptEncoding: string | undefined,
): { readonly headers: Readonly<Record<string, string>>; readonly stream: Readable } {
  const pieces = Readable.from(handOver([...answerPieces(answer)]), { objectMode: true });
  if (!asksForGzip(acceptEncoding)) {
    return { headers: { "content-length": String(answerBytes(answer)) }, stream: pieces };
  }
  const gzip = createGzip({ level: GZIP_LEVEL });
  // An end before its time shows on the response, too.
  pipeline(pieces, gzip, () => {});
  return { headers: GZIP_HEADERS, stream: gzip };
}

function* handOver(pieces: Uint8Array[]): Generator<Uint8Array> {
  pieces.reverse();
  for (let piece = pieces.pop(); piece !== undefined; piece = pieces.pop()) yield piece;
}
