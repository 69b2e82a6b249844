/** Codes of distinct strings, from 0 in the order in which they are first asked for. */
export class StringCodes {
  readonly #codes = new Map<string, number>();
  readonly #strings: string[] = [];

  /** How many have one. */
  get size(): number {
    return this.#strings.length;
  }

  /** The code of a string, which gets one if it has none. */
  codeOf(text: string): number {
    const known = this.#codes.get(text);
    if (known !== undefined) return known;
    this.#codes.set(text, this.#strings.length);
    return this.#strings.push(text) - 1;
  }

  /** The string with a code that was given. */
  stringOf(code: number): string {
    return this.#strings[code];
  }
}
