import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { namespaceName, type SegmentId } from "../../src/base/ids.ts";
import { encodeTermCounts } from "../../src/segment/deletions/counted-deletions.ts";
import { encodeTombstones, type Tombstones } from "../../src/segment/deletions/tombstones.ts";
import { getTombstones } from "../../src/segment/segment-objects.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";
import { segmentKey } from "../../src/storage/object-keys.ts";
import { ALWAYS } from "../../src/storage/object-store.ts";

const AT = { name: namespaceName("golden"), generation: 2 };
const NAME = "s1.live-1-0123456789abcdef" as SegmentId;
const DOCUMENT_COUNT = 40;

const LIVE = Uint32Array.of(0xffff_fff0, 0b1111_0111);
const TOMBSTONES: Readonly<Record<string, Tombstones>> = {
  v1: { liveBitmap: LIVE },
  v2: {
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

function golden(version: string): Uint8Array {
  return Uint8Array.from(readFileSync(new URL(`${version}/tombstones.bin`, import.meta.url)));
}

test.each(Object.entries(TOMBSTONES))(
  "tombstones of %s are read as they were written",
  async (version, expected) => {
    const store = new MemoryObjectStore();
    await store.put(segmentKey(AT, NAME), golden(version), ALWAYS);
    const of = { name: NAME, documentCount: DOCUMENT_COUNT };
    expect(await getTombstones(store, AT, of)).toEqual(expected);
  },
);

test.each(Object.entries(TOMBSTONES))(
  "tombstones of %s are written as before",
  (version, tombstones) => {
    const { payload } = encodeTombstones(tombstones);
    // The payload, behind the header of the frame, is too short to be compressed.
    expect(golden(version).subarray(32)).toEqual(payload);
  },
);
