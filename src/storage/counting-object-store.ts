import { piecesBytes } from "../base/pieces.ts";
import {
  type ObjectBody,
  type ObjectKey,
  type ObjectStore,
  type PutCondition,
  type PutOutcome,
  piecesOf,
  type ReadTrace,
} from "./object-store.ts";
import { StoreDecorator, type StoreRequestName } from "./store-decorator.ts";

/** Totals since a `CountingObjectStore` was made. */
export interface StoreCounts {
  readonly requests: Readonly<Record<StoreRequestName, number>>;
  /** Requests that threw. */
  readonly failures: number;
  /** Conditional puts that lost. */
  readonly conflicts: number;
  /** Body bytes that gets returned. */
  readonly bytesRead: number;
  /** Body bytes of puts that were written. */
  readonly bytesWritten: number;
}

/** Told of each request as it starts; `target` is its key or prefix. */
export type StoreObserver = (request: StoreRequestName, target: string) => void;

/** Counts requests and bytes: for metrics, and for tests that assert what a thing costs. */
export class CountingObjectStore extends StoreDecorator {
  readonly #observe: StoreObserver;
  readonly #requests = { get: 0, getRange: 0, put: 0, list: 0, delete: 0 };
  #failures = 0;
  #conflicts = 0;
  #bytesRead = 0;
  #bytesWritten = 0;

  constructor(store: ObjectStore, observe: StoreObserver = () => undefined) {
    super(store);
    this.#observe = observe;
  }

  /** The totals of this moment; a copy. */
  counts(): StoreCounts {
    return {
      requests: { ...this.#requests },
      failures: this.#failures,
      conflicts: this.#conflicts,
      bytesRead: this.#bytesRead,
      bytesWritten: this.#bytesWritten,
    };
  }

  override async get(key: ObjectKey): Promise<Uint8Array | undefined> {
    return this.#countBytes(await super.get(key));
  }

  override async getRange(
    key: ObjectKey,
    start: number,
    end: number,
    trace?: ReadTrace,
  ): Promise<Uint8Array | undefined> {
    return this.#countBytes(await super.getRange(key, start, end, trace));
  }

  override async put(
    key: ObjectKey,
    body: ObjectBody,
    condition: PutCondition,
  ): Promise<PutOutcome> {
    const outcome = await super.put(key, body, condition);
    if (outcome.kind === "written") this.#bytesWritten += piecesBytes(piecesOf(body));
    else this.#conflicts++;
    return outcome;
  }

  protected override async around<T>(
    request: StoreRequestName,
    target: string,
    send: () => Promise<T>,
  ): Promise<T> {
    const running = send();
    this.#requests[request]++;
    this.#observe(request, target);
    try {
      return await running;
    } catch (error) {
      this.#failures++;
      throw error;
    }
  }

  #countBytes(body: Uint8Array | undefined): Uint8Array | undefined {
    this.#bytesRead += body?.byteLength ?? 0;
    return body;
  }
}
