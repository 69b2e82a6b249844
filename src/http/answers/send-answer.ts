/** Answers on their way to sockets, past the framework, which would look at each of them again. */

import type { ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { answerBytes, answerPieces, type HttpAnswer } from "../../api/engine.ts";
import { KIB } from "../../base/byte-sizes.ts";
import { asksForGzip, GZIP_HEADERS, GZIP_LEVEL } from "./compress-answer.ts";

/** Bodies up to this size go out in one string with the headers; longer ones are not copied. */
const SHORT_BODY_BYTES_MAX = 8 * KIB;

/**
 * Sends an answer with some headers more. Throws before anything is sent if a header has characters
 * that headers cannot have.
 */
export function sendAnswer(
  response: ServerResponse,
  answer: HttpAnswer,
  headers: Readonly<Record<string, string>>,
  acceptEncoding: string | undefined,
): void {
  const { status, body } = answer;
  const all = { ...headers, ...answer.headers };
  if (answer.more !== undefined) {
    const streamed = streamAnswer(answer, acceptEncoding);
    response.writeHead(status, { ...all, ...streamed.headers });
    // A client that leaves ends the stream, and a stream that fails the connection.
    pipeline(streamed.stream, response, () => {});
    return;
  }
  // Answers without a body may not tell its length.
  if (status === 204 || status === 304) {
    response.writeHead(status, all).end();
    return;
  }
  response.writeHead(status, { ...all, "content-length": String(body.byteLength) });
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  // A character for each byte: UTF-8 stays what it is.
  if (bytes.length <= SHORT_BODY_BYTES_MAX) response.end(bytes.toString("latin1"), "latin1");
  else response.end(bytes);
}

/** The pieces of an answer, each forgotten once it is written, and the headers that tell of them. */
function streamAnswer(
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
