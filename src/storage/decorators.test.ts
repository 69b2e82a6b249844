import { describe, expect, test } from "vitest";
import { describeObjectStore, LARGE_BODIES } from "../../test/conformance/object-store.ts";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { effort } from "../../test/support/effort.ts";
import {
  type FaultRates,
  FaultyObjectStore,
} from "../../test/support/stores/faulty-object-store.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { seededRandom } from "../base/random.ts";
import { CountingObjectStore } from "./counting-object-store.ts";
import { ALWAYS, IF_ABSENT, objectKey } from "./object-store.ts";
import { RetryingObjectStore, retryDelayMs, STORE_ATTEMPTS_MAX } from "./retrying-object-store.ts";

const CALM: FaultRates = { before: 0, after: 0, delayMsMax: 0 };
const SEED = 7;

function faulty(rates: FaultRates, seed = SEED) {
  const random = seededRandom(seed);
  const clock = new InstantClock();
  const inner = new MemoryObjectStore();
  const faults = new FaultyObjectStore({ store: inner, random, clock, rates });
  const store = new RetryingObjectStore({ store: faults, clock, random });
  return { inner, faults, store, clock };
}

describeObjectStore("RetryingObjectStore over a calm store", async () => {
  return { store: faulty(CALM).store, close: async () => undefined };
});

describeObjectStore(
  "RetryingObjectStore over a store that delays",
  async () => ({
    store: faulty({ ...CALM, delayMsMax: 5 }).store,
    close: async () => undefined,
  }),
  // The calm store has them, too.
  effort({ usual: [LARGE_BODIES], full: [] }),
);

describeObjectStore("CountingObjectStore", async () => {
  return { store: new CountingObjectStore(new MemoryObjectStore()), close: async () => undefined };
});

describe("RetryingObjectStore", () => {
  const key = objectKey("a/b");
  const body = Uint8Array.of(1, 2, 3);

  test("reads, deletes and unconditional puts come through faults of both kinds", async () => {
    const { store } = faulty({ before: 0.15, after: 0.15, delayMsMax: 0 });
    for (let round = 0; round < 50; round++) {
      await store.put(key, body, ALWAYS);
      expect(await store.get(key)).toEqual(body);
      expect(await store.getRange(key, 1, 2)).toEqual(Uint8Array.of(2));
      expect((await store.list({ prefix: "", limit: 5 })).keys).toEqual([key]);
      await store.delete(key);
      expect(await store.get(key)).toBeUndefined();
    }
  });

  test("a conditional put goes through once, and its doubt reaches the caller", async () => {
    const { store, faults, inner } = faulty({ before: 0, after: 1, delayMsMax: 0 });
    await expect(store.put(key, body, IF_ABSENT)).rejects.toThrow(/injected fault after/);
    expect(faults.calls).toBe(1);
    expect(await inner.get(key)).toEqual(body);
  });

  test("gives up after a bounded number of tries, with growing waits", async () => {
    const { store, faults, clock } = faulty({ before: 1, after: 0, delayMsMax: 0 });
    const start = clock.nowMs();
    await expect(store.get(key)).rejects.toMatchObject({ code: "unavailable" });
    expect(faults.calls).toBe(STORE_ATTEMPTS_MAX);
    expect(clock.nowMs() - start).toBeGreaterThanOrEqual(25 + 50 + 100 + 200);
  });

  test("a crash is not retried", async () => {
    const { store, faults } = faulty(CALM);
    faults.crashAt({ call: 2, when: "before" });
    await store.get(key);
    await expect(store.get(key)).rejects.toThrow(/crashed at call 2/);
    expect(faults.calls).toBe(2);
  });

  test("waits double up to a bound", () => {
    const low = { ...seededRandom(1), below: () => 0 };
    expect([1, 2, 3, 20].map((tried) => retryDelayMs(tried, low))).toEqual([25, 50, 100, 1000]);
  });
});

describe("CountingObjectStore", () => {
  test("counts requests, bytes, conflicts and failures, and names targets", async () => {
    const seen: string[] = [];
    const inner = new MemoryObjectStore();
    const store = new CountingObjectStore(inner, (request, target) =>
      seen.push(`${request} ${target}`),
    );
    await store.put(objectKey("k"), new Uint8Array(10), IF_ABSENT);
    await store.put(objectKey("k"), new Uint8Array(10), IF_ABSENT);
    await store.get(objectKey("k"));
    await store.getRange(objectKey("k"), 2, 5);
    await store.get(objectKey("none"));
    await store.list({ prefix: "p/", limit: 1 });
    await store.delete(objectKey("k"));
    expect(seen).toEqual([
      "put k",
      "put k",
      "get k",
      "getRange k",
      "get none",
      "list p/",
      "delete k",
    ]);
    expect(store.counts()).toEqual({
      requests: { get: 2, getRange: 1, put: 2, list: 1, delete: 1 },
      failures: 0,
      conflicts: 1,
      bytesRead: 13,
      bytesWritten: 10,
    });
  });

  test("counts what throws as failed", async () => {
    const { faults } = faulty({ before: 1, after: 0, delayMsMax: 0 });
    const store = new CountingObjectStore(faults);
    await expect(store.get(objectKey("k"))).rejects.toThrow();
    expect(store.counts()).toMatchObject({ failures: 1, requests: { get: 1 } });
  });
});
