/** Small indexes are there when the write that asks for them is answered. */

import type { Clock } from "../base/clock.ts";
import type { Thresholds } from "../namespace/thresholds.ts";
import type { Namespace } from "./namespace.ts";

/**
 * How long a write waits for an indexer to build what it asked for over few documents: several
 * times what that takes; nobody may be there to do it.
 */
const INDEX_AWAIT_MS_MAX = 3_000;

/** What it takes. */
export interface AwaitOptions {
  readonly clock: Clock;
  readonly thresholds: Pick<Thresholds, "indexInlineDocumentsMax">;
}

/**
 * Resolves when all indexes of a namespace are there, after a while in any case, and at once where
 * an index of many documents is being built.
 */
export async function awaitIndexes(
  namespace: Namespace,
  { clock, thresholds }: AwaitOptions,
): Promise<void> {
  const { builds } = namespace.state();
  const lacking = builds.map(({ documentsDone, documentsTotal }) => documentsTotal - documentsDone);
  if (builds.length === 0 || Math.max(...lacking) > thresholds.indexInlineDocumentsMax) return;
  const waiting = new AbortController();
  const late = clock.sleep(INDEX_AWAIT_MS_MAX, waiting.signal).catch(() => {});
  await Promise.race([namespace.whenIndexed(), late]);
  waiting.abort();
}
