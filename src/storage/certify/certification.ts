/** Tries every promise of object-store.ts on a store, as `trawl certify` and the tests do. */

import type { ObjectStore } from "../object-store.ts";
import { PrefixedObjectStore } from "../prefixed-object-store.ts";
import {
  BrokenPromise,
  type CertificationCase,
  inParallel,
  type Tally,
} from "./certification-case.ts";
import { LISTING_CASES } from "./certify-listing.ts";
import { OBJECT_CASES } from "./certify-objects.ts";
import { RACE_CASES } from "./certify-races.ts";

/** All cases that one process can try. */
export const CERTIFICATION_CASES: readonly CertificationCase[] = [
  ...OBJECT_CASES,
  ...RACE_CASES,
  ...LISTING_CASES,
];

/** What became of one case. */
export interface CaseResult {
  readonly promise: string;
  /** Kept, broken, or not found out since the store failed. */
  readonly verdict: "kept" | "broken" | "failed";
  /** What was seen, or what is wrong. */
  readonly seen: string;
}

/** Tries `certificationCase` in a folder of its own, which it removes. */
export async function certify(
  { promise, run }: CertificationCase,
  { store, folder, tally }: { store: ObjectStore; folder: string; tally: Tally },
): Promise<CaseResult> {
  const part = new PrefixedObjectStore(store, folder);
  try {
    return { promise, verdict: "kept", seen: await run(part, tally) };
  } catch (error) {
    const seen = error instanceof Error ? error.message : String(error);
    return { promise, verdict: error instanceof BrokenPromise ? "broken" : "failed", seen };
  } finally {
    await removeAll(part).catch(() => undefined); // The verdict is the news.
  }
}

/** Deletes everything that a store lists, unless its deletes do nothing. */
export async function removeAll(store: ObjectStore): Promise<void> {
  for (let last = ""; ; ) {
    const { keys, truncated } = await store.list({ prefix: "", limit: 1_000 });
    await inParallel(keys.length, 32, (number) => store.delete(keys[number]));
    if (!truncated || keys.length === 0 || keys[0] === last) return;
    last = keys[0];
  }
}
