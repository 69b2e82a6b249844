/** Servers over one store that index and collect at once, for tests of what namespaces share. */

import type { ObjectStore } from "../../../src/storage/object-store.ts";
import type { MemoryObjectStore } from "../stores/memory-object-store.ts";
import { EngineFixture, type TestKeys } from "./engine-fixture.ts";

/** Every entry is worth indexing. */
export const INDEX_AT_ONCE = { indexTailEntries: 1 };

/** A document. */
export const row = (id: number, text = `text ${id}`) => ({ id, text, n: id % 3 });

/** Documents 0 to `count` - 1. */
export const rowsUpTo = (count: number) => Array.from({ length: count }, (_, id) => row(id));

/** Keys of namespaces that have `part` in them. */
export async function keysOf(store: ObjectStore, part = ""): Promise<string[]> {
  const { keys } = await store.list({ prefix: "namespaces/", limit: 10_000 });
  return keys.filter((key) => key.includes(part));
}

/** Collects in several passes, so that what the first ones uncover is seen by the next. */
export async function collect(store: MemoryObjectStore): Promise<void> {
  const server = await open(store);
  for (let pass = 0; pass < 4; pass++) {
    const indexer = server.indexer();
    await indexer.pass();
    await indexer.pass();
  }
  await server.close();
}

/** Starts a server. */
export function open(store: ObjectStore, keys?: TestKeys): Promise<EngineFixture> {
  return EngineFixture.open({ store, thresholds: INDEX_AT_ONCE, ...(keys && { keys }) });
}
