import type { Steps } from "./steps.ts";

/** Items that are merged between two pauses, in a fraction of a microsecond each. */
const ITEMS_PER_STEP = 2048;

/**
 * The first `lengthMax` of what sorted lists have together, in steps. None of the lists is empty,
 * and nothing is in them twice.
 */
export function* mergeRuns<T>(
  sorted: readonly T[][],
  compare: (a: T, b: T) => number,
  lengthMax = Number.POSITIVE_INFINITY,
): Steps<T[]> {
  let runs = sorted;
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let r = 0; r < runs.length; r += 2) {
      const isLast = r + 1 === runs.length;
      const both = isLast ? runs[r] : yield* mergeTwo(runs[r], runs[r + 1], compare);
      merged.push(both.length > lengthMax ? both.slice(0, lengthMax) : both);
      yield;
    }
    runs = merged;
  }
  const [all = []] = runs;
  return all.length > lengthMax ? all.slice(0, lengthMax) : all;
}

function* mergeTwo<T>(
  left: readonly T[],
  right: readonly T[],
  compare: (a: T, b: T) => number,
): Steps<T[]> {
  if (compare(left[left.length - 1], right[0]) < 0) return left.concat(right);
  const merged: T[] = [];
  let l = 0;
  let r = 0;
  while (l < left.length && r < right.length) {
    merged.push(compare(left[l], right[r]) < 0 ? left[l++] : right[r++]);
    if (merged.length % ITEMS_PER_STEP === 0) yield;
  }
  return merged.concat(left.slice(l), right.slice(r));
}
