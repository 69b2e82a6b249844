import { expect, test } from "vitest";
import { type NamespaceName, namespaceName, type SegmentId } from "../../../base/ids.ts";
import type { NamespaceInstance, NamespaceState } from "../../../namespace/published-state.ts";
import type { MemtableDelta } from "../../../segment/memtable/memtable-delta.ts";
import type { NamespaceUpdate } from "../../thread-messages.ts";
import { PENDING_DELTAS_MAX, SnapshotDirectory } from "./snapshot-directory.ts";

const NAME: NamespaceName = namespaceName("movies");
const INSTANCE = "movies/1/1" as NamespaceInstance;

function stateOf(instance: NamespaceInstance, retired = false): NamespaceState {
  return { instance, retired } as NamespaceState;
}

function delta(added: string[], dropped: string[] = []): MemtableDelta {
  return {
    full: false,
    added: added.map((id) => ({
      id: id as SegmentId,
      at: { kind: "memory" as const, place: { arena: 0, offset: 64, bytes: 10 } },
      documentCount: 40,
    })),
    deleted: [],
    dropped: dropped as SegmentId[],
  };
}

function recorder() {
  const updates: [number, NamespaceUpdate][] = [];
  const releases: [NamespaceInstance, number][] = [];
  const directory = new SnapshotDirectory({
    update: (thread, update) => updates.push([thread, update]),
    release: (instance, version) => releases.push([instance, version]),
  });
  return { directory, updates, releases };
}

test("a thread's first update is the whole state, the next ones are deltas", () => {
  const { directory } = recorder();
  directory.publish(NAME, [{ version: 1, change: delta(["a"]) }], stateOf(INSTANCE));
  directory.publish(NAME, [{ version: 2, change: delta(["b"]) }], stateOf(INSTANCE));
  const first = directory.updateFor(0, INSTANCE);
  expect(first?.deltas.map(({ change }) => change.full)).toEqual([true]);
  expect(first?.deltas[0].change.added.map(({ id }) => id)).toEqual(["a", "b"]);
  expect(directory.updateFor(0, INSTANCE)).toBeUndefined();
  directory.publish(NAME, [{ version: 3, change: delta(["c"]) }], stateOf(INSTANCE));
  const next = directory.updateFor(0, INSTANCE);
  expect(next?.deltas.map(({ version, change }) => [version, change.full])).toEqual([[3, false]]);
});

test("the whole state carries which documents were deleted", () => {
  const { directory } = recorder();
  directory.publish(NAME, [{ version: 1, change: delta(["a"]) }], stateOf(INSTANCE));
  const deleted = [{ segment: "a" as SegmentId, ordinals: Uint32Array.of(3, 39) }];
  const change = { ...delta([]), deleted };
  directory.publish(NAME, [{ version: 2, change }], stateOf(INSTANCE));
  const { tombstones } = directory.updateFor(0, INSTANCE)?.deltas[0].change.added[0] ?? {};
  expect(tombstones?.liveBitmap).toEqual(Uint32Array.of(0xffffffff & ~(1 << 3), 0x7f));
});

test("the whole state carries the newest counts of deleted terms", () => {
  const { directory } = recorder();
  const segment = "a" as SegmentId;
  const deleted = [{ segment, ordinals: Uint32Array.of(3) }];
  directory.publish(NAME, [{ version: 1, change: delta(["a"]) }], stateOf(INSTANCE));
  directory.publish(NAME, [{ version: 2, change: { ...delta([]), deleted } }], stateOf(INSTANCE));
  const terms = new Map([["text", Uint8Array.of(1, 1)]]);
  const counted = { liveBitmap: Uint32Array.of(0xffffffff & ~(1 << 3), 0xff), terms };
  const change = { ...delta([]), counted: [{ segment, counted }] };
  directory.publish(NAME, [{ version: 3, change }], stateOf(INSTANCE));
  const { tombstones } = directory.updateFor(0, INSTANCE)?.deltas[0].change.added[0] ?? {};
  expect(tombstones).toEqual({ liveBitmap: counted.liveBitmap, counted });
});

test("dropped segments are released when every thread that could read them has let go", () => {
  const { directory, updates, releases } = recorder();
  directory.publish(NAME, [{ version: 1, change: delta(["a", "b"]) }], stateOf(INSTANCE));
  directory.updateFor(0, INSTANCE);
  directory.updateFor(1, INSTANCE);
  directory.publish(NAME, [{ version: 2, change: delta(["c"], ["a", "b"]) }], stateOf(INSTANCE));
  expect(updates.map(([thread]) => thread)).toEqual([0, 1]);
  directory.applied(0, INSTANCE, 2);
  expect(releases).toEqual([]);
  directory.applied(1, INSTANCE, 2);
  expect(releases).toEqual([[INSTANCE, 2]]);
});

test("segments that no thread ever read are released at once", () => {
  const { directory, releases } = recorder();
  directory.publish(NAME, [{ version: 1, change: delta(["a"]) }], stateOf(INSTANCE));
  directory.publish(NAME, [{ version: 2, change: delta(["b"], ["a"]) }], stateOf(INSTANCE));
  expect(releases).toEqual([[INSTANCE, 2]]);
});

test("a thread that lags too far behind gets the whole state again", () => {
  const { directory } = recorder();
  directory.publish(NAME, [{ version: 1, change: delta(["a"]) }], stateOf(INSTANCE));
  directory.updateFor(0, INSTANCE);
  for (let i = 0; i <= PENDING_DELTAS_MAX; i++) {
    directory.publish(NAME, [{ version: 2 + i, change: delta([`s${i}`]) }], stateOf(INSTANCE));
  }
  const update = directory.updateFor(0, INSTANCE);
  expect(update?.deltas).toHaveLength(1);
  expect(update?.deltas[0].change.full).toBe(true);
});

test("a retired instance is not current, and is released after the readers let go", () => {
  const { directory, updates, releases } = recorder();
  directory.publish(NAME, [{ version: 1, change: delta(["a"]) }], stateOf(INSTANCE));
  directory.updateFor(0, INSTANCE);
  const gone = { version: 2, change: { ...delta([], ["a"]), full: true } };
  directory.publish(NAME, [gone], stateOf(INSTANCE, true));
  expect(directory.state(NAME)).toBeUndefined();
  const successor = "movies/2/2" as NamespaceInstance;
  directory.publish(NAME, [{ version: 1, change: delta(["x"]) }], stateOf(successor));
  expect(directory.state(NAME)?.instance).toBe(successor);
  expect(updates).toHaveLength(1);
  directory.applied(0, INSTANCE, 2);
  expect(releases).toEqual([[INSTANCE, 2]]);
});

test("a thread is brought to just the version that another one sees", () => {
  const { directory } = recorder();
  const stateAt = (version: number) => ({ ...stateOf(INSTANCE), documentCount: version });
  const publish = (...versions: number[]) => {
    const deltas = versions.map((version) => ({ version, change: delta([`s${version}`]) }));
    directory.publish(NAME, deltas, stateAt(versions.at(-1) as number));
  };
  publish(1);
  // The whole state is that of the newest version alone.
  expect(directory.updateTo(0, INSTANCE, 1)?.update?.version).toBe(1);
  expect(directory.updateTo(0, INSTANCE, 1)).toEqual({ update: undefined });
  publish(2, 3);
  publish(4);
  expect(directory.updateTo(1, INSTANCE, 3)).toBeUndefined();
  // No query has seen what is inside of a publication.
  expect(directory.updateTo(0, INSTANCE, 2)).toBeUndefined();
  const { update } = directory.updateTo(0, INSTANCE, 3) ?? {};
  expect(update?.deltas.map(({ version }) => version)).toEqual([2, 3]);
  expect(update).toMatchObject({ version: 3, state: { documentCount: 3 } });
  expect(directory.updateTo(0, INSTANCE, 3)).toEqual({ update: undefined });
  const rest = directory.updateFor(0, INSTANCE);
  expect(rest?.deltas.map(({ version }) => version)).toEqual([4]);
  expect(rest?.state.documentCount).toBe(4);
  expect(directory.updateTo(0, INSTANCE, 3)).toBeUndefined();
});

test("no thread is brought to a retired version, nor one far behind to an older one", () => {
  const { directory } = recorder();
  directory.publish(NAME, [{ version: 1, change: delta(["a"]) }], stateOf(INSTANCE));
  directory.updateFor(0, INSTANCE);
  for (let version = 2; version <= PENDING_DELTAS_MAX + 3; version++) {
    directory.publish(NAME, [{ version, change: delta([]) }], stateOf(INSTANCE));
  }
  expect(directory.updateTo(0, INSTANCE, 3)).toBeUndefined();
  const newest = PENDING_DELTAS_MAX + 3;
  expect(directory.updateTo(0, INSTANCE, newest)?.update?.deltas[0].change.full).toBe(true);
  const version = newest + 1;
  directory.publish(NAME, [{ version, change: delta([], ["a"]) }], stateOf(INSTANCE, true));
  expect(directory.updateTo(0, INSTANCE, version)).toBeUndefined();
});
