import { expect, test } from "vitest";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { claimFormat } from "./store-format.ts";

const keysOf = async (store: MemoryObjectStore) => {
  return (await store.list({ prefix: "", limit: 10 })).keys;
};

test("a store is marked once, and opened by every program that reads its format", async () => {
  const store = new MemoryObjectStore();
  await claimFormat(store, "the store", { oldest: 1, newest: 2 });
  await claimFormat(store, "the store", { oldest: 1, newest: 2 });
  expect(await keysOf(store)).toEqual(["format/00000000000000000002"]);
  await claimFormat(store, "the store", { oldest: 2, newest: 3 });
  expect(await keysOf(store)).toHaveLength(2);
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

test("a store of before there were marks has version 1", async () => {
  const unmarked = new MemoryObjectStore();
  await expect(claimFormat(unmarked, "it", { oldest: 2, newest: 2 })).rejects.toMatchObject({
    code: "too_old",
  });
  await claimFormat(unmarked, "it", { oldest: 1, newest: 2 });
});
