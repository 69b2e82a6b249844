import { expect, test } from "vitest";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { ALWAYS, type ListRequest, objectKey } from "./object-store.ts";
import { checkFormat, claimFormat } from "./store-format.ts";

const keysOf = async (store: MemoryObjectStore) => {
  return (await store.list({ prefix: "", limit: 10 })).keys;
};

test("a store is marked once, and opened by every program that reads its format", async () => {
  const store = new MemoryObjectStore();
  await claimFormat(store, "the store", { oldest: 1, newest: 2 });
  await claimFormat(store, "the store", { oldest: 1, newest: 2 });
  expect(await keysOf(store)).toEqual(["format/v2"]);
  await claimFormat(store, "the store", { oldest: 2, newest: 10 });
  expect(await keysOf(store)).toEqual(["format/v10", "format/v2"]);
  await expect(claimFormat(store, "it", { oldest: 2, newest: 9 })).rejects.toThrow("version 10");
});

test("a store is marked with version 1", async () => {
  const store = new MemoryObjectStore();
  await claimFormat(store, "the store");
  expect(await keysOf(store)).toEqual(["format/v1"]);
});

test("a program that is too old for a store, or too new, changes nothing there", async () => {
  const store = new MemoryObjectStore();
  await claimFormat(store, "the store", { oldest: 1, newest: 3 });
  const before = await keysOf(store);
  await expect(claimFormat(store, "the store", { oldest: 1, newest: 2 })).rejects.toMatchObject({
    code: "too_new",
    message: expect.stringMatching(
      /the store: its format has version 3, this program reads 1 to 2/,
    ),
  });
  await expect(claimFormat(store, "the store", { oldest: 4, newest: 4 })).rejects.toMatchObject({
    code: "too_old",
    message: expect.stringContaining("version 3, this program reads 4"),
  });
  expect(await keysOf(store)).toEqual(before);
});

test("a store of a development version is refused, marked or not, and not changed", async () => {
  for (const key of [
    "format/00000000000000000003",
    "namespaces/n-table/0000000001/wal/00000000000000000001",
  ]) {
    const store = new MemoryObjectStore();
    await store.put(objectKey(key), new Uint8Array(0), ALWAYS);
    for (const open of [claimFormat, checkFormat]) {
      await expect(open(store, "the store"), key).rejects.toMatchObject({
        code: "too_old",
        message:
          "cannot open the store: it was written by a development version before 0.2.0; " +
          "export it with that version and import it into a new store (docs/upgrading.md)",
      });
    }
    expect(await keysOf(store)).toEqual([key]);
  }
});

test("a store that another server marks meanwhile is no development version's", async () => {
  const store = new MemoryObjectStore();
  const racing = Object.assign(Object.create(store) as MemoryObjectStore, {
    list: async (request: ListRequest) => {
      const page = await store.list(request);
      if (request.prefix === "format/") {
        await store.put(objectKey("format/v1"), new Uint8Array(0), ALWAYS);
        await store.put(objectKey("namespaces/n-table/0000000001/x"), new Uint8Array(0), ALWAYS);
      }
      return page;
    },
  });
  expect(await checkFormat(racing, "the store")).toBe(true);
});
