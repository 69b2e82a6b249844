/**
 * Remembers which term a token becomes, so that stop words, stemming and folding run once per
 * distinct token, and equal terms are mostly one string. Direct-mapped: a token has one place, and
 * the last one there stays, which bounds the memory and needs no bookkeeping.
 */
import { TERM_CACHE_ENTRIES, TERM_CACHE_TOKEN_UNITS_MAX } from "../base/limits.ts";

/** Maps tokens, given as ranges of a text, to terms. */
export class TermCache {
  readonly #normalize: (token: string) => string | undefined;
  readonly #tokens = new Array<string | undefined>(TERM_CACHE_ENTRIES).fill(undefined);
  readonly #terms = new Array<string | undefined>(TERM_CACHE_ENTRIES).fill(undefined);

  /** `normalize` is pure; undefined means that the token is dropped. */
  constructor(normalize: (token: string) => string | undefined) {
    this.#normalize = normalize;
  }

  /** Returns the term of `text.slice(start, end)`. */
  get(text: string, start: number, end: number): string | undefined {
    if (end - start > TERM_CACHE_TOKEN_UNITS_MAX)
      return this.#normalize(detached(text, start, end));
    let hash = 0;
    for (let offset = start; offset < end; offset++) {
      hash = Math.imul(hash, 31) + text.charCodeAt(offset);
    }
    const index = (hash ^ (hash >>> 15)) & (TERM_CACHE_ENTRIES - 1);
    const token = this.#tokens[index];
    if (token !== undefined && isAt(text, start, end, token)) return this.#terms[index];
    const copy = detached(text, start, end);
    const term = this.#normalize(copy);
    this.#tokens[index] = copy;
    this.#terms[index] = term;
    return term;
  }
}

function isAt(text: string, start: number, end: number, token: string): boolean {
  const length = end - start;
  if (token.length !== length) return false;
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
