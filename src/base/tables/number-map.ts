/**
 * A map by whole numbers for what comes and goes all the time, such as the requests under way. When
 * the engine's own `Map` or `Set` has made a new table, the old one refers to it and keeps what was
 * in it; once one of them has reached the old generation, each later one follows it there with all
 * that it holds, until that is collected as a whole. This one has one table, and what is deleted is
 * gone: linear probing, where deletion closes the gap (Knuth, volume 3, section 6.4, algorithm R).
 */

/** Marks a place that is free. */
const FREE = -1;
/** Places at first; a power of two. */
const PLACES_MIN = 16;

/** Keys are whole numbers from 0 on. Those that were given one after the other never collide. */
export class NumberMap<Value> {
  #keys: number[] = new Array(PLACES_MIN).fill(FREE);
  #values: (Value | undefined)[] = new Array(PLACES_MIN).fill(undefined);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get(key: number): Value | undefined {
    return this.#values[this.#placeOf(key)];
  }

  set(key: number, value: Value): void {
    // At most half full, so that a search soon meets a free place.
    if (2 * (this.#size + 1) > this.#keys.length) this.#grow();
    const place = this.#placeOf(key);
    if (this.#keys[place] === FREE) this.#size++;
    this.#keys[place] = key;
    this.#values[place] = value;
  }

  /** Tells whether it was there. */
  delete(key: number): boolean {
    const keys = this.#keys;
    const mask = keys.length - 1;
    let gap = this.#placeOf(key);
    if (keys[gap] === FREE) return false;
    for (let place = (gap + 1) & mask; keys[place] !== FREE; place = (place + 1) & mask) {
      // A key stays if its search begins behind the gap.
      if (((place - keys[place]) & mask) < ((place - gap) & mask)) continue;
      keys[gap] = keys[place];
      this.#values[gap] = this.#values[place];
      gap = place;
    }
    keys[gap] = FREE;
    this.#values[gap] = undefined;
    this.#size--;
    return true;
  }

  /** All keys with their values as they are now, in no order. */
  entries(): (readonly [key: number, value: Value])[] {
    const entries: (readonly [number, Value])[] = [];
    this.#keys.forEach((key, place) => {
      if (key !== FREE) entries.push([key, this.#values[place] as Value]);
    });
    return entries;
  }

  /** All values as they are now, in no order. */
  values(): Value[] {
    return this.entries().map(([, value]) => value);
  }

  /** Where the key is, or the free place where it would be. */
  #placeOf(key: number): number {
    const keys = this.#keys;
    const mask = keys.length - 1;
    let place = key & mask;
    while (keys[place] !== key && keys[place] !== FREE) place = (place + 1) & mask;
    return place;
  }

  #grow(): void {
    const entries = this.entries();
    this.#keys = new Array(2 * this.#keys.length).fill(FREE);
    this.#values = new Array(this.#keys.length).fill(undefined);
    this.#size = 0;
    for (const [key, value] of entries) this.set(key, value);
  }
}
