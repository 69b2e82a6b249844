import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { DatabaseError } from "../base/errors.ts";
import { seededRandom } from "../base/random.ts";
import { type NumberedFamily, NumberedObjects } from "./numbered-objects.ts";
import { ALWAYS, type ObjectStore, objectKey } from "./object-store.ts";

// Entries of logs and versions of manifests are held to the promises by
// test/conformance/numbered-objects.ts.

/** Objects that consist of their nonce. */
const NONCES: NumberedFamily<{ readonly nonce: Uint8Array }> = {
  prefix: "n/",
  keyOf: (number) => objectKey(`n/${`${number}`.padStart(6, "0")}`),
  numberOf: (key) => (/^n\/\d{6}$/.test(key) ? Number(key.slice(2)) : undefined),
  decode: async (nonce) => ({ nonce }),
};

const tools = { clock: new InstantClock(), random: seededRandom(1) };

/** A store whose object is gone when it is read, and whose first put has no answer if `isLost`. */
function collecting(isLost: boolean): ObjectStore {
  const store = new MemoryObjectStore();
  let puts = 0;
  return Object.assign(store, {
    get: async () => undefined,
    put: async () => {
      if (isLost && ++puts === 1) throw new DatabaseError("unavailable", "the answer is lost");
      return { kind: "conflict" };
    },
  } satisfies Partial<ObjectStore>);
}

test("an object that was collected unread may be one's own only after a put in doubt", async () => {
  const nonce = Uint8Array.of(1);
  for (const mayBeOwn of [false, true]) {
    const objects = new NumberedObjects(collecting(mayBeOwn), NONCES);
    const outcome = await objects.put({ number: 1, object: nonce, nonce }, tools);
    expect(outcome).toEqual({ kind: "collected", mayBeOwn });
  }
});

test("numbers are listed from any on, without names that are no number, by pages", async () => {
  const store = new MemoryObjectStore();
  const objects = new NumberedObjects(store, NONCES);
  for (let number = 1; number <= 1500; number++) {
    await store.put(NONCES.keyOf(number), new Uint8Array(0), ALWAYS);
  }
  await store.put(objectKey("n/.DS_Store"), new Uint8Array(0), ALWAYS);
  const pages: (readonly number[])[] = [];
  for await (const page of objects.numbersAfter(400)) pages.push(page);
  expect(pages.map(({ length }) => length)).toEqual([1000, 100]);
  expect(pages.flat()).toEqual(Array.from({ length: 1100 }, (_, index) => 401 + index));
});

test("an object comes back with its size, and an absent one is undefined", async () => {
  const store = new MemoryObjectStore();
  const objects = new NumberedObjects(store, NONCES);
  const nonce = Uint8Array.of(1, 2, 3);
  const candidate = { number: 7, object: nonce, nonce };
  expect(await objects.put(candidate, tools)).toEqual({ kind: "written" });
  expect(await objects.read(7)).toEqual({ value: { nonce }, bytes: 3 });
  expect(await objects.read(8)).toBeUndefined();
  const other = await objects.put({ ...candidate, nonce: Uint8Array.of(4) }, tools);
  expect(other).toEqual({ kind: "conflict", other: { nonce }, bytes: 3 });
});
