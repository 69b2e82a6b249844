/**
 * One request's body on its way to the engine: decompressed, limited, charged to the budget of all
 * bodies, and cut off when its client stops sending. The chunks are not looked at.
 */

import { createGunzip, type Gunzip } from "node:zlib";
import { KIB } from "../../base/byte-sizes.ts";
import { DatabaseError, invalid } from "../../base/errors.ts";
import type { BodyBudget, BodyCharge } from "./body-budget.ts";
import { noRoom, overloaded, tooLarge } from "./body-faults.ts";
import type { RequestMessage } from "./request-message.ts";

/** How long a body may stay below `BODY_BYTES_PER_SECOND_MIN` while the server waits for it. */
export const BODY_STALL_MS_MAX = 30_000;
/** Bytes of a body for each second of waiting; a client that drips less is cut off. */
const BODY_BYTES_PER_SECOND_MIN = 1 * KIB;

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
  /** Of it, what its reader has in memory at a time; absent: all of it. */
  readonly heldBytesMax?: number;
  readonly budget: BodyBudget;
  /** Whose share of the budget it takes; see `BodyOwner`. */
  readonly client: string;
  readonly namespace: string | undefined;
  /** Called before the first byte is read: answers `Expect: 100-continue`. */
  readonly beforeRead: () => void;
}

/** See the file's head. `chunks` may be read once; `release` must follow, whatever happens. */
export class RequestBody {
  readonly #message: RequestMessage;
  readonly #rules: BodyRules;
  readonly #gzip: boolean;
  readonly #charge: BodyCharge;
  #gunzip: Gunzip | undefined;
  #received = 0;
  #fault: Error | undefined;
  #rejectPending: ((reason: Error) => void) | undefined;
  #waitedMs = 0;
  #receivedInWindow = 0;

  /**
   * Throws 413, 415 (`UnsupportedEncoding`) or 429 for what the headers alone forbid. A length that
   * is declared takes nothing of the budget: bytes do when they come.
   */
  constructor(message: RequestMessage, rules: BodyRules) {
    this.#message = message;
    this.#rules = rules;
    this.#gzip = isGzip(message.headers["content-encoding"]);
    const { budget, client, namespace } = rules;
    const length = Number(message.headers["content-length"] ?? 0);
    if (length > rules.bytesMax) throw tooLarge(rules.bytesMax);
    const owner = { client, namespace, evict: () => this.#end(overloaded(budget)) };
    this.#charge = budget.open(owner);
    const held = this.#chargeable(length);
    if (this.#gzip || this.#charge.fits(held)) return;
    this.#charge.release();
    throw noRoom(budget, this.#charge, held);
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
    if (!this.#gzip && this.#isHere()) {
      yield* this.#whole();
      return;
    }
    const source = this.#source();
    try {
      for (;;) {
        if (this.#fault !== undefined) throw this.#fault;
        const step = await this.#next(source);
        if (step.done) return this.#charge.arrived();
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

  /** The decompressed body in one piece. */
  async whole(): Promise<Uint8Array> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of this.chunks()) chunks.push(chunk);
    return Buffer.concat(chunks);
  }

  /**
   * Whether all of the body has arrived. Node says so only after it has let others run; the length
   * that is declared tells it before.
   */
  #isHere(): boolean {
    const { complete, headers, readableLength } = this.#message;
    return readableLength > 0 && (complete || readableLength === Number(headers["content-length"]));
  }

  /** A body that has arrived. */
  *#whole(): Generator<Uint8Array, void, void> {
    const bytes: Uint8Array | null = this.#message.read();
    if (bytes === null) return;
    // Nothing follows but its end, which the connection's next request waits for.
    this.#message.resume();
    try {
      this.#accept(bytes);
    } catch (error) {
      this.#fault = error as Error;
      throw error;
    }
    this.#charge.arrived();
    yield bytes;
  }

  /** Gives the bytes back to the budget. */
  release(): void {
    this.#charge.release();
  }

  /** Notes that `ms` have passed; ends the body with `BodyStalled` if too little came meanwhile. */
  tick(ms: number): void {
    if (this.#rejectPending === undefined) return;
    const seconds = BODY_STALL_MS_MAX / 1000;
    if (this.#receivedInWindow >= seconds * BODY_BYTES_PER_SECOND_MIN) {
      this.#waitedMs = 0;
      this.#receivedInWindow = 0;
    }
    this.#waitedMs += ms;
    if (this.#waitedMs < BODY_STALL_MS_MAX) return;
    this.#end(
      new BodyStalled(
        `the request body made no progress for ${seconds} s: ${this.#receivedInWindow} bytes ` +
          `came, at least ${BODY_BYTES_PER_SECOND_MIN} for each second must`,
      ),
    );
  }

  /** Ends the body at its next chunk, or at once where the reader waits for one. */
  #end(reason: Error): void {
    this.#fault ??= reason;
    this.#rejectPending?.(reason);
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
    if (this.#received > this.#rules.bytesMax) throw tooLarge(this.#rules.bytesMax);
    const held = this.#chargeable(chunk.byteLength);
    if (this.#charge.reserve(held)) return;
    throw noRoom(this.#rules.budget, this.#charge, held);
  }

  /** Of so many bytes more, those that are not in the place of others that were read. */
  #chargeable(bytes: number): number {
    const { heldBytesMax = Number.POSITIVE_INFINITY } = this.#rules;
    return Math.min(bytes, heldBytesMax - this.#charge.bytes);
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
