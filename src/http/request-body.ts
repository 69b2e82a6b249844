/**
 * One request's body on its way to the engine: decompressed, limited, charged to the budget of all
 * bodies, and cut off when its client stops sending. The chunks are not looked at.
 */

import type { IncomingMessage } from "node:http";
import { createGunzip, type Gunzip } from "node:zlib";
import { DatabaseError, invalid } from "../base/errors.ts";
import type { BodyBudget } from "./body-budget.ts";

/** How long a body may stay below `BODY_PROGRESS_BYTES_MIN` while the server waits for it. */
export const BODY_STALL_MS_MAX = 30_000;
/** Bytes that count as progress of a body; a client that drips less is cut off. */
const BODY_PROGRESS_BYTES_MIN = 1024;

/** Retry advice when other bodies fill the budget; they take about as long to arrive. */
const BUDGET_RETRY_MS = 1000;
/** Decompressed chunk: large ones cost less per byte, and 64 KiB is what sockets deliver. */
const GUNZIP_CHUNK_BYTES = 64 * 1024;

/** A client sent nothing, or next to nothing, for too long. */
export class BodyStalled extends Error {}

/** The client closed the connection in the middle of the body; nobody gets an answer. */
export class ClientLeft extends DatabaseError {
  constructor() {
    super("invalid", "the client closed the connection in the middle of the request body");
  }
}

/** What `RequestBody` needs besides the message. */
export interface BodyRules {
  /** Bound on the decompressed body. */
  readonly bytesMax: number;
  readonly budget: BodyBudget;
  /** Called before the first byte is read: answers `Expect: 100-continue`. */
  readonly beforeRead: () => void;
}

/** See the file's head. `chunks` may be read once; `release` must follow, whatever happens. */
export class RequestBody {
  readonly #message: IncomingMessage;
  readonly #rules: BodyRules;
  readonly #gzip: boolean;
  #gunzip: Gunzip | undefined;
  #charged = 0;
  #received = 0;
  #fault: Error | undefined;
  #rejectPending: ((reason: Error) => void) | undefined;
  #waitedMs = 0;
  #receivedInWindow = 0;

  /** Throws 413, 415 (`UnsupportedEncoding`) or 429 for what the headers alone forbid. */
  constructor(message: IncomingMessage, rules: BodyRules) {
    this.#message = message;
    this.#rules = rules;
    this.#gzip = isGzip(message.headers["content-encoding"]);
    const length = message.headers["content-length"];
    if (length === undefined) return;
    if (Number(length) > rules.bytesMax) throw this.#tooLarge();
    if (!this.#gzip) this.#charge(Number(length));
  }

  /** Decompressed bytes so far. */
  get bytesReceived(): number {
    return this.#received;
  }

  /** Why reading ended early, if it did; it decides the answer, whatever the reader makes of it. */
  get fault(): Error | undefined {
    return this.#fault;
  }

  /** The decompressed body. A fault is thrown to the reader and kept in `fault`. */
  async *chunks(): AsyncGenerator<Uint8Array, void, void> {
    this.#rules.beforeRead();
    // What comes in one packet with the headers is here after this turn, and needs no iterator.
    await undefined;
    if (!this.#gzip && this.#message.complete && this.#message.readableLength > 0) {
      yield* this.#whole();
      return;
    }
    const source = this.#source();
    try {
      for (;;) {
        const step = await this.#next(source);
        if (step.done) return;
        this.#accept(step.value);
        yield step.value;
      }
    } catch (error) {
      this.#fault ??= error as Error;
      throw error;
    } finally {
      // Not awaited: after a stall, the source's own wait ends only with the connection.
      void source.return?.().then(undefined, () => {});
      this.#gunzip?.destroy();
    }
  }

  /** A body that has arrived. */
  *#whole(): Generator<Uint8Array, void, void> {
    const bytes: Uint8Array | null = this.#message.read();
    if (bytes === null) return;
    try {
      this.#accept(bytes);
    } catch (error) {
      this.#fault = error as Error;
      throw error;
    }
    yield bytes;
  }

  /** Gives the bytes back to the budget. */
  release(): void {
    this.#rules.budget.release(this.#charged);
    this.#charged = 0;
  }

  /** Notes that `ms` have passed; ends the body with `BodyStalled` if too little came meanwhile. */
  tick(ms: number): void {
    if (this.#rejectPending === undefined) return;
    if (this.#receivedInWindow >= BODY_PROGRESS_BYTES_MIN) {
      this.#waitedMs = 0;
      this.#receivedInWindow = 0;
    }
    this.#waitedMs += ms;
    if (this.#waitedMs < BODY_STALL_MS_MAX) return;
    const seconds = BODY_STALL_MS_MAX / 1000;
    this.#rejectPending(new BodyStalled(`the request body made no progress for ${seconds} s`));
  }

  /** The next chunk, or the fault by which `tick` ended the wait for it. */
  #next(source: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
    return new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
      this.#rejectPending = reject;
      source.next().then(resolve, (error: unknown) => reject(this.#explain(error)));
    }).finally(() => {
      this.#rejectPending = undefined;
    });
  }

  #source(): AsyncIterator<Uint8Array> {
    if (!this.#gzip) {
      // Leaving the loop early must not destroy the socket: the answer still has to go out on it.
      return this.#message.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]();
    }
    const gunzip = createGunzip({ chunkSize: GUNZIP_CHUNK_BYTES });
    this.#gunzip = gunzip;
    this.#message.once("error", (error) => gunzip.destroy(error));
    this.#message.pipe(gunzip);
    return gunzip[Symbol.asyncIterator]();
  }

  #accept(chunk: Uint8Array): void {
    this.#received += chunk.byteLength;
    this.#receivedInWindow += chunk.byteLength;
    if (this.#received > this.#rules.bytesMax) throw this.#tooLarge();
    if (this.#received > this.#charged) this.#charge(this.#received - this.#charged);
  }

  #charge(bytes: number): void {
    const { budget } = this.#rules;
    if (budget.reserve(bytes)) {
      this.#charged += bytes;
      return;
    }
    if (this.#charged + bytes > budget.bytesMax) {
      throw new DatabaseError(
        "too_large",
        `💔 the request body is larger than the ${budget.bytesMax} bytes that this server keeps ` +
          "for bodies in memory; split the request, or raise the setting --body-memory",
      );
    }
    throw new DatabaseError(
      "overloaded",
      `too many request bodies at once: ${budget.bytesUsed} of ${budget.bytesMax} bytes are ` +
        "in use; send fewer requests at a time, or retry",
      { retryAfterMs: BUDGET_RETRY_MS },
    );
  }

  #tooLarge(): DatabaseError {
    return new DatabaseError(
      "too_large",
      `💔 the request body is larger than the limit of ${this.#rules.bytesMax} bytes ` +
        "(decompressed); split it into several requests",
    );
  }

  #explain(error: unknown): Error {
    if (this.#message.readableAborted) return new ClientLeft();
    const { code, message } = error as NodeJS.ErrnoException;
    const zlibFault = this.#gzip && typeof code === "string" && code.startsWith("Z_");
    if (zlibFault) return invalid(`Failed to decompress the gzip request body: ${message}`);
    return error as Error;
  }
}

/** The request body has an encoding that the server does not read (415). */
export class UnsupportedEncoding extends Error {}

function isGzip(encoding: string | undefined): boolean {
  const name = (encoding ?? "identity").trim().toLowerCase();
  if (name === "gzip" || name === "x-gzip") return true;
  if (name === "identity" || name === "") return false;
  throw new UnsupportedEncoding(
    `💔 unsupported Content-Encoding \`${encoding}\`; send gzip, or the body as it is`,
  );
}
