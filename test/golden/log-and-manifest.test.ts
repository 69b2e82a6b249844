import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FORMAT_VERSIONS } from "../../src/base/format-versions.ts";
import { namespaceName, type SegmentId, sequenceNumber } from "../../src/base/ids.ts";
import { joinPieces } from "../../src/base/pieces.ts";
import { buildIds } from "../../src/codec/columns-builder.ts";
import { decodeFrame } from "../../src/codec/frame.ts";
import { decodeWalEntry, encodeWalEntry } from "../../src/log/wal-entry.ts";
import { decodeBatches, encodeBatches, type WriteBatch } from "../../src/log/wal-records.ts";
import { decodeManifest, encodeManifest } from "../../src/manifest/manifest-codec.ts";
import type { FullTextOptions } from "../../src/model/full-text-options.ts";
import type { NamespaceSettings } from "../../src/model/namespace-settings.ts";
import type { Schema } from "../../src/model/schema.ts";
import type { SegmentEntry } from "../../src/model/segment-entry.ts";
import { manifestKey, walKey } from "../../src/storage/object-keys.ts";
import { GOLDEN_SCHEMA, goldenColumns } from "./golden-documents.ts";

const AT = { name: namespaceName("golden"), generation: 2 };
const SEQUENCE = sequenceNumber(12);
const VERSION = 3;

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
    indexMark: "mark",
  },
  {
    id: "s2" as SegmentId,
    documentCount: 5,
    bytes: 500,
    deletedCount: 0,
    head: "AQID",
    home: { name: namespaceName("other"), generation: 7 },
  },
];

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

function golden(name: string): Uint8Array {
  return Uint8Array.from(readFileSync(new URL(`v1/${name}`, import.meta.url)));
}

/** What is in an object's frame; how well it is compressed is not part of the format. */
async function payloadOf(
  bytes: Uint8Array,
  kind: "WAL entry" | "manifest",
  object: string,
): Promise<Uint8Array> {
  return (await decodeFrame(bytes, { kind, object, ...FORMAT_VERSIONS[kind] })).payload;
}

test("a log entry of format version 1 is read as it was written", async () => {
  const entry = await decodeWalEntry(golden("wal-entry.bin"), AT, SEQUENCE);
  expect(entry.timeMs).toBe(1_700_000_000_123);
  expect(entry.nonce).toEqual(nonceFrom(1));
  const batches = decodeBatches(entry.records, walKey(AT, SEQUENCE));
  const plain = (list: readonly WriteBatch[]) => {
    // Columns may come back in another form, but they encode to the same bytes.
    return list.map((batch) => batch.filter(({ kind }) => kind !== "documents"));
  };
  expect(plain(batches)).toEqual(plain(BATCHES));
  expect(batches[0].length).toBe(3);
});

test("the payload of a log entry is written as in format version 1", async () => {
  const timeMs = 1_700_000_000_123;
  const entry = { generation: AT.generation, sequence: SEQUENCE, nonce: nonceFrom(1), timeMs };
  const object = joinPieces(await encodeWalEntry(entry, encodeBatches(BATCHES), AT));
  const key = walKey(AT, SEQUENCE);
  const written = await payloadOf(object, "WAL entry", key);
  expect(written).toEqual(await payloadOf(golden("wal-entry.bin"), "WAL entry", key));
});

test("a manifest of format version 1 is read as it was, and written with its payload", async () => {
  const stored = await decodeManifest(golden("manifest.bin"), AT, VERSION);
  const { manifest } = stored;
  expect(manifest).toMatchObject({
    version: VERSION,
    generation: AT.generation,
    indexedUpTo: SEQUENCE,
    createdAtMs: 1_700_000_000_000,
    updatedAtMs: 1_700_000_002_000,
    lastWriteAtMs: 1_700_000_000_500,
    state: {
      schema: GOLDEN_SCHEMA,
      settings: SETTINGS,
      activeTextOptions: new Map([["string", { options: OLD_TEXT, since: 9 }]]),
    },
    segments: SEGMENTS,
  });
  expect(stored.nonce).toEqual(nonceFrom(1));
  expect(stored.previousNonce).toEqual(nonceFrom(101));
  const key = manifestKey(AT, VERSION);
  const written = await payloadOf(await encodeManifest(stored, AT), "manifest", key);
  expect(written).toEqual(await payloadOf(golden("manifest.bin"), "manifest", key));
});

/** After a drop: the name `bool` has a column of its own. */
const DROPPED: Schema = {
  ...GOLDEN_SCHEMA,
  attributes: new Map([
    ...GOLDEN_SCHEMA.attributes,
    ["bool", { type: { kind: "scalar", of: "string" }, filterable: true, column: "$1:bool" }],
  ]),
  dropCount: 1,
};

test("a schema after drops is read from the log as it was written, and written so", async () => {
  const batches: readonly WriteBatch[] = [[{ kind: "schema", schema: DROPPED }]];
  const entry = await decodeWalEntry(golden("wal-entry-drops.bin"), AT, SEQUENCE);
  const key = walKey(AT, SEQUENCE);
  expect(decodeBatches(entry.records, key)).toEqual(batches);
  const head = { generation: AT.generation, sequence: SEQUENCE, nonce: nonceFrom(1), timeMs: 5 };
  const written = joinPieces(await encodeWalEntry(head, encodeBatches(batches), AT));
  expect(await payloadOf(written, "WAL entry", key)).toEqual(
    await payloadOf(golden("wal-entry-drops.bin"), "WAL entry", key),
  );
});

test("a manifest of format version 2 is read as it was written, and written so again", async () => {
  const stored = await decodeManifest(golden("../v2/manifest.bin"), AT, VERSION);
  expect(stored.manifest.state.schema).toEqual(DROPPED);
  const key = manifestKey(AT, VERSION);
  const written = await payloadOf(await encodeManifest(stored, AT), "manifest", key);
  expect(written).toEqual(await payloadOf(golden("../v2/manifest.bin"), "manifest", key));
});

function nonceFrom(first: number): Uint8Array {
  return Uint8Array.from({ length: 16 }, (_, index) => first + index);
}
