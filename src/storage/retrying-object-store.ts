import type { Clock } from "../base/clock.ts";
import { isDatabaseError } from "../base/errors.ts";
import type { Random } from "../base/random.ts";
import type {
  ObjectBody,
  ObjectKey,
  ObjectStore,
  PutCondition,
  PutOutcome,
} from "./object-store.ts";
import { StoreDecorator, type StoreRequestName } from "./store-decorator.ts";

/** Tries of one request to the object store, the first included. */
export const STORE_ATTEMPTS_MAX = 5;
/** Wait before the second try of a request to the object store; doubles with each further one. */
const STORE_RETRY_MS_MIN = 50;
/** Longest wait between two tries of a request to the object store. */
const STORE_RETRY_MS_MAX = 2_000;

/** What a `RetryingObjectStore` needs. */
export interface RetryingObjectStoreOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
}

/**
 * Tries again what may be done twice: reads, deletes and unconditional puts, with waits that double
 * and are drawn at random so that many clients do not come back together.
 *
 * A conditional put goes through once. Its throw leaves open whether it was written, and a second
 * try would turn its own success into a conflict; `numbered-objects.ts` finds out.
 */
export class RetryingObjectStore extends StoreDecorator {
  readonly #clock: Clock;
  readonly #random: Random;

  constructor({ store, clock, random }: RetryingObjectStoreOptions) {
    super(store);
    this.#clock = clock;
    this.#random = random;
  }

  override put(key: ObjectKey, body: ObjectBody, condition: PutCondition): Promise<PutOutcome> {
    if (condition.kind === "absent") return this.store.put(key, body, condition);
    return super.put(key, body, condition);
  }

  protected override async around<T>(
    _request: StoreRequestName,
    _target: string,
    send: () => Promise<T>,
  ): Promise<T> {
    for (let tried = 1; ; tried++) {
      try {
        return await send();
      } catch (error) {
        if (tried === STORE_ATTEMPTS_MAX || !isTransient(error)) throw error;
        await this.#clock.sleep(retryDelayMs(tried, this.#random));
      }
    }
  }
}

/** Tells whether another try may succeed: not after damage, a bad request or a bug. */
export function isTransient(error: unknown): boolean {
  return isDatabaseError(error, "unavailable", "overloaded");
}

/** Milliseconds to wait after `tried` failed tries: between half and all of a doubling bound. */
export function retryDelayMs(tried: number, random: Random): number {
  const bound = Math.min(STORE_RETRY_MS_MAX, STORE_RETRY_MS_MIN * 2 ** (tried - 1));
  return bound / 2 + random.below(bound / 2 + 1);
}
