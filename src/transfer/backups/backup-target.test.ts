/** What old backups cost and what they keep, however often runs end on the way. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { BackupSource } from "../../../test/support/transfer/backup-source.ts";
import { DatabaseError } from "../../base/errors.ts";
import {
  ALWAYS,
  type ListRequest,
  type ObjectBody,
  type ObjectKey,
  type PutCondition,
} from "../../storage/object-store.ts";
import { contentKey } from "./backup-index.ts";
import { BackupTarget } from "./backup-target.ts";
import { contentFaultOf } from "./object-faults.ts";

/** Ends with one of its requests, before or behind its effect; nothing works from then on. */
class EndingStore extends MemoryObjectStore {
  requestsLeft = Number.POSITIVE_INFINITY;
  isEffective = false;

  override get(key: ObjectKey) {
    return this.#do(() => super.get(key));
  }
  override getRange(key: ObjectKey, start: number, end: number) {
    return this.#do(() => super.getRange(key, start, end));
  }
  override put(key: ObjectKey, body: ObjectBody, condition: PutCondition) {
    return this.#do(() => super.put(key, body, condition));
  }
  override list(request: ListRequest) {
    return this.#do(() => super.list(request));
  }
  override delete(key: ObjectKey) {
    return this.#do(() => super.delete(key));
  }

  async #do<T>(request: () => Promise<T>): Promise<T> {
    this.requestsLeft--;
    if (this.requestsLeft >= 0) return request();
    if (this.requestsLeft === -1 && this.isEffective) await request();
    throw new DatabaseError("unavailable", "the run is over");
  }
}

let source: BackupSource;
beforeAll(async () => {
  source = await BackupSource.open();
});
afterAll(() => source.close());

/** Half of the objects are those of the round before. */
function setRound(round: number): void {
  const names = [`all`, `of-${round}`, `of-${round + 1}`];
  source.content = new Map(names.map((name) => [`namespaces/${name}`, `bytes ${name}`]));
}

/** Every object that a backup names is there and whole, and no other one if nothing was left. */
async function check(store: MemoryObjectStore, isClean: boolean): Promise<number> {
  const target = new BackupTarget(store);
  const named = new Set<string>();
  const keys = await target.indexKeys();
  for (const key of keys)
    for (const object of (await target.readIndex(key)).namespaces.flatMap((one) => one.objects)) {
      expect(await contentFaultOf(object, { target, onBytes: () => {} })).toBe(undefined);
      named.add(contentKey(object.sha256));
    }
  if (!isClean) return keys.length;
  expect(await target.contentKeys()).toEqual(named);
  expect(await target.readUnfinished()).toBe(undefined);
  return keys.length;
}

const KEPT = 2;

async function run(store: MemoryObjectStore, round: number, isKeeping: boolean): Promise<void> {
  setRound(round);
  const clock = new InstantClock();
  await clock.sleep(round * 1000);
  await source.take(store, { clock });
  if (isKeeping) await new BackupTarget(store).keepNewest(KEPT);
}

test.each([
  { isKeeping: true, isEffective: false },
  { isKeeping: true, isEffective: true },
  { isKeeping: false, isEffective: false },
  { isKeeping: false, isEffective: true },
])(
  "a run that ends at any request costs no whole backup, and leaves nothing: %j",
  async ({ isKeeping, isEffective }) => {
    let requests = 0;
    for (let isOver = false; !isOver; requests++) {
      const store = new EndingStore();
      for (const round of [1, 2, 3]) await run(store, round, isKeeping);
      const before = await new BackupTarget(store).indexKeys();
      Object.assign(store, { requestsLeft: requests, isEffective });
      isOver = await run(store, 4, isKeeping).then(
        () => true,
        () => false,
      );
      store.requestsLeft = Number.POSITIVE_INFINITY;
      const after = await new BackupTarget(store).indexKeys();
      const newest = [...before, ...after.filter((key) => !before.includes(key))].slice(-KEPT);
      expect(after).toEqual(expect.arrayContaining(newest));
      await check(store, isOver);
      // What round 4 has copied is needed by nobody any more.
      await run(store, 7, isKeeping);
      const backups = await check(store, true);
      if (isKeeping) expect(backups).toBe(KEPT);
    }
    expect(requests).toBeGreaterThan(10);
  },
);

test("a partial backup takes no whole one's place, and goes with those of its time", async () => {
  const store = new MemoryObjectStore();
  const target = new BackupTarget(store);
  const clock = new InstantClock();
  const made: string[] = [];
  const take = async (round: number, namespaces = ["n"]) => {
    setRound(round);
    made.push(`backups/${(await source.take(store, { clock, namespaces })).backup}`);
  };
  await take(1);
  await take(2);
  await take(3, ["n", "broken"]);
  await take(4, ["broken", "n"]);
  expect((await target.readIndex(made[3] as ObjectKey)).lacks).toEqual(["broken"]);
  await take(5);
  expect((await target.keepNewest(2)).removed).toEqual(made.slice(0, 1));
  expect(await target.indexKeys()).toEqual(made.slice(1));
  await check(store, true);
  await take(6);
  expect((await target.keepNewest(2)).removed).toEqual(made.slice(1, 4));
  await check(store, true);
});

test("while an index file cannot be read no object goes, and it takes no place", async () => {
  const store = new MemoryObjectStore();
  const target = new BackupTarget(store);
  for (const round of [1, 2, 3]) await run(store, round, false);
  const [first, second, third] = await target.indexKeys();
  const sound = (await store.get(third)) as Uint8Array;
  await store.put(third, sound.subarray(0, -1), ALWAYS);
  const objects = await target.contentKeys();
  expect(await target.keepNewest(1)).toEqual({ removed: [first], unreadable: [third] });
  expect(await target.contentKeys()).toEqual(objects);
  expect(await target.indexKeys()).toEqual([second, third]);
  await store.put(third, sound, ALWAYS);
  expect(await target.keepNewest(1)).toEqual({ removed: [second], unreadable: [] });
  await check(store, true);
});
