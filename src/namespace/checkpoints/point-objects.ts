/** Which objects a state of a namespace consists of. */

import { DatabaseError } from "../../base/errors.ts";
import { type SegmentId, sequenceNumber } from "../../base/ids.ts";
import { WalReader } from "../../log/wal-reader.ts";
import { decodeBatches } from "../../log/wal-records.ts";
import { ManifestStore } from "../../manifest/manifest-store.ts";
import type { SegmentEntry } from "../../model/segment-entry.ts";
import {
  manifestKey,
  type NamespaceGeneration,
  segmentKey,
  walKey,
} from "../../storage/object-keys.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import type { OpeningOptions } from "../recovery/opening-options.ts";
import type { Point } from "./checkpoint.ts";

/** The keys of all objects of one state. */
export interface PointObjects {
  /** Under the generation's own prefix: the manifest, the log after it, tombstones. */
  readonly own: readonly ObjectKey[];
  /** Segments, some of which may be other owners'. */
  readonly segments: readonly ObjectKey[];
}

/** Reads the manifest, and the log where it imports segments. Throws `corrupt` if one is missing. */
export async function pointObjects(
  options: Pick<OpeningOptions, "clock" | "random" | "storeFor">,
  generation: NamespaceGeneration,
  { manifestVersion, sequence, hasImport }: Point,
): Promise<PointObjects> {
  const { clock, random } = options;
  const store = options.storeFor(undefined);
  const manifests = new ManifestStore({ store, clock, random, generation });
  const manifest = manifestVersion === 0 ? undefined : await manifests.read(manifestVersion);
  const key = manifestVersion === 0 ? [] : [manifestKey(generation, manifestVersion)];
  if (manifestVersion > 0 && manifest === undefined) throw missing(key[0]);
  const entries = [...(manifest?.segments ?? [])];
  const log: ObjectKey[] = [];
  const reader = new WalReader(store, generation);
  for (let number = (manifest?.indexedUpTo ?? 0) + 1; number <= sequence; number++) {
    log.push(walKey(generation, sequenceNumber(number)));
    if (hasImport) entries.push(...(await importedBy(reader, number, log[log.length - 1])));
  }
  const tombstones = entries.flatMap(({ tombstoneObject: name }) => {
    return name === undefined ? [] : [segmentKey(generation, name as SegmentId)];
  });
  const segments = entries.map(({ id, owner }) => segmentKey(owner ?? generation, id));
  return { own: [...key, ...log, ...tombstones], segments };
}

/** The segments that one entry of the log imports. */
async function importedBy(
  reader: WalReader,
  number: number,
  key: ObjectKey,
): Promise<readonly SegmentEntry[]> {
  const read = await reader.read(sequenceNumber(number));
  if (read === undefined) throw missing(key);
  const records = decodeBatches(read.entry.records, key).flat();
  return records.flatMap((record) => (record.kind === "import" ? record.segments : []));
}

function missing(key: ObjectKey): DatabaseError {
  return new DatabaseError("corrupt", `cannot read ${key}: missing, but a checkpoint keeps it`);
}
