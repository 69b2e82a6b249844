/** A query asks several times for each of its terms or dimensions, which are fewer mostly. */
const REMEMBERED_MAX = 64;

/** `find` that remembers what it has found of the last strings. Throws what `find` throws. */
export function remembered<Found extends object | number | null>(
  find: (key: string) => Found,
): (key: string) => Found {
  const known = new Map<string, Found>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const found = find(key);
    if (known.size >= REMEMBERED_MAX) known.clear();
    known.set(key, found);
    return found;
  };
}
