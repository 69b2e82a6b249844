/** Substring search that allows a few edits. */

/**
 * Tells whether some substring of `text` is within Levenshtein distance `distance` of `pattern`,
 * counted in code points. `pattern` has more than `distance` of them. Sellers' algorithm with
 * Ukkonen's cut-off (Finding approximate patterns in strings, 1985): time is about
 * `text.length * (distance + 1)` on ordinary text.
 */
export function hasFuzzySubstring(pattern: Uint32Array, text: string, distance: number): boolean {
  const length = pattern.length;
  // costs[i]: fewest edits between pattern[0..i) and any substring that ends here.
  const costs = new Uint32Array(length + 1);
  for (let i = 0; i <= length; i++) costs[i] = i;
  if (length <= distance) return true;
  // Rows above `active` cost more than `distance`.
  let active = distance;
  for (let at = 0; at < text.length; at++) {
    const character = text.codePointAt(at) ?? 0;
    if (character > 0xffff) at++;
    const reach = Math.min(active + 1, length);
    let diagonal = 0;
    for (let i = 1; i <= reach; i++) {
      const above = costs[i];
      const substituted = diagonal + (pattern[i - 1] === character ? 0 : 1);
      // Beyond the active rows the old cost is stale, but known to be greater than `distance`.
      const deleted = i > active ? distance + 1 : above + 1;
      costs[i] = Math.min(substituted, deleted, costs[i - 1] + 1);
      diagonal = i > active ? distance + 1 : above;
    }
    active = reach;
    while (costs[active] > distance) active--;
    if (active === length) return true;
  }
  return false;
}

/** The code points of a string. */
export function codePoints(text: string): Uint32Array {
  return Uint32Array.from(text, (character) => character.codePointAt(0) ?? 0);
}
