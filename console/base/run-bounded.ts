/** Many requests with a bound on how many are under way. */

/**
 * Does `work` for each item, at most `atOnce` at a time, and answers in the order of the items. The
 * first failure ends it, as does the signal: nothing is begun afterwards. `onDone` is told how many
 * are done.
 */
export async function runBounded<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
  options: {
    readonly atOnce: number;
    readonly signal: AbortSignal;
    readonly onDone?: (done: number) => void;
  },
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  let done = 0;
  let hasFailed = false;
  const follow = async (): Promise<void> => {
    while (next < items.length && !hasFailed) {
      options.signal.throwIfAborted();
      const index = next++;
      results[index] = await work(items[index], index);
      options.onDone?.(++done);
    }
  };
  const lanes = Array.from({ length: Math.min(options.atOnce, items.length) }, () =>
    follow().catch((error: unknown) => {
      hasFailed = true;
      throw error;
    }),
  );
  await Promise.all(lanes);
  return results;
}
