/**
 * The objects in the golden files, as they are written. Never changed: a new version gets new ones.
 * `node test/golden/golden-objects.ts test/golden/v1` writes all golden files anew, while version 1
 * is not released.
 */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { namespaceName, type SegmentId, sequenceNumber } from "../../src/base/ids.ts";
import { joinPieces } from "../../src/base/pieces.ts";
import { runSteps } from "../../src/base/steps.ts";
import { buildIds } from "../../src/codec/columns-builder.ts";
import { encodeColumns } from "../../src/codec/columns-codec.ts";
import { encodeWalEntry, type WalEntry } from "../../src/log/wal-entry.ts";
import { encodeBatches, type WriteBatch } from "../../src/log/wal-records.ts";
import { encodeManifest, type StoredManifest } from "../../src/manifest/manifest-codec.ts";
import type { FullTextOptions } from "../../src/model/full-text-options.ts";
import type { NamespaceSettings } from "../../src/model/namespace-settings.ts";
import type { Schema } from "../../src/model/schema.ts";
import type { SegmentEntry } from "../../src/model/segment-entry.ts";
import { encodeTermCounts } from "../../src/segment/deletions/counted-deletions.ts";
import type { Tombstones } from "../../src/segment/deletions/tombstones.ts";
import { putTombstones } from "../../src/segment/segment-objects.ts";
import { manifestKey, segmentKey } from "../../src/storage/object-keys.ts";
import {
  type BackupIndex,
  encodeIndex,
  indexKey,
} from "../../src/transfer/backups/backup-index.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";
import { GOLDEN_SCHEMA, goldenColumns } from "./golden-documents.ts";
import { goldenSegments, goldenStoredSegment } from "./golden-segments.ts";

/** The namespace of the objects, and its generation. */
export const AT = { name: namespaceName("golden"), generation: 2 };
/** Sequence number of the log entries. */
export const SEQUENCE = sequenceNumber(12);
/** Version of the manifests. */
export const VERSION = 3;

const SETTINGS: NamespaceSettings = {
  createdAtMs: 1_700_000_000_000,
  updatedAtMs: 1_700_000_001_000,
  lastWriteAtMs: 1_700_000_000_500,
  readOnly: true,
  pinning: { replicas: 2, updatedAtMs: 1_700_000_000_900 },
  shardCount: 4,
  encryption: { kind: "customer_managed", keyName: "mine" },
  parent: "source",
};

const OLD_TEXT: FullTextOptions = {
  tokenizer: "word_v1",
  language: "english",
  stemming: true,
  removeStopwords: false,
  caseSensitive: false,
  asciiFolding: false,
  maxTokenLength: 39,
  k1: 1.2,
  b: 0.75,
  k3: 8,
};

const SEGMENTS: readonly SegmentEntry[] = [
  {
    id: "s1" as SegmentId,
    documentCount: 10,
    bytes: 999,
    deletedCount: 3,
    head: "AAAA",
    tombstoneObject: "s1.live-1-0123456789abcdef",
    indexFingerprint: "mark",
  },
  {
    id: "s2" as SegmentId,
    documentCount: 5,
    bytes: 500,
    deletedCount: 0,
    head: "AQID",
    indexFingerprint: "mark",
    owner: { name: namespaceName("other"), generation: 7 },
  },
];

/** Of the log entry: one batch of each kind of record. */
const BATCHES: readonly WriteBatch[] = [
  [
    { kind: "schema", schema: GOLDEN_SCHEMA },
    { kind: "settings", settings: SETTINGS },
    { kind: "documents", documents: goldenColumns() },
  ],
  [],
  [
    {
      kind: "deletes",
      deletes: { idType: "string", count: 2, ids: buildIds("string", ["a", ""]) },
    },
  ],
  [{ kind: "import", source: "other", segments: SEGMENTS }],
  [{ kind: "delete_namespace" }],
];

/** After a drop: the name `bool` has a column of its own. */
const DROPPED: Schema = {
  ...GOLDEN_SCHEMA,
  attributes: new Map([
    ...GOLDEN_SCHEMA.attributes,
    ["bool", { type: { kind: "scalar", of: "string" }, filterable: true, column: "$1:bool" }],
  ]),
  dropCount: 1,
};

/** The head of the log entries. */
export const ENTRY: WalEntry = {
  generation: AT.generation,
  sequence: SEQUENCE,
  nonce: nonceFrom(1),
  timeMs: 1_700_000_000_123,
};

/** Batches by the name of their golden file. */
export const ENTRIES: Readonly<Record<string, readonly WriteBatch[]>> = {
  "wal-entry.bin": BATCHES,
  "wal-entry-drops.bin": [[{ kind: "schema", schema: DROPPED }]],
};

const MANIFEST: StoredManifest = {
  manifest: {
    version: VERSION,
    generation: AT.generation,
    indexedUpTo: SEQUENCE,
    createdAtMs: 1_700_000_000_000,
    updatedAtMs: 1_700_000_002_000,
    lastWriteAtMs: 1_700_000_000_500,
    state: {
      schema: GOLDEN_SCHEMA,
      settings: SETTINGS,
      activeTextOptions: new Map([["string", { options: OLD_TEXT, since: sequenceNumber(9) }]]),
    },
    segments: SEGMENTS,
  },
  nonce: nonceFrom(1),
  previousNonce: nonceFrom(101),
};

/** Manifests by the name of their golden file. */
export const MANIFESTS: Readonly<Record<string, StoredManifest>> = {
  "manifest.bin": MANIFEST,
  "manifest-drops.bin": {
    ...MANIFEST,
    manifest: {
      ...MANIFEST.manifest,
      state: { schema: DROPPED, settings: SETTINGS, activeTextOptions: new Map() },
    },
  },
};

const LIVE = Uint32Array.of(0xffff_fff0, 0b1111_0111);

/** Tombstones of `DOCUMENT_COUNT` documents by the name of their golden file. */
export const TOMBSTONES: Readonly<Record<string, Tombstones>> = {
  "tombstones.bin": { liveBitmap: LIVE },
  "counted-tombstones.bin": {
    liveBitmap: LIVE,
    counted: {
      // One has died since.
      liveBitmap: Uint32Array.of(0xffff_fff1, 0b1111_0111),
      terms: new Map([
        ["text", encodeTermCounts(Uint32Array.of(0, 1, 0, 300, 2))],
        ["$1:text", encodeTermCounts(Uint32Array.of())],
      ]),
    },
  },
};
/** The name of the tombstones. */
export const TOMBSTONE_NAME = "s1.live-1-0123456789abcdef" as SegmentId;
/** Documents of their segment. */
export const DOCUMENT_COUNT = 40;

/** The index file of a partial backup. */
export const BACKUP: BackupIndex = {
  created_at_ms: 1_700_000_003_000,
  namespaces: [
    {
      namespace: "golden",
      generation: 2,
      manifest_version: 3,
      sequence: 12,
      has_import: true,
      objects: [{ key: manifestKey(AT, VERSION), bytes: 2485, sha256: "0f".repeat(32) }],
    },
  ],
  lacks: ["other"],
};
/** Key of that file. */
export const BACKUP_KEY = indexKey(BACKUP.created_at_ms, "0123abcd");

function nonceFrom(first: number): Uint8Array {
  return Uint8Array.from({ length: 16 }, (_, index) => first + index);
}

/** A log entry as the object in the store. */
export async function encodeEntry(batches: readonly WriteBatch[]): Promise<Uint8Array> {
  return joinPieces(await encodeWalEntry(ENTRY, runSteps(encodeBatches(batches)), AT));
}

async function encodeTombstonesObject(tombstones: Tombstones): Promise<Uint8Array> {
  const store = new MemoryObjectStore();
  await putTombstones(store, AT, TOMBSTONE_NAME, tombstones);
  return (await store.get(segmentKey(AT, TOMBSTONE_NAME))) ?? new Uint8Array(0);
}

async function writeFiles(folder: string): Promise<void> {
  const write = (name: string, bytes: Uint8Array) => writeFile(join(folder, name), bytes);
  await write("columns.bin", encodeColumns(goldenColumns()));
  await write("stored-segment.bin", goldenStoredSegment());
  for (const [name, bytes] of Object.entries(goldenSegments())) await write(name, bytes);
  await write("backup.bin", await encodeIndex(BACKUP, BACKUP_KEY));
  for (const [name, batches] of Object.entries(ENTRIES))
    await write(name, await encodeEntry(batches));
  for (const [name, stored] of Object.entries(MANIFESTS))
    await write(name, await encodeManifest(stored, AT));
  for (const [name, tombstones] of Object.entries(TOMBSTONES))
    await write(name, await encodeTombstonesObject(tombstones));
}

if (import.meta.main) await writeFiles(process.argv[2]);
