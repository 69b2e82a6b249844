import type { Clock } from "../../../src/base/clock.ts";
import { DatabaseError } from "../../../src/base/errors.ts";
import type { Random } from "../../../src/base/random.ts";
import type {
  ListPage,
  ListRequest,
  ObjectBody,
  ObjectKey,
  ObjectStore,
  PutCondition,
  PutOutcome,
} from "../../../src/storage/object-store.ts";

/** How often calls go wrong; shares of 1. */
export interface FaultRates {
  /** Nothing happens, and the call throws. */
  readonly before: number;
  /** It happens, and the answer is lost. */
  readonly after: number;
  /** Greatest delay of a call, before and after its effect, each drawn at random. */
  readonly delayMsMax: number;
}

/** What a `FaultyObjectStore` needs. */
export interface FaultyObjectStoreOptions {
  readonly store: ObjectStore;
  readonly random: Random;
  readonly clock: Clock;
  readonly rates: FaultRates;
}

/** Thrown by every call of a store whose process has crashed. */
export class SimulatedCrash extends Error {}

/** Where the process ends: at call `call` (from 1), before or after it takes effect. */
export interface CrashPoint {
  readonly call: number;
  readonly when: "before" | "after";
}

/** A store that fails by chance, from a seed, and crashes where it is told to. */
export class FaultyObjectStore implements ObjectStore {
  readonly #store: ObjectStore;
  readonly #random: Random;
  readonly #clock: Clock;
  #rates: FaultRates;
  #calls = 0;
  #crash: CrashPoint | undefined;
  #crashed = false;

  constructor({ store, random, clock, rates }: FaultyObjectStoreOptions) {
    this.#store = store;
    this.#random = random;
    this.#clock = clock;
    this.#rates = rates;
  }

  /** Calls so far. */
  get calls(): number {
    return this.#calls;
  }

  /** Changes the rates from now on. */
  setRates(rates: FaultRates): void {
    this.#rates = rates;
  }

  /** Ends the process at a call to come. */
  crashAt(point: CrashPoint): void {
    this.#crash = point;
  }

  get(key: ObjectKey): Promise<Uint8Array | undefined> {
    return this.#run(() => this.#store.get(key));
  }

  getRange(key: ObjectKey, start: number, end: number): Promise<Uint8Array | undefined> {
    return this.#run(() => this.#store.getRange(key, start, end));
  }

  put(key: ObjectKey, body: ObjectBody, condition: PutCondition): Promise<PutOutcome> {
    return this.#run(() => this.#store.put(key, body, condition));
  }

  list(request: ListRequest): Promise<ListPage> {
    return this.#run(() => this.#store.list(request));
  }

  delete(key: ObjectKey): Promise<void> {
    return this.#run(() => this.#store.delete(key));
  }

  async #run<T>(effect: () => Promise<T>): Promise<T> {
    const call = ++this.#calls;
    await this.#delay();
    this.#fail(call, "before");
    const result = await effect();
    this.#fail(call, "after");
    await this.#delay();
    return result;
  }

  #fail(call: number, when: "before" | "after"): void {
    if (this.#crash?.call === call && this.#crash.when === when) this.#crashed = true;
    if (this.#crashed) throw new SimulatedCrash(`crashed at call ${call}, ${when} its effect`);
    if (this.#random.next() < this.#rates[when]) {
      throw new DatabaseError("unavailable", `injected fault ${when} the effect of call ${call}`);
    }
  }

  async #delay(): Promise<void> {
    const { delayMsMax } = this.#rates;
    if (delayMsMax > 0) await this.#clock.sleep(this.#random.below(delayMsMax));
  }
}
