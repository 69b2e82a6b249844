import { withRoom } from "./with-room.ts";

/** Elements that a list has room for at first. */
const FIRST_LENGTH = 256;

/** Unsigned integers of 32 bits, in an array that grows. */
export class WordList {
  #words = new Uint32Array(FIRST_LENGTH);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** A view of all elements, valid until one is added. */
  get words(): Uint32Array {
    return this.#words.subarray(0, this.#count);
  }

  add(word: number): void {
    if (this.#count === this.#words.length) this.#words = withRoom(this.#words, this.#count + 1);
    this.#words[this.#count++] = word;
  }

  /** Removes all elements, and keeps their memory for the next ones. */
  clear(): void {
    this.#count = 0;
  }
}
