/** Hints need the beginning of a name only, and the comparison's cost grows with the length. */
const COMPARED_CHARS_MAX = 200;

/** A replaced character weighs more than a missing one: `data` is nearer `data-dir` than `port`. */
const REPLACE_WEIGHT = 1.5;

/**
 * Returns the candidate that takes the fewest single-character edits (insert, delete, replace, swap
 * of neighbours) to reach from `name`, the first of equals; undefined only without candidates.
 * Meant for hints in errors: of `name`, which may be of any length, the beginning is compared, and
 * the cost is the product of the lengths, per candidate.
 */
export function nearestName(name: string, candidates: readonly string[]): string | undefined {
  const start = name.slice(0, COMPARED_CHARS_MAX).toLowerCase();
  let nearest: string | undefined;
  let leastWeight = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const weight = editWeight(start, candidate.toLowerCase());
    if (weight < leastWeight) {
      leastWeight = weight;
      nearest = candidate;
    }
  }
  return nearest;
}

/**
 * Returns the nearest candidate if it is likely what was meant: one begins with the other, or at
 * most half of the longer one is edited. A far-fetched hint misleads more than none.
 */
export function similarName(name: string, candidates: readonly string[]): string | undefined {
  const nearest = nearestName(name, candidates);
  if (nearest === undefined) return undefined;
  const a = name.slice(0, COMPARED_CHARS_MAX).toLowerCase();
  const b = nearest.toLowerCase();
  if (a.length > 1 && b.length > 1 && (a.startsWith(b) || b.startsWith(a))) return nearest;
  return editWeight(a, b) <= Math.max(a.length, b.length) / 2 ? nearest : undefined;
}

/** Damerau-Levenshtein distance with weights, restricted to swaps of untouched neighbours. */
function editWeight(a: string, b: string): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const current = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = previous[j - 1] + (a[i - 1] === b[j - 1] ? 0 : REPLACE_WEIGHT);
      let edits = Math.min(replaced, previous[j] + 1, current[j - 1] + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        edits = Math.min(edits, before[j - 2] + 1);
      }
      current.push(edits);
    }
    before = previous;
    previous = current;
  }
  return previous[b.length];
}
