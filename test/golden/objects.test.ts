import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { FORMAT_VERSIONS } from "../../src/base/format-versions.ts";
import { decodeFrame } from "../../src/codec/frame.ts";
import { decodeWalEntry } from "../../src/log/wal-entry.ts";
import { decodeBatches, type WriteBatch } from "../../src/log/wal-records.ts";
import { decodeManifest, encodeManifest } from "../../src/manifest/manifest-codec.ts";
import { encodeTombstones } from "../../src/segment/deletions/tombstones.ts";
import { getTombstones } from "../../src/segment/segment-objects.ts";
import { manifestKey, segmentKey, walKey } from "../../src/storage/object-keys.ts";
import { ALWAYS } from "../../src/storage/object-store.ts";
import { decodeIndex } from "../../src/transfer/backups/backup-index.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";
import {
  AT,
  BACKUP,
  BACKUP_KEY,
  DOCUMENT_COUNT,
  ENTRIES,
  ENTRY,
  encodeEntry,
  MANIFESTS,
  SEQUENCE,
  TOMBSTONE_NAME,
  TOMBSTONES,
  VERSION,
} from "./golden-objects.ts";

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

test.each(Object.entries(ENTRIES))(
  "the log entry %s of format version 1 is read as it was written, and written so again",
  async (name, batches) => {
    const { records, ...entry } = await decodeWalEntry(golden(name), AT, SEQUENCE);
    expect(entry).toEqual(ENTRY);
    const key = walKey(AT, SEQUENCE);
    const decoded = decodeBatches(records, key);
    const plain = (list: readonly WriteBatch[]) => {
      // Columns may come back in another form, but they encode to the same bytes.
      return list.map((batch) => batch.filter(({ kind }) => kind !== "documents"));
    };
    expect(plain(decoded)).toEqual(plain(batches));
    expect(decoded.map(({ length }) => length)).toEqual(batches.map(({ length }) => length));
    for (const written of [await encodeEntry(batches), await encodeEntry(decoded)])
      expect(await payloadOf(written, "WAL entry", key)).toEqual(
        await payloadOf(golden(name), "WAL entry", key),
      );
  },
);

test.each(Object.entries(MANIFESTS))(
  "the manifest %s of format version 1 is read as it was written, and written so again",
  async (name, expected) => {
    const stored = await decodeManifest(golden(name), AT, VERSION);
    expect(stored).toEqual(expected);
    const key = manifestKey(AT, VERSION);
    const written = await payloadOf(await encodeManifest(stored, AT), "manifest", key);
    expect(written).toEqual(await payloadOf(golden(name), "manifest", key));
  },
);

test.each(Object.entries(TOMBSTONES))(
  "the tombstones %s of format version 1 are read as they were written, and written so again",
  async (name, expected) => {
    const store = new MemoryObjectStore();
    await store.put(segmentKey(AT, TOMBSTONE_NAME), golden(name), ALWAYS);
    const of = { name: TOMBSTONE_NAME, documentCount: DOCUMENT_COUNT };
    expect(await getTombstones(store, AT, of)).toEqual(expected);
    // The payload, behind the header of the frame, is too short to be compressed.
    expect(golden(name).subarray(32)).toEqual(encodeTombstones(expected));
  },
);

test("the index file of a backup of format version 1 is read as it was written", async () => {
  expect(await decodeIndex(golden("backup.bin"), BACKUP_KEY)).toEqual(BACKUP);
});
