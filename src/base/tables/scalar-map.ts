import { type Scalar, ScalarTable } from "./scalar-table.ts";

/** A `Map` in the order of its keys' arrival, for keys that clients may have chosen. */
export class ScalarMap<K extends Scalar, V> {
  /** Positions in both arrays, counted from 1. */
  readonly #positions = new ScalarTable();
  readonly #keys: K[] = [];
  readonly #values: V[] = [];

  get size(): number {
    return this.#keys.length;
  }

  /** In the order in which they were first set. */
  get keys(): readonly K[] {
    return this.#keys;
  }

  /** By the order of keys. */
  get values(): readonly V[] {
    return this.#values;
  }

  has(key: K): boolean {
    return this.#positions.get(key) !== 0;
  }

  get(key: K): V | undefined {
    const position = this.#positions.get(key);
    return position === 0 ? undefined : this.#values[position - 1];
  }

  /** The value of a key. One that has none gets what `make` returns. */
  getOrAdd(key: K, make: (key: K) => V): V {
    const position = this.#positions.add(key, this.#keys.length + 1);
    if (position !== 0) return this.#values[position - 1];
    const value = make(key);
    this.#keys.push(key);
    this.#values.push(value);
    return value;
  }

  set(key: K, value: V): void {
    const position = this.#positions.add(key, this.#keys.length + 1);
    if (position !== 0) {
      this.#values[position - 1] = value;
      return;
    }
    this.#keys.push(key);
    this.#values.push(value);
  }
}

/** A `Set` of keys that clients may have chosen. */
export class ScalarSet<K extends Scalar> {
  readonly #table = new ScalarTable();

  has(key: K): boolean {
    return this.#table.get(key) !== 0;
  }

  /** Returns false if the key was there. */
  add(key: K): boolean {
    return this.#table.add(key, 1) === 0;
  }
}

/** Each value once, in the order in which it comes first. */
export function distinct<K extends Scalar>(values: readonly K[]): K[] {
  const seen = new ScalarSet<K>();
  return values.filter((value) => seen.add(value));
}
