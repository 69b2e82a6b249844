import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { MIB } from "../base/byte-sizes.ts";
import { ClientError } from "./client-error.ts";

/** An answer that is read as a whole; our choice: no answer of 10,000 documents should be larger. */
const WHOLE_BYTES_MAX = 512 * MIB;

/** An answer whose status says that the request was served. Its body is read once, in one way. */
export class ApiAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly #url: string;
  readonly #message: IncomingMessage;

  constructor(url: string, message: IncomingMessage) {
    this.#url = url;
    this.#message = message;
    this.status = message.statusCode ?? 0;
    this.headers = message.headers;
  }

  /** The body as it comes. Throws `ClientError` if the connection breaks before its end. */
  async *chunks(): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      for await (const chunk of this.#message) yield chunk as Uint8Array;
    } catch (error) {
      if (error instanceof ClientError || (error as Error).name === "AbortError") throw error;
      const why = `the answer of ${this.#url} was cut off: ${(error as Error).message}`;
      throw new ClientError("unreachable", why, { cause: error });
    }
  }

  /** The whole body; `bytesMax` bounds it. */
  async bytes(bytesMax = WHOLE_BYTES_MAX): Promise<Buffer> {
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of this.chunks()) {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        const why = `the answer of ${this.#url} has more than ${bytesMax} bytes; ask for less`;
        throw new ClientError("misunderstood", why, { status: this.status });
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks);
  }

  /** The whole body as text. */
  async text(): Promise<string> {
    return (await this.bytes()).toString("utf8");
  }

  /**
   * The whole body as JSON. JavaScript rounds integers beyond 2^53: where ids may be such, read the
   * bytes with `parseJson` of `wire/json` instead.
   */
  async json<T>(): Promise<T> {
    const text = await this.text();
    try {
      return JSON.parse(text) as T;
    } catch (error) {
      const start = text.slice(0, 80).trim();
      const why = `${this.#url} answers no JSON (${start}); is a Trawl server there?`;
      throw new ClientError("misunderstood", why, { status: this.status, cause: error });
    }
  }
}
