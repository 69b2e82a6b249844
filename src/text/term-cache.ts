/**
 * Remembers which term a token becomes, so that stop words, stemming and folding run once per
 * distinct token, and equal terms are mostly one string. Tokens of equal hash share two places; the
 * one used longest ago makes room, which bounds the memory and needs no bookkeeping.
 */

/** Tokens whose term an analyzer remembers; a power of two. About 6 MiB when full. */
const TERM_CACHE_ENTRIES = 1 << 16;
/** Longest token that an analyzer remembers, in UTF-16 units; words are shorter. */
export const TERM_CACHE_TOKEN_UNITS_MAX = 48;

/** Knuth's multiplier, 2^32 over the golden ratio: spreads a hash over its upper bits. */
const HASH_FACTOR = 0x9e3779b1;

/** Maps tokens, given as ranges of a text, to terms. */
export class TermCache {
  readonly #normalize: (token: string) => string | undefined;
  readonly #unitsMax: number;
  readonly #tokens = new Array<string | undefined>(TERM_CACHE_ENTRIES).fill(undefined);
  readonly #terms = new Array<string | undefined>(TERM_CACHE_ENTRIES).fill(undefined);

  /**
   * `normalize` is pure; undefined means that the token is dropped, as are tokens of more than
   * `unitsMax` UTF-16 units.
   */
  constructor(
    normalize: (token: string) => string | undefined,
    unitsMax = Number.POSITIVE_INFINITY,
  ) {
    this.#normalize = normalize;
    this.#unitsMax = unitsMax;
  }

  /** Returns the term of `text.slice(start, end)`. */
  get(text: string, start: number, end: number): string | undefined {
    if (end - start > this.#unitsMax) return undefined;
    if (end - start > TERM_CACHE_TOKEN_UNITS_MAX)
      return this.#normalize(detached(text, start, end));
    let hash = 0;
    for (let offset = start; offset < end; offset++) {
      hash = Math.imul(hash, 31) + text.charCodeAt(offset);
    }
    const newer = (Math.imul(hash, HASH_FACTOR) >>> 15) & (TERM_CACHE_ENTRIES - 2);
    if (isAt(text, start, end, this.#tokens[newer])) return this.#terms[newer];
    const older = newer + 1;
    let token = this.#tokens[older];
    let term = this.#terms[older];
    if (token === undefined || !isAt(text, start, end, token)) {
      token = detached(text, start, end);
      term = this.#normalize(token);
    }
    this.#tokens[older] = this.#tokens[newer];
    this.#terms[older] = this.#terms[newer];
    this.#tokens[newer] = token;
    this.#terms[newer] = term;
    return term;
  }
}

function isAt(text: string, start: number, end: number, token: string | undefined): boolean {
  const length = end - start;
  if (token === undefined || token.length !== length) return false;
  for (let index = 0; index < length; index++) {
    if (token.charCodeAt(index) !== text.charCodeAt(start + index)) return false;
  }
  return true;
}

/** Copies a range: a plain slice of 13 units or more would keep the whole text alive in V8. */
function detached(text: string, start: number, end: number): string {
  const slice = text.slice(start, end);
  return slice.length < 13 ? slice : slice.split("").join("");
}
