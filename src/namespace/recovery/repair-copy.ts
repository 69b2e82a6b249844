/**
 * A data directory that was copied while a server worked in it, as by `cp -a`, is of no one
 * moment. What was there when the copy began is in it, since objects that are no longer named stay
 * for a grace period (docs/consistency.md); of what came meanwhile there is some. So the newest
 * manifest may name segments that were not copied, and the log may go on after a gap: nothing of
 * that was there when the copy began, and the copy is made whole without it. In any other directory
 * the same is damage, and so is a gap before which nothing is left: these are left as they are, and
 * refused.
 */

import { isDatabaseError } from "../../base/errors.ts";
import { type SegmentId, sequenceNumber } from "../../base/ids.ts";
import type { StructuredLog } from "../../base/structured-log.ts";
import { decodeManifest } from "../../manifest/manifest-codec.ts";
import type { SegmentEntry } from "../../model/segment-entry.ts";
import {
  generationPrefix,
  manifestKey,
  NAMESPACES_PREFIX,
  type NamespaceGeneration,
  namespacePrefix,
  parseGenerationPrefix,
  parseManifestKey,
  parseNamespacePrefix,
  parseWalKey,
  segmentKey,
  walKey,
} from "../../storage/object-keys.ts";
import type { ObjectKey, ObjectStore } from "../../storage/object-store.ts";
import { storePages } from "../../storage/store-pages.ts";
import { isDeleted } from "../generations/namespace-generations.ts";

/** What a repair works with. */
export interface RepairOptions {
  /** Reads what is encrypted, too. */
  readonly store: ObjectStore;
  readonly log: StructuredLog;
}

/** Makes all namespaces of a copied directory whole; to be called before anything is served. */
export async function repairCopy(options: RepairOptions): Promise<void> {
  for await (const generation of generations(options.store)) {
    if (await isDeleted(options.store, generation)) continue;
    await repairGeneration(generation, options);
  }
}

/** What is to go of a log: the entries after the first gap. */
export interface LogCut {
  /** The last entry that stays. */
  readonly last: number;
  /** Ascending. */
  readonly dropped: readonly number[];
}

/**
 * Decides what of a log is no part of a copy. `numbers` are the entries that are there, ascending;
 * a manifest covers those up to `indexedUpTo`. Undefined: the log has no gap, or one before which
 * nothing is left. That may be a collected one, and then entries are missing that were there when
 * the copy began.
 */
export function cutLog(numbers: readonly number[], indexedUpTo: number): LogCut | undefined {
  const known = new Set(numbers);
  let last = indexedUpTo;
  while (known.has(last + 1)) last++;
  const dropped = numbers.filter((number) => number > last);
  return dropped.length === 0 || !known.has(last) ? undefined : { last, dropped };
}

async function repairGeneration(
  generation: NamespaceGeneration,
  { store, log }: RepairOptions,
): Promise<void> {
  const keys = new Set<ObjectKey>();
  for await (const page of storePages(store, { prefix: generationPrefix(generation) }))
    for (const key of page.keys) keys.add(key);
  const numbersOf = (parse: (key: string) => number | undefined) =>
    [...keys].flatMap((key) => parse(key) ?? []).sort((a, b) => a - b);
  const versions = numbersOf((key) => parseManifestKey(generation, key));
  const whole = await newestWhole(versions, { generation, store, keys });
  if (whole === undefined) return;
  const { name: namespace } = generation;
  // The newest go first, so that a repair that is interrupted leaves what it began with.
  for (const version of versions.filter((number) => number > whole.version).reverse()) {
    await store.delete(manifestKey(generation, version));
    log("warn", "a manifest of a copied directory is not whole; the one before counts", {
      namespace,
      version,
    });
  }
  const entries = numbersOf((key) => parseWalKey(generation, key));
  const cut = cutLog(entries, whole.indexedUpTo);
  if (cut === undefined) return;
  for (const number of [...cut.dropped].reverse())
    await store.delete(walKey(generation, sequenceNumber(number)));
  log(
    "warn",
    "the log of a copied directory has a gap; what was written later is not in the copy",
    {
      namespace,
      lastEntry: cut.last,
      dropped: cut.dropped.length,
    },
  );
}

/** What the newest manifest says all of whose objects are there; undefined if there is none. */
async function newestWhole(
  versions: readonly number[],
  of: {
    readonly generation: NamespaceGeneration;
    readonly store: ObjectStore;
    readonly keys: ReadonlySet<ObjectKey>;
  },
): Promise<{ readonly version: number; readonly indexedUpTo: number } | undefined> {
  const { generation, store } = of;
  if (versions.length === 0) return { version: 0, indexedUpTo: 0 };
  for (const version of [...versions].reverse()) {
    const object = await store.get(manifestKey(generation, version));
    try {
      if (object === undefined) continue;
      const { manifest } = await decodeManifest(object, generation, version);
      const { segments, indexedUpTo } = manifest;
      const isWhole = await Promise.all(segments.map((entry) => isThere(entry, of)));
      if (isWhole.every(Boolean)) return { version, indexedUpTo };
    } catch (error) {
      if (isDatabaseError(error, "corrupt", "too_new", "too_old")) return undefined; // Damage.
      throw error;
    }
  }
  return undefined;
}

async function isThere(
  { id, owner, tombstoneObject }: SegmentEntry,
  of: {
    readonly generation: NamespaceGeneration;
    readonly store: ObjectStore;
    readonly keys: ReadonlySet<ObjectKey>;
  },
): Promise<boolean> {
  const { generation, store, keys } = of;
  const own = (name: string) => segmentKey(generation, name as SegmentId);
  if (tombstoneObject !== undefined && !keys.has(own(tombstoneObject))) return false;
  if (owner === undefined) return keys.has(own(id));
  return (await store.getRange(segmentKey(owner, id), 0, 1)) !== undefined;
}

async function* generations(store: ObjectStore): AsyncGenerator<NamespaceGeneration> {
  for await (const page of storePages(store, { prefix: NAMESPACES_PREFIX, delimiter: "/" })) {
    for (const prefix of page.prefixes) {
      const name = parseNamespacePrefix(prefix);
      if (name === undefined) continue;
      const inner = storePages(store, { prefix: namespacePrefix(name), delimiter: "/" });
      for await (const { prefixes } of inner)
        yield* prefixes.flatMap((path) => parseGenerationPrefix(path) ?? []);
    }
  }
}
