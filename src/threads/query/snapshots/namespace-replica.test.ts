import { describe, expect, test } from "vitest";
import {
  documentOf,
  openSnapshot,
  schemaOf,
} from "../../../../test/support/queries/query-fixture.ts";
import { must } from "../../../base/assert.ts";
import type { SegmentId } from "../../../base/ids.ts";
import type { NamespaceInstance, NamespaceState } from "../../../namespace/published-state.ts";
import type { MemtableDelta } from "../../../segment/memtable/memtable-delta.ts";
import type { OpenSegment } from "../../../segment/segment-reader.ts";
import { objectKey } from "../../../storage/object-store.ts";
import type { NamespaceUpdate } from "../../thread-messages.ts";
import { NamespaceReplica } from "./namespace-replica.ts";

const OBJECT = objectKey("namespaces/n-table/0000000001/segments/a");

const SCHEMA = schemaOf({});
const VIEWS = openSnapshot(
  SCHEMA,
  [0, 10, 20].map((from) => ({
    documents: [documentOf(BigInt(from)), documentOf(BigInt(from + 1))],
  })),
).segments.map(({ view }) => view as OpenSegment);
const [A, B, C] = VIEWS.map(({ id }) => id);

function stateOf(facts: Partial<NamespaceState> = {}): NamespaceState {
  const instance = "movies/1/1" as NamespaceInstance;
  const index = { isUpToDate: true, unindexedBytes: 0, unindexedCount: 0 };
  return { instance, schema: SCHEMA, index, logicalBytes: 0, ...facts } as NamespaceState;
}

function update(
  version: number,
  change: Partial<MemtableDelta> & { readonly ids?: readonly SegmentId[] },
  facts: Partial<NamespaceState> = {},
): NamespaceUpdate {
  const { ids = [], ...rest } = change;
  const at = { kind: "memory", place: { arena: 0, offset: 0, bytes: 0 } } as const;
  const added = ids.map((id) => ({ id, at, documentCount: 2 }));
  const delta = { full: false, added, deleted: [], dropped: [], ...rest };
  return { deltas: [{ version, change: delta }], state: stateOf(facts), version };
}

function replicaOf(first: NamespaceUpdate) {
  const applied: number[] = [];
  const replica = new NamespaceReplica(first, {
    open: ({ id }) =>
      must(
        VIEWS.find((view) => view.id === id),
        "no such segment",
      ),
    applied: (_instance, version) => applied.push(version),
  });
  return { replica, applied };
}

const idsOf = (replica: NamespaceReplica) => replica.snapshot().segments.map(({ view }) => view.id);

test("a snapshot has the segments and the facts of the last update", () => {
  const { replica } = replicaOf(update(3, { full: true, ids: [A, B] }));
  expect([idsOf(replica), replica.version]).toEqual([[A, B], 3]);
  replica.apply(update(4, { ids: [C], dropped: [A] }, { logicalBytes: 9 }));
  expect([idsOf(replica), replica.version]).toEqual([[B, C], 4]);
  expect(replica.snapshot().logicalBytes).toBe(9);
});

test("stored segments are those of the last update, and none once it is retired", () => {
  const { replica } = replicaOf(update(3, { full: true, ids: [A] }));
  const at = { kind: "stored", object: OBJECT, head: new Uint8Array() } as const;
  const added = [B, C].map((id) => ({ id, at, documentCount: 2 }));
  replica.apply(update(4, { added }));
  expect(replica.storedSegments.map(({ id }) => id)).toEqual([B, C]);
  replica.apply(update(5, { dropped: [A, B] }));
  expect(replica.storedSegments).toEqual([VIEWS[2]]);
  replica.apply(update(6, {}, { retired: true }));
  expect(replica.storedSegments).toEqual([]);
});

describe("what is told to be applied", () => {
  test("is the newest version, while no query retains segments", () => {
    const { replica, applied } = replicaOf(update(3, { full: true, ids: [A] }));
    replica.apply(update(4, { ids: [B] }));
    expect(applied).toEqual([3, 4]);
  });

  test("is the version of the oldest query that does, until it has ended", () => {
    const { replica, applied } = replicaOf(update(1, { full: true, ids: [A] }));
    const releaseFirst = replica.retain();
    replica.apply(update(2, { ids: [B], dropped: [A] }));
    const releaseSecond = replica.retain();
    replica.apply(update(3, { dropped: [B] }));
    releaseFirst();
    releaseSecond();
    expect(applied).toEqual([1, 2, 3]);
  });

  test("is told of a retired instance, too", () => {
    const { replica, applied } = replicaOf(update(1, { full: true, ids: [A] }));
    const release = replica.retain();
    replica.apply(update(2, { full: true }, { retired: true }));
    release();
    expect(applied).toEqual([1, 2]);
    expect(replica.state.retired).toBe(true);
  });
});

describe("the snapshot of another thread's query", () => {
  const first = update(5, { full: true, ids: [A, B, C] });

  test("has the query's segments in its order, with the documents that are live now", () => {
    const { replica } = replicaOf(first);
    const seen = replica.snapshotAt(5, [C, A]);
    replica.apply(update(6, { deleted: [{ segment: C, ordinals: Uint32Array.of(0) }] }));
    expect(seen?.segments.map(({ view, liveCount }) => [view.id, liveCount])).toEqual([
      [C, 2],
      [A, 2],
    ]);
    const after = replica.snapshotAt(6, [C]);
    expect(after?.segments.map(({ liveCount }) => liveCount)).toEqual([1]);
  });

  test("is none at another version, or where a segment is not here", () => {
    const { replica } = replicaOf(first);
    expect(replica.snapshotAt(4, [A])).toBeUndefined();
    expect(replica.snapshotAt(6, [A])).toBeUndefined();
    expect(replica.snapshotAt(5, [A, "other" as SegmentId])).toBeUndefined();
  });
});
