/** Runs that end on the way: what was there before stays, and the next run goes on. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { BackupSource } from "../../../test/support/transfer/backup-source.ts";
import { DatabaseError } from "../../base/errors.ts";
import {
  ALWAYS,
  type ObjectBody,
  type ObjectKey,
  type PutCondition,
} from "../../storage/object-store.ts";
import { BackupTarget } from "./backup-target.ts";
import { type BackupFault, verifyBackups } from "./verify-backup.ts";

/** Fails from a number of puts of objects on. */
class FailingStore extends MemoryObjectStore {
  putsLeft = Number.POSITIVE_INFINITY;

  override async put(key: ObjectKey, body: ObjectBody, condition: PutCondition) {
    if (key.startsWith("objects/") && this.putsLeft-- <= 0) {
      throw new DatabaseError("unavailable", "the disk is full");
    }
    return super.put(key, body, condition);
  }
}

let source: BackupSource;
beforeAll(async () => {
  source = await BackupSource.open();
});
afterAll(() => source.close());

function take(
  store: MemoryObjectStore,
  clock = new InstantClock(),
  faults: readonly BackupFault[] = [],
) {
  return source.take(store, { clock, faults });
}

test("an interrupted run leaves no backup, and the next copies what is left", async () => {
  const store = new FailingStore();
  store.putsLeft = 3;
  await expect(take(store)).rejects.toThrow("the disk is full");
  const target = new BackupTarget(store);
  expect(await target.indexKeys()).toEqual([]);
  store.putsLeft = Number.POSITIVE_INFINITY;
  expect(await take(store)).toMatchObject({ objects: 4, objectsCopied: 1 });
  expect(await target.readUnfinished()).toBe(undefined);
  expect(await take(store)).toMatchObject({ objects: 4, objectsCopied: 0, bytesCopied: 0 });
});

test("what was copied of a namespace that failed is there for the next run", async () => {
  const store = new MemoryObjectStore();
  const namespaces = ["n", "torn"];
  source.tornAt = 3;
  const failed = [{ namespace: "torn" }];
  expect(await source.take(store, { namespaces })).toMatchObject({ objectsCopied: 7, failed });
  expect(await source.take(store, { namespaces })).toMatchObject({ objectsCopied: 0, failed });
  source.tornAt = Number.POSITIVE_INFINITY;
  expect(await source.take(store, { namespaces })).toMatchObject({ objectsCopied: 1, failed: [] });
  expect(await new BackupTarget(store).readUnfinished()).toBe(undefined);
});

test("it goes once no run lacks the namespace", async () => {
  const store = new MemoryObjectStore();
  source.tornAt = 2;
  await source.take(store, { namespaces: ["torn", "n"] });
  source.tornAt = Number.POSITIVE_INFINITY;
  const target = new BackupTarget(store);
  expect((await target.contentKeys()).size).toBe(6);
  await take(store);
  expect((await target.contentKeys()).size).toBe(4);
  expect(await target.readUnfinished()).toBe(undefined);
});

test("a run whose objects another one has removed is no backup", async () => {
  class SharedStore extends MemoryObjectStore {
    override async put(key: ObjectKey, body: ObjectBody, condition: PutCondition) {
      const isIndex = key.startsWith("backups/");
      if (isIndex) await new BackupTarget(this).removeUnnamed();
      return super.put(key, body, condition);
    }
  }
  await expect(take(new SharedStore())).rejects.toThrow(/has another run written to the same/);
});

test("a file that the disk cannot read is one that is damaged", async () => {
  class BadSector extends MemoryObjectStore {
    bad: ObjectKey | undefined;
    override async getRange(key: ObjectKey, start: number, end: number) {
      if (key === this.bad) {
        const cause = Object.assign(new Error("i/o error"), { code: "EIO" });
        throw new DatabaseError("unavailable", "the disk cannot read it", { cause });
      }
      return super.getRange(key, start, end);
    }
    override async put(key: ObjectKey, body: ObjectBody, condition: PutCondition) {
      if (key === this.bad) this.bad = undefined;
      return super.put(key, body, condition);
    }
  }
  const store = new BadSector();
  await take(store);
  [store.bad] = await new BackupTarget(store).contentKeys();
  expect(await verify(store)).toContainEqual(
    expect.objectContaining({ file: store.bad, problem: "the disk cannot read it" }),
  );
  expect(await take(store)).toMatchObject({ objectsCopied: 1, mended: [{}] });
});

test("an object that is gone is copied again, though a backup names it", async () => {
  const store = new MemoryObjectStore();
  await take(store);
  const [key] = await new BackupTarget(store).contentKeys();
  await store.delete(key);
  const mended = [{ file: key, key: expect.any(String), problem: "it was missing" }];
  expect(await take(store)).toMatchObject({ objects: 4, objectsCopied: 1, mended });
  expect((await new BackupTarget(store).contentKeys()).size).toBe(4);
  expect(await take(store)).toMatchObject({ objectsCopied: 0, mended: [], unmended: [] });
});

/** Changes the bytes of one object behind the backup's back. */
async function damage(store: MemoryObjectStore, change: (bytes: Uint8Array) => Uint8Array) {
  const [key] = await new BackupTarget(store).contentKeys();
  const sound = (await store.get(key)) as Uint8Array;
  await store.put(key, change(Uint8Array.from(sound)), ALWAYS);
  return { key, sound };
}

test.each<[string, (bytes: Uint8Array) => Uint8Array, string]>([
  ["empty", () => new Uint8Array(0), "it has fewer bytes than 7"],
  ["cut off", (bytes) => bytes.subarray(0, -1), "it has fewer bytes than 7"],
  ["too long", (bytes) => Buffer.concat([bytes, bytes]), "it has more bytes than 7"],
])("an object that is %s is copied anew by the next run", async (_name, change, problem) => {
  const store = new MemoryObjectStore();
  await take(store);
  const { key, sound } = await damage(store, change);
  const mended = [{ file: key, key: expect.any(String), problem }];
  expect(await take(store)).toMatchObject({ objects: 4, objectsCopied: 1, mended });
  expect(await store.get(key)).toEqual(sound);
});

test("one with other bytes is copied anew where a verification has found it", async () => {
  const store = new MemoryObjectStore();
  await take(store);
  const { key, sound } = await damage(store, (bytes) => bytes.fill(1));
  expect(await take(store)).toMatchObject({ objectsCopied: 0, mended: [] });
  const all = await verify(store);
  const faults = all.filter(({ problem }) => problem.includes("SHA-256"));
  expect(faults).toMatchObject([{ file: key }]);
  expect(await take(store, undefined, faults)).toMatchObject({ objectsCopied: 1, mended: faults });
  expect(await store.get(key)).toEqual(sound);
});

test("faults of what the run does not copy are told of, and stay", async () => {
  const store = new MemoryObjectStore();
  const { backup } = await take(store);
  const indexFault = { file: `backups/${backup}`, problem: "its checksum is another one" };
  const gone = { file: `objects/00/${"0".repeat(64)}`, key: "namespaces/gone", problem: "?" };
  const outcome = await take(store, undefined, [indexFault, gone]);
  expect(outcome).toMatchObject({ mended: [], unmended: [indexFault, gone] });
});

test("a disk that keeps other bytes than it was given ends the run", async () => {
  class ForgetfulStore extends MemoryObjectStore {
    override async put(key: ObjectKey, body: ObjectBody, condition: PutCondition) {
      const isObject = key.startsWith("objects/");
      return super.put(key, isObject ? new Uint8Array(3) : body, condition);
    }
  }
  const store = new ForgetfulStore();
  await take(store);
  await expect(take(store)).rejects.toThrow(
    /cannot mend objects.*it was copied anew, but it has 3/,
  );
});

/** The test's server has objects of no kind: what is inside of them is no matter here. */
async function verify(store: MemoryObjectStore): Promise<readonly BackupFault[]> {
  return (await verifyBackups(store, () => {})).faults;
}

test("a clock that was set back makes no backup older than the one before", async () => {
  const store = new MemoryObjectStore();
  const clock = new InstantClock();
  await clock.sleep(3_600_000);
  await take(store, clock);
  const { backup } = await take(store);
  const target = new BackupTarget(store);
  expect((await target.indexKeys()).at(-1)).toBe(`backups/${backup}`);
  await target.keepNewest(1);
  expect(await target.indexKeys()).toEqual([`backups/${backup}`]);
});

test("empty backups do not take the place of the last one that has something", async () => {
  const store = new MemoryObjectStore();
  await take(store);
  const target = new BackupTarget(store);
  const before = await target.contentKeys();
  await target.putIndex({ created_at_ms: 9_000_000_000_000, namespaces: [] }, "00000000");
  await target.keepNewest(1);
  expect(await target.contentKeys()).toEqual(before);
  expect(await target.indexKeys()).toHaveLength(2);
});
