import { expect, test } from "vitest";
import { namespaceName, type SegmentId, sequenceNumber } from "../../base/ids.ts";
import { seededRandom } from "../../base/random.ts";
import { firstManifest } from "../../manifest/manifest.ts";
import { type ManifestState, NO_ACTIVE_TEXT_OPTIONS } from "../../manifest/manifest-state.ts";
import { EMPTY_SCHEMA } from "../../model/schema.ts";
import type { SegmentEntry } from "../../model/segment-entry.ts";
import { newSegmentId, tombstoneName } from "../../segment/format/segment-id.ts";
import {
  coverageKey,
  deletedKey,
  manifestKey,
  pinKey,
  segmentKey,
  waitMarkKey,
  walKey,
} from "../../storage/object-keys.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import { pickGarbage } from "./garbage-picker.ts";

const AT = { name: namespaceName("books"), generation: 2 };
const random = seededRandom(7);
const STATE: ManifestState = {
  schema: EMPTY_SCHEMA,
  settings: { createdAtMs: 0, updatedAtMs: 0, readOnly: false, encryption: { kind: "default" } },
  activeTextOptions: NO_ACTIVE_TEXT_OPTIONS,
};

function named(id: SegmentId, changes: Partial<SegmentEntry> = {}): SegmentEntry {
  const indexFingerprint = "0123456789abcdef";
  return {
    id,
    documentCount: 1,
    bytes: 1,
    deletedCount: 0,
    head: "",
    indexFingerprint,
    ...changes,
  };
}

function wal(number: number): ObjectKey {
  return walKey(AT, sequenceNumber(number));
}

test("each kind of object is judged by the newest manifest", () => {
  const used = newSegmentId(2, random);
  const shared = newSegmentId(2, random);
  const lost = newSegmentId(1, random);
  const next = newSegmentId(5, random);
  const tombstones = tombstoneName(used, 4, random);
  const staleTombstones = tombstoneName(used, 3, random);
  const newest = {
    ...firstManifest(AT.generation, 0, STATE),
    version: 5,
    indexedUpTo: sequenceNumber(7),
    segments: [
      named(used, { tombstoneObject: tombstones, deletedCount: 1 }),
      named(shared, { owner: { name: namespaceName("other"), generation: 1 } }),
    ],
  };
  const reached = [
    wal(8),
    manifestKey(AT, 5),
    manifestKey(AT, 6),
    coverageKey(AT, sequenceNumber(7)),
    segmentKey(AT, used),
    segmentKey(AT, tombstones),
    segmentKey(AT, "of-no-builder" as SegmentId),
    pinKey(AT, { name: namespaceName("copy"), generation: 1 }, "0123456789abcdef"),
    deletedKey(AT),
  ];
  const unreachable = [
    wal(7),
    manifestKey(AT, 4),
    coverageKey(AT, sequenceNumber(6)),
    // What is shared lies at its owner; an object of that name here is somebody's lost race.
    segmentKey(AT, shared),
    segmentKey(AT, lost),
    segmentKey(AT, staleTombstones),
    waitMarkKey(AT, "0123456789abcdef"),
  ];
  const pending = [segmentKey(AT, next)];
  const picked = pickGarbage([...reached, ...unreachable, ...pending], AT, newest);
  expect(picked).toEqual({ unreachable, pending });
});

test("without a manifest, segments that an entry may import wait for the log", () => {
  const imported = segmentKey(AT, newSegmentId(0, random));
  const built = segmentKey(AT, newSegmentId(1, random));
  expect(pickGarbage([imported, built], AT, undefined).unreachable).toEqual([]);
  expect(pickGarbage([wal(1), imported, built], AT, undefined)).toEqual({
    unreachable: [imported],
    pending: [],
  });
});
