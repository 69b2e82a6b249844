import { systemRandom } from "./random.ts";

/** Strings that one map holds: V8 copies all entries of a map when it grows, 65,536 in 10 ms. */
const WHOLE_MAX = 1 << 14;
/** Maps of more strings than that, together: each grows to 65,536 entries at 16 million strings. */
const PARTS = 256;
/** Odd, and random in each thread: a client cannot choose strings that share a part. */
const HASH_FACTOR = Buffer.from(systemRandom.bytes(4)).readUInt32LE() | 1;

/** Codes of distinct strings, from 0 in the order in which they are first asked for. */
export class StringCodes {
  /** By the hash of a string, or one map of all. */
  #parts: readonly Map<string, number>[] = [new Map()];
  readonly #strings: string[] = [];

  /** How many have one. */
  get size(): number {
    return this.#strings.length;
  }

  /** The strings by their codes. */
  get strings(): readonly string[] {
    return this.#strings;
  }

  /** The code of a string, which gets one if it has none. */
  codeOf(text: string): number {
    const codes = this.#partOf(text);
    const known = codes.get(text);
    if (known !== undefined) return known;
    const code = this.#strings.push(text) - 1;
    codes.set(text, code);
    if (this.#strings.length === WHOLE_MAX) this.#divide();
    return code;
  }

  /** The string with a code that was given. */
  stringOf(code: number): string {
    return this.#strings[code];
  }

  #partOf(text: string): Map<string, number> {
    if (this.#parts.length === 1) return this.#parts[0];
    let hash = 0;
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash + text.charCodeAt(i), HASH_FACTOR);
    return this.#parts[(hash >>> 16) % PARTS];
  }

  #divide(): void {
    this.#parts = Array.from({ length: PARTS }, () => new Map<string, number>());
    for (let code = 0; code < this.#strings.length; code++) {
      this.#partOf(this.#strings[code]).set(this.#strings[code], code);
    }
  }
}
