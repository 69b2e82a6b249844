import { afterEach, beforeEach, expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { TestKeys } from "../../../test/support/engine/engine-fixture.ts";
import { FaultyObjectStore } from "../../../test/support/stores/faulty-object-store.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { temporaryDirectory } from "../../../test/support/stores/temporary-directory.ts";
import { seededRandom } from "../../base/random.ts";
import { SET_BYTES } from "../disk-cache/disk-cache-layout.ts";
import { isEnvelope } from "../encryption/encryption-envelope.ts";
import { ALWAYS, objectKey } from "../object-store.ts";
import { StoreAccess } from "./store-access.ts";

const SEGMENT = objectKey("namespaces/n-table/0000000001/segments/s1");
const BODY = Uint8Array.from({ length: 1000 }, (_, index) => index);
const KEYED = { encryption: { kind: "customer_managed", keyName: "mine" } } as const;

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
const inner = new MemoryObjectStore();
const clock = new InstantClock();
const keys = new TestKeys();
keys.names.add("mine");

beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(() => directory.remove());

function faulty(before: number): FaultyObjectStore {
  const rates = { before, after: 0, delayMsMax: 0 };
  return new FaultyObjectStore({ store: inner, random: seededRandom(3), clock, rates });
}

function accessTo(store: FaultyObjectStore): StoreAccess {
  const diskCache = { directory: directory.path, bytesMax: SET_BYTES };
  return new StoreAccess({ store, clock, random: seededRandom(4), keys, diskCache });
}

test("every try is counted, and what the disk cache answers is not", async () => {
  const store = faulty(0.4);
  const access = accessTo(store);
  for (let number = 0; number < 20; number++) await access.store.put(SEGMENT, BODY, ALWAYS);
  const { requests, failures } = access.counts();
  expect(failures).toBeGreaterThan(0);
  expect(requests.put).toBe(20 + failures);
  expect(requests.put).toBe(store.calls);

  store.setRates({ before: 0, after: 0, delayMsMax: 0 });
  expect(await access.store.getRange(SEGMENT, 10, 20)).toEqual(BODY.subarray(10, 20));
  await access.disk?.whenIdle();
  const once = access.counts().requests.getRange;
  expect(once).toBe(1);
  expect(await access.store.getRange(SEGMENT, 30, 40)).toEqual(BODY.subarray(30, 40));
  expect(access.counts().requests.getRange).toBe(once);
});

test("what has a key is encrypted in the store and on the disk, and read by all", async () => {
  const access = accessTo(faulty(0));
  await access.storeFor(KEYED).put(SEGMENT, BODY, ALWAYS);
  const stored = await inner.get(SEGMENT);
  expect(stored !== undefined && isEnvelope(stored)).toBe(true);
  for (const settings of [undefined, { encryption: { kind: "default" } } as const, KEYED]) {
    expect(await access.storeFor(settings).get(SEGMENT)).toEqual(BODY);
    await access.disk?.whenIdle();
  }
  const { getRange, get } = access.counts().requests;
  expect(getRange + get).toBe(1);
  const near = await access.store.get(SEGMENT);
  expect(near !== undefined && isEnvelope(near)).toBe(true);
});

test("stores of one thread know the heads of segments from each other", async () => {
  const store = faulty(0);
  const access = new StoreAccess({ store, clock, random: seededRandom(4), keys });
  const segment = { plain: objectKey(`${SEGMENT}-plain`), keyed: objectKey(`${SEGMENT}-keyed`) };
  const long = new Uint8Array(1_000_000).fill(7);
  await access.storeFor(undefined).put(segment.plain, long, ALWAYS);
  await access.storeFor(KEYED).put(segment.keyed, long, ALWAYS);
  for (const key of Object.values(segment)) {
    const costs = [];
    for (let round = 0; round < 2; round++) {
      const before = access.counts().requests.getRange;
      const bytes = await access.storeFor(undefined).getRange(key, 700_000, 700_010);
      expect(bytes).toEqual(long.subarray(0, 10));
      costs.push(access.counts().requests.getRange - before);
    }
    expect(costs).toEqual([2, 1]);
  }
});
