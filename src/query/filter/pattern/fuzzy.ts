/** Substring search that allows a few edits. */

/**
 * Finds out whether some substring of a text is within Levenshtein distance `distance` of a
 * pattern, counted in code points. The pattern has more than `distance` of them. Sellers' algorithm
 * with Ukkonen's cut-off (Finding approximate patterns in strings, 1985): time is about
 * `text.length * (distance + 1)` on ordinary text, and `text.length * pattern.length` at most.
 */
export class FuzzySearch {
  /** Costs that were computed so far, in all texts. */
  work = 0;
  readonly #pattern: Uint32Array;
  readonly #distance: number;
  /**
   * At `i`: fewest edits between the first `i` code points of the pattern and any substring that
   * ends here.
   */
  readonly #costs: Uint32Array;
  #text = "";
  #at = 0;
  /** Rows above it cost more than `distance`. */
  #active = 0;

  constructor(pattern: Uint32Array, distance: number) {
    this.#pattern = pattern;
    this.#distance = distance;
    this.#costs = new Uint32Array(pattern.length + 1);
  }

  /** Begins with a text. */
  begin(text: string): void {
    this.#text = text;
    this.#at = 0;
    this.#active = Math.min(this.#distance, this.#pattern.length);
    for (let i = 0; i <= this.#active; i++) this.#costs[i] = i;
  }

  /** Checks whether the text has such a substring; undefined after `workMax` costs. */
  advance(workMax: number): boolean | undefined {
    const text = this.#text;
    const length = this.#pattern.length;
    const end = this.work + workMax;
    if (length <= this.#distance) return true;
    while (this.#at < text.length) {
      if (this.work >= end) return undefined;
      const character = text.codePointAt(this.#at) ?? 0;
      this.#at += character > 0xffff ? 2 : 1;
      this.#addCharacter(character);
      if (this.#active === length) return true;
    }
    return false;
  }

  #addCharacter(character: number): void {
    const pattern = this.#pattern;
    const costs = this.#costs;
    const distance = this.#distance;
    const active = this.#active;
    const reach = Math.min(active + 1, pattern.length);
    this.work += reach;
    let diagonal = 0;
    for (let i = 1; i <= reach; i++) {
      const above = costs[i];
      const substituted = diagonal + (pattern[i - 1] === character ? 0 : 1);
      // Beyond the active rows the old cost is stale, but known to be greater than `distance`.
      const deleted = i > active ? distance + 1 : above + 1;
      costs[i] = Math.min(substituted, deleted, costs[i - 1] + 1);
      diagonal = i > active ? distance + 1 : above;
    }
    let last = reach;
    while (costs[last] > distance) last--;
    this.#active = last;
  }
}

/** The code points of a string. */
export function codePoints(text: string): Uint32Array {
  return Uint32Array.from(text, (character) => character.codePointAt(0) ?? 0);
}
