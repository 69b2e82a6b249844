import { expect, test } from "vitest";
import { openSnapshot, schemaOf } from "../../../test/support/queries/query-fixture.ts";
import type { SegmentId } from "../../base/ids.ts";
import type { OpenSegment } from "../segment-reader.ts";
import type { MemtableDelta } from "./memtable-delta.ts";
import { SnapshotReplica } from "./snapshot-replica.ts";

test("counts come with a segment, or later; older snapshots keep what they have", () => {
  const documents = [1n, 2n, 3n].map((id) => ({ id, attributes: new Map() }));
  const [{ view }] = openSnapshot(schemaOf({}), [{ documents }]).segments;
  const replica = new SnapshotReplica(() => view as OpenSegment);
  const id = "a" as SegmentId;
  const nothing: MemtableDelta = { full: false, added: [], deleted: [], dropped: [] };
  const at = { kind: "memory", place: { arena: 0, offset: 0, bytes: 0 } } as const;
  const countsOf = (bits: number) => ({ liveBitmap: Uint32Array.of(bits), terms: new Map() });
  const tombstones = { liveBitmap: Uint32Array.of(0b110), counted: countsOf(0b110) };
  replica.apply({ ...nothing, added: [{ id, at, documentCount: 3, tombstones }] });
  const [first] = replica.segments;
  expect(first.counted).toEqual(countsOf(0b110));
  replica.apply({ ...nothing, deleted: [{ segment: id, ordinals: Uint32Array.of(1) }] });
  const [second] = replica.segments;
  replica.apply({ ...nothing, counted: [{ segment: id, counted: countsOf(0b100) }] });
  const [third] = replica.segments;
  replica.apply({ ...nothing, deleted: [{ segment: id, ordinals: Uint32Array.of(2) }] });
  expect([first, second, third].map(({ liveBitmap }) => liveBitmap[0])).toEqual([6, 4, 4]);
  expect(second.counted).toEqual(countsOf(0b110));
  expect(third.counted).toEqual(countsOf(0b100));
});
