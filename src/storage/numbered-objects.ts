import type { Clock } from "../base/clock.ts";
import type { Random } from "../base/random.ts";
import { createObject } from "./create-object.ts";
import type { ObjectBody, ObjectKey, ObjectStore } from "./object-store.ts";
import { storePages } from "./store-pages.ts";

/** How the objects of one family are named and read. */
export interface NumberedFamily<T> {
  /** Begins the keys of all of them, and perhaps of others. */
  readonly prefix: string;
  /** Keys are in the order of their numbers. */
  keyOf(number: number): ObjectKey;
  /** The number of a key; undefined: it is of no member, but perhaps of a desktop's file. */
  numberOf(key: string): number | undefined;
  /** Decodes what was read at `keyOf(number)`. Throws `corrupt`, `too_new` or `too_old`. */
  decode(object: Uint8Array, number: number): Promise<T>;
}

/** An object to be created. */
export interface NumberedCandidate {
  readonly number: number;
  /** Must not change until the put resolves. */
  readonly object: ObjectBody;
  /** That of the encoded object; used for no other put, or it may be taken for that one. */
  readonly nonce: Uint8Array;
}

/** What became of a put. */
export type NumberedPutOutcome<T> =
  /** The candidate is durable under its number. */
  | { readonly kind: "written" }
  /** Another object, of so many bytes, has the number; the candidate is nowhere. */
  | { readonly kind: "conflict"; readonly other: T; readonly bytes: number }
  /**
   * An object had the number, and was collected before it could be read. `mayBeOwn`: nobody can
   * tell whether it was the candidate; otherwise it was another.
   */
  | { readonly kind: "collected"; readonly mayBeOwn: boolean };

/** An object as read. */
export interface NumberedRead<T> {
  readonly value: T;
  /** Size of the object in the store. */
  readonly bytes: number;
}

/**
 * Objects that are numbered from 1 without gaps. Each is created once, if absent, and never
 * changed, so that who creates number n has decided what comes n-th
 * (docs/adr/0001-numbered-objects.md). The oldest may be collected.
 *
 * When the store leaves open whether a put was written, the same bytes are put again: they are
 * written now, or there is a conflict, whose object is durable and whose nonce tells whose it is.
 * Only "written", or a conflict with one's own nonce, is proof.
 *
 * Numbers of collected objects are absent, too. Who may have slept while others collected must find
 * out by other means whether a number that it won still counts.
 */
export class NumberedObjects<T extends { readonly nonce: Uint8Array }> {
  readonly #store: ObjectStore;
  readonly #family: NumberedFamily<T>;

  constructor(store: ObjectStore, family: NumberedFamily<T>) {
    this.#store = store;
    this.#family = family;
  }

  /** Reads one object; undefined says that it is not there. Costs one request. */
  async read(number: number): Promise<NumberedRead<T> | undefined> {
    const object = await this.#store.get(this.#family.keyOf(number));
    if (object === undefined) return undefined;
    return { value: await this.#family.decode(object, number), bytes: object.length };
  }

  /** Lists the numbers after `after` that exist, ascending, a page at a time. */
  async *numbersAfter(after: number): AsyncGenerator<readonly number[]> {
    const { prefix } = this.#family;
    const startAfter = this.#family.keyOf(after);
    for await (const { keys } of storePages(this.#store, { prefix, startAfter })) {
      yield keys.flatMap((key) => this.#family.numberOf(key) ?? []);
    }
  }

  /**
   * Creates an object, or finds out who has its number. Throws `unavailable` if the outcome stays
   * unknown: the candidate may be there, and the next put of its number then conflicts with it.
   */
  async put(
    { number, object, nonce }: NumberedCandidate,
    { clock, random }: { readonly clock: Clock; readonly random: Random },
  ): Promise<NumberedPutOutcome<T>> {
    const key = this.#family.keyOf(number);
    const onConflict = async (tried: number): Promise<NumberedPutOutcome<T>> => {
      const there = await this.read(number);
      if (there === undefined) return { kind: "collected", mayBeOwn: tried > 1 };
      const isOwn = Buffer.compare(there.value.nonce, nonce) === 0;
      if (isOwn) return { kind: "written" };
      return { kind: "conflict", other: there.value, bytes: there.bytes };
    };
    return createObject({ key, object }, onConflict, { store: this.#store, clock, random });
  }
}
