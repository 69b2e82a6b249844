/** Sets of code points as sorted ranges. */

/** First and last code point of each range, in turn; ascending, and no two ranges touch. */
export type CharacterSet = Uint32Array;

/** The largest code point. */
export const CODE_POINT_MAX = 0x10ffff;

/** All code points. */
export const ANY_CHARACTER: CharacterSet = Uint32Array.of(0, CODE_POINT_MAX);

/** Returns the set of ranges that may be in any order and overlap. */
export function setOf(ranges: readonly (readonly [first: number, last: number])[]): CharacterSet {
  const sorted = ranges.toSorted((a, b) => a[0] - b[0]);
  const set = new Uint32Array(2 * sorted.length);
  let length = 0;
  for (const [first, last] of sorted) {
    if (length > 0 && first <= set[length - 1] + 1) {
      set[length - 1] = Math.max(set[length - 1], last);
    } else {
      set[length++] = first;
      set[length++] = last;
    }
  }
  return set.slice(0, length);
}

/** Returns the union of two sets, in time linear in the ranges of both. */
export function unionOf(a: CharacterSet, b: CharacterSet): CharacterSet {
  const union = new Uint32Array(a.length + b.length);
  let length = 0;
  for (let i = 0, j = 0; i < a.length || j < b.length; ) {
    const isOfA = j === b.length || (i < a.length && a[i] <= b[j]);
    const [first, last] = isOfA ? [a[i], a[i + 1]] : [b[j], b[j + 1]];
    if (isOfA) i += 2;
    else j += 2;
    if (length > 0 && first <= union[length - 1] + 1) {
      union[length - 1] = Math.max(union[length - 1], last);
    } else {
      union[length++] = first;
      union[length++] = last;
    }
  }
  return union.slice(0, length);
}

/** Returns the complement of a set. */
export function complementOf(set: CharacterSet): CharacterSet {
  const complement = new Uint32Array(set.length + 2);
  let length = 0;
  let next = 0;
  for (let i = 0; i < set.length; i += 2) {
    if (set[i] > next) {
      complement[length++] = next;
      complement[length++] = set[i] - 1;
    }
    next = set[i + 1] + 1;
  }
  if (next <= CODE_POINT_MAX) {
    complement[length++] = next;
    complement[length++] = CODE_POINT_MAX;
  }
  return complement.slice(0, length);
}

/** Returns the intersection of two sets. */
export function intersectionOf(a: CharacterSet, b: CharacterSet): CharacterSet {
  return complementOf(unionOf(complementOf(a), complementOf(b)));
}

/** Checks whether a code point is in a set: by halving. */
export function isInSet(set: CharacterSet, codePoint: number): boolean {
  let low = 0;
  let high = set.length >>> 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (set[2 * middle + 1] < codePoint) low = middle + 1;
    else high = middle;
  }
  return 2 * low < set.length && set[2 * low] <= codePoint;
}
