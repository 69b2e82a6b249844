import { expect, test } from "vitest";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { type NamespaceName, namespaceName, sequenceNumber } from "../../base/ids.ts";
import { walKey } from "../../storage/object-keys.ts";
import { ALWAYS } from "../../storage/object-store.ts";
import { listNamespaces } from "./list-namespaces.ts";
import {
  announceDeletion,
  announcedDeletions,
  findGenerations,
  markDeleted,
  removeGeneration,
} from "./namespace-generations.ts";

async function storeWith(names: string[]): Promise<MemoryObjectStore> {
  const store = new MemoryObjectStore();
  for (const name of names) {
    for (const sequence of [1, 2, 3]) {
      const generation = { name: namespaceName(name), generation: 1 };
      await store.put(walKey(generation, sequenceNumber(sequence)), new Uint8Array(1), ALWAYS);
    }
  }
  return store;
}

test("names come in the byte order of their directories, page by page", async () => {
  const store = await storeWith(["demo", "demo-copy", "a", "..", "z.z"]);
  const found: string[] = [];
  let after: NamespaceName | undefined;
  for (;;) {
    const page = await listNamespaces(store, { prefix: "", after, pageSize: 2 });
    if (page.length === 0) break;
    found.push(...page);
    after = page.at(-1);
  }
  expect(found).toEqual(["..", "a", "demo-copy", "demo", "z.z"]);
});

test("a prefix matches names only, not the rest of their directories", async () => {
  const store = await storeWith(["demo", "demo-tables", "other"]);
  const list = (prefix: string) =>
    listNamespaces(store, { prefix, after: undefined, pageSize: 10 });
  expect(await list("demo-ta")).toEqual(["demo-tables"]);
  expect(await list("demo")).toEqual(["demo", "demo-tables"]);
});

test("names that are being removed are left out without shortening the page", async () => {
  const store = await storeWith(["a", "b", "c", "d"]);
  for (const name of ["a", "b"]) {
    const generation = { name: namespaceName(name), generation: 1 };
    await announceDeletion(store, generation);
    await markDeleted(store, generation);
  }
  const page = await listNamespaces(store, { prefix: "", after: undefined, pageSize: 2 });
  expect(page).toEqual(["c", "d"]);
});

test("a deleted generation's number is never used again", async () => {
  const store = await storeWith(["movies"]);
  const name = namespaceName("movies");
  const { live, next } = await findGenerations(store, name);
  expect(live?.generation).toBe(1);
  expect(next.generation).toBe(2);
  const generation = { name, generation: 1 };
  await announceDeletion(store, generation);
  expect(await announcedDeletions(store)).toEqual([generation]);
  await markDeleted(store, generation);
  expect((await findGenerations(store, name)).live).toBeUndefined();
  await removeGeneration(store, generation, { keepLog: false });
  expect(await announcedDeletions(store)).toEqual([]);
  expect(await findGenerations(store, name)).toEqual({
    live: undefined,
    next: { name, generation: 2 },
  });
});

test("a deleted name of which objects are left is not listed, one created again is", async () => {
  const store = await storeWith(["a", "b", "c", "d"]);
  for (const name of ["a", "b", "d"]) {
    await markDeleted(store, { name: namespaceName(name), generation: 1 });
  }
  const again = { name: namespaceName("b"), generation: 2 };
  await store.put(walKey(again, sequenceNumber(1)), new Uint8Array(1), ALWAYS);
  const list = (pageSize: number, name?: string) => {
    const after = name === undefined ? undefined : namespaceName(name);
    return listNamespaces(store, { prefix: "", after, pageSize });
  };
  expect(await list(10)).toEqual(["b", "c"]);
  expect(await list(1)).toEqual(["b"]);
  expect(await list(1, "b")).toEqual(["c"]);
  expect(await list(1, "c")).toEqual([]);
});
