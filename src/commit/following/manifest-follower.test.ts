/** Servers follow the manifests of indexers, whatever was in the way for a while. */

import { expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { EngineFixture } from "../../../test/support/engine/engine-fixture.ts";
import { keysOf } from "../../../test/support/engine/sharing-server.ts";
import { schemaOf } from "../../../test/support/queries/query-fixture.ts";
import { FaultyObjectStore } from "../../../test/support/stores/faulty-object-store.ts";
import { HookedObjectStore } from "../../../test/support/stores/hooked-object-store.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { DatabaseError } from "../../base/errors.ts";
import { namespaceName } from "../../base/ids.ts";
import { seededRandom } from "../../base/random.ts";
import { oneStep, runSteps, type Steps } from "../../base/steps.ts";
import type { NamespaceFacts } from "../../namespace/namespace-facts.ts";
import { newSegmentId } from "../../segment/format/segment-id.ts";
import type { StoredSegment } from "../../segment/memtable/stored-segments.ts";
import { segmentKey } from "../../storage/object-keys.ts";
import { ALWAYS } from "../../storage/object-store.ts";
import { GARBAGE_GRACE_MS } from "../../threads/open-indexer.ts";
import type { NamespaceLog } from "../opened/namespace-log.ts";
import type { NamespaceOptions, OpenedNamespace } from "../opened/namespace-options.ts";
import { ManifestFollower } from "./manifest-follower.ts";

const AT = { name: namespaceName("n"), generation: 1 };
const thresholds = { indexTailEntries: 2 };
const upsert = (...ids: number[]) => ({ upsert_rows: ids.map((id) => ({ id })) });

test("a server that could not read manifests for long follows them again", async () => {
  const store = new HookedObjectStore();
  const clock = new InstantClock();
  const server = await EngineFixture.open({ store, clock, thresholds });
  const other = await EngineFixture.open({ store, clock, thresholds });
  const indexer = other.indexer({ graceMs: GARBAGE_GRACE_MS });
  for (const id of [1, 2]) await server.write("n", upsert(id));
  await indexer.pass();
  await server.follow();
  for (const id of [3, 4]) await server.write("n", upsert(id));
  await indexer.pass();
  // What a builder left makes the collector put one more version.
  const orphan = segmentKey(AT, newSegmentId(2, seededRandom(3)));
  await store.put(orphan, Uint8Array.of(1), ALWAYS);
  for (let round = 0; round < 150; round++) {
    store.before = async (key) => {
      if (key.includes("/manifest/")) throw new DatabaseError("unavailable", "no connection");
    };
    server.catalog.use([AT.name]);
    await server.catalog.follow(clock.monotonicMs());
    store.before = undefined;
    await clock.sleep(10_000);
    await indexer.pass();
  }
  const versions = await keysOf(store, "/manifest/");
  expect(versions.map((key) => Number(key.split("/").at(-1)))).toEqual([3]);
  for (let round = 0; round < 3; round++) {
    await clock.sleep(10_000);
    server.catalog.use([AT.name]);
    await server.catalog.follow(clock.monotonicMs());
    await server.catalog.settle();
  }
  const { documentCount, index } = (await server.catalog.get(AT.name)).state();
  expect([documentCount, index.unindexedCount]).toEqual([4, 0]);
  await server.close();
  await other.close();
});

test("a manifest is taken over also while writes never pause", async () => {
  const inner = new MemoryObjectStore();
  const clock = new InstantClock();
  const rates = { before: 0, after: 0, delayMsMax: 4 };
  const store = new FaultyObjectStore({ store: inner, random: seededRandom(1), clock, rates });
  const server = await EngineFixture.open({ store, thresholds });
  const other = await EngineFixture.open({ store: inner, thresholds });
  for (const id of [1, 2]) await server.write("n", upsert(id));
  await other.indexer().pass();
  let written = 0;
  let isOver = false;
  const writers = Array.from({ length: 16 }, async (_, writer) => {
    for (let id = 0; id < 60 && !isOver; id++) {
      await server.write("n", upsert(1000 * writer + id));
      written++;
    }
  });
  await (await server.catalog.get(AT.name)).refresh();
  isOver = true;
  const writtenBefore = written;
  await Promise.all(writers);
  expect(writtenBefore).toBeLessThan(300);
  await server.close();
  await other.close();
});

test("nothing is taken over where the look at the new segments fails", async () => {
  const state = { schema: schemaOf({}), activeTextOptions: new Map() };
  const stored = { segment: { view: { id: "a" } } } as StoredSegment;
  const adopted: number[] = [];
  const documents = {
    stored: [stored],
    deletionsIn: () => oneStep(() => new Map()),
    adopt: ({ indexedUpTo }: { readonly indexedUpTo: number }) => adopted.push(indexedUpTo),
  };
  const manifest = { version: 7, indexedUpTo: 3, segments: [{ id: "a" }], state };
  const reads = { runInSteps: async (attempt: () => Steps<unknown>) => runSteps(attempt()) };
  const options = { clock: new InstantClock(), reads, storeFor: () => undefined };
  const opened = { documents, manifests: { load: async () => manifest } };
  const log = { forget: () => {} };
  const follower = new ManifestFollower(
    options as unknown as NamespaceOptions,
    opened as unknown as OpenedNamespace,
    { log: log as unknown as NamespaceLog, retain: () => () => {} },
  );
  const facts = () => ({ ...state, sequence: 3 }) as unknown as NamespaceFacts;
  expect(await follower.poll(facts, true)).toEqual({ kind: "newer" });
  const fails = follower.adopt(() => Promise.reject(new Error("unreadable")));
  await expect(fails).rejects.toThrow("unreadable");
  expect([adopted, follower.version, follower.isReady]).toEqual([[], 0, false]);
  const looked: unknown[] = [];
  expect(await follower.poll(facts, true)).toEqual({ kind: "newer" });
  await follower.adopt(async (segments) => void looked.push(...segments));
  expect([adopted, follower.version, looked]).toEqual([[3], 7, [stored]]);
});

test("a manifest from before a copy is passed over, and the next one is not", async () => {
  const store = new MemoryObjectStore();
  const server = await EngineFixture.open({ store, thresholds });
  const other = await EngineFixture.open({ store, thresholds });
  await server.write("from", upsert(1, 2));
  await server.write("from", upsert(3));
  await other.indexAll();
  await server.write("n", upsert(7, 8));
  await server.write("n", { deletes: [7, 8] });
  // The indexer has the entries before the copy; the server hears of its manifest only later.
  await other.indexer().pass();
  await server.write("n", { copy_from_namespace: "from" });
  const before = (await server.catalog.get(AT.name)).instance;
  await server.follow();
  const after = await server.catalog.get(AT.name);
  expect(after.instance).toBe(before);
  expect(server.logs.filter(({ level }) => level !== "info")).toEqual([]);
  expect((await server.rows("n"))?.map(({ id }) => id)).toEqual([1, 2, 3]);
  await server.write("n", upsert(4, 5));
  await other.indexAll();
  await server.follow();
  expect(after.state()).toMatchObject({ documentCount: 5, index: { unindexedCount: 0 } });
  expect((await server.rows("n"))?.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5]);
  await server.close();
  await other.close();
});

test("counts of deleted terms come with the manifest that has them", async () => {
  const store = new MemoryObjectStore();
  const server = await EngineFixture.open({ store });
  const schema = { text: { type: "string", full_text_search: true } };
  const row = (id: number) => ({ id, text: `fox ${id}` });
  await server.write("n", { upsert_rows: [1, 2, 3, 4].map(row), schema });
  await server.indexAll();
  await server.write("n", { deletes: [2] });
  const [before] = (await server.catalog.get(AT.name)).stored;
  expect(before.segment.counted).toBeUndefined();
  await server.indexAll();
  const [{ segment }] = (await server.catalog.get(AT.name)).stored;
  expect(segment).toBe(before.segment);
  expect(segment.counted?.liveBitmap).toEqual(segment.liveBitmap);
  // Whoever looks at it now goes on.
  await server.write("n", { deletes: [3] });
  expect(segment.counted?.liveBitmap).not.toEqual(segment.liveBitmap);
  expect(segment.frozen.counted).toBe(segment.counted);
  await server.close();
});

test("damaged counts are passed over by whoever has the segment already", async () => {
  const store = new MemoryObjectStore();
  const server = await EngineFixture.open({ store });
  const schema = { text: { type: "string", full_text_search: true } };
  const row = (id: number) => ({ id, text: `fox ${id}` });
  await server.write("n", { upsert_rows: [1, 2, 3, 4].map(row), schema });
  await server.indexAll();
  await server.write("n", { deletes: [2] });
  const put = store.put.bind(store);
  store.put = (key, body, condition) =>
    put(key, key.includes(".live-") ? new Uint8Array(40) : body, condition);
  await server.indexAll();
  const namespace = await server.catalog.get(AT.name);
  expect(namespace.stored[0].segment.counted).toBeUndefined();
  expect(namespace.state().index.unindexedCount).toBe(0);
  const found = await server.call("query", "n", { rank_by: ["text", "BM25", "fox"], limit: 9 });
  expect(found.json.rows).toHaveLength(3);
  await server.close();
});
