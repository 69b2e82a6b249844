/** Keys whose hash in V8 has no seed, as `Map` and `Set` get them. */

/**
 * Does some work, and returns how many bigints, and numbers that are no small integers, it has put
 * into any `Map` or `Set`.
 */
export async function unseededKeysOf(work: () => Promise<void> | void): Promise<number> {
  const { set } = Map.prototype;
  const { add } = Set.prototype;
  let count = 0;
  const look = (key: unknown): void => {
    if (typeof key === "bigint" || (typeof key === "number" && (key | 0) !== key)) count++;
  };
  Map.prototype.set = function (key, value) {
    look(key);
    return set.call(this, key, value);
  };
  Set.prototype.add = function (key) {
    look(key);
    return add.call(this, key);
  };
  try {
    await work();
    return count;
  } finally {
    Map.prototype.set = set;
    Set.prototype.add = add;
  }
}
