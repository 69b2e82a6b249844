import { describe, expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { damagedBytes, readOutcome } from "../../test/support/random/damaged-bytes.ts";
import { FaultyObjectStore } from "../../test/support/stores/faulty-object-store.ts";
import { DatabaseError, isDatabaseError } from "../base/errors.ts";
import { namespaceName, type SegmentId, sequenceNumber } from "../base/ids.ts";
import { seededRandom } from "../base/random.ts";
import { CountingObjectStore } from "../storage/counting-object-store.ts";
import { MemoryObjectStore } from "../storage/memory-object-store.ts";
import { manifestKey } from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import {
  editManifest,
  firstManifest,
  type Manifest,
  type ManifestSegment,
  manifestFault,
  replaceSegments,
} from "./manifest.ts";
import { decodeManifest, encodeManifest } from "./manifest-codec.ts";
import { ManifestStore } from "./manifest-store.ts";

const SEED = 31;
const at = { name: namespaceName("n"), generation: 4 };
const segment = (id: string, changes: Partial<ManifestSegment> = {}): ManifestSegment => ({
  id: id as SegmentId,
  documentCount: 10,
  bytes: 1000,
  deletedCount: 0,
  head: "",
  ...changes,
});
const first = firstManifest(4, 1_000, { schema: { text: "string" }, big: "18446744073709551615" });

function storeOver(store: ObjectStore, seed = SEED): ManifestStore {
  return new ManifestStore({ store, clock: new InstantClock(), random: seededRandom(seed), at });
}

/** The store `inner`, but for `put`. */
function overriding(inner: ObjectStore, put: ObjectStore["put"]): ObjectStore {
  return {
    put,
    get: (key) => inner.get(key),
    getRange: (...words) => inner.getRange(...words),
    list: (request) => inner.list(request),
    delete: (key) => inner.delete(key),
  };
}

/** Loads the newest version, or makes the first, and saves the next that lists `id`. */
async function addSegment(manifests: ManifestStore, id: string): Promise<"written" | "conflict"> {
  const known = await manifests.load();
  if (known === undefined) return (await manifests.save(first)).kind;
  const segments = [...known.segments, segment(id)];
  return (await manifests.save(editManifest(known, { updatedAtMs: 2_000, segments }))).kind;
}

describe("manifest edits", () => {
  test("make the next version and leave the one before as it was", () => {
    const next = editManifest(first, { updatedAtMs: 5, indexedUpTo: sequenceNumber(9) });
    expect(next).toEqual({ ...first, version: 2, updatedAtMs: 5, indexedUpTo: 9 });
    expect(first.version).toBe(1);
  });

  test("replaced segments stand where the first of them stood", () => {
    const list = ["a", "b", "c", "d"].map((id) => segment(id));
    const replace = (removed: string[], added: string[]) =>
      replaceSegments(
        list,
        new Set(removed as SegmentId[]),
        added.map((id) => segment(id)),
      ).map(({ id }) => id);
    expect(replace(["b", "d"], ["x"])).toEqual(["a", "x", "c"]);
    expect(replace([], ["x"])).toEqual(["a", "b", "c", "d", "x"]);
    expect(replace(["a", "b", "c", "d"], [])).toEqual([]);
    expect(() => replace(["z"], [])).toThrow(/assertion/);
  });

  test("each rule has a name when it is broken", () => {
    const fault = (changes: Partial<Manifest>) => manifestFault({ ...first, ...changes });
    expect(fault({})).toBeUndefined();
    expect(fault({ version: 0 })).toMatch(/version/);
    expect(fault({ segments: [segment("a"), segment("a")] })).toMatch(/one id/);
    expect(fault({ segments: [segment("a", { deletedCount: 11 })] })).toMatch(/11 of 10/);
    expect(fault({ segments: [segment("a", { deletedCount: 1 })] })).toMatch(/tombstones/);
    expect(fault({ updatedAtMs: Number.NaN })).toMatch(/updatedAtMs/);
    const later = editManifest(first, { updatedAtMs: 5, indexedUpTo: sequenceNumber(9) });
    const back = { updatedAtMs: 6, indexedUpTo: sequenceNumber(8) };
    expect(() => editManifest(later, back)).toThrow(/goes back/);
  });
});

describe("manifest bytes", () => {
  const nonce = new Uint8Array(16).fill(1);
  const previousNonce = new Uint8Array(16).fill(2);

  test("come back as the manifest that was encoded", async () => {
    const tombstoned = segment("b", { deletedCount: 3, tombstoneObject: "t" });
    const segments = [segment("a"), tombstoned];
    const manifest = editManifest(first, { updatedAtMs: 7, segments, state: [null, 0.1, "é"] });
    const object = await encodeManifest({ manifest, nonce, previousNonce }, at);
    const stored = await decodeManifest(object, at, 2);
    expect(stored.manifest).toEqual(manifest);
    expect(stored.nonce).toEqual(nonce);
    expect(stored.previousNonce).toEqual(previousNonce);
    await expect(decodeManifest(object, at, 3)).rejects.toThrow(/manifest\/0{19}3: .*another key/);
  });

  test("a state that JSON would change is a bug", () => {
    for (const state of [1n, undefined, Number.NaN, 2 ** 60, { a: [Number.POSITIVE_INFINITY] }]) {
      const manifest = { ...first, state };
      const stored = { manifest, nonce, previousNonce };
      expect(() => encodeManifest(stored, at)).toThrow(/assertion|BigInt/);
    }
  });

  test("damage is corrupt, never a manifest", async () => {
    const random = seededRandom(SEED);
    const whole = await encodeManifest({ manifest: first, nonce, previousNonce }, at);
    for (let round = 0; round < 500; round++) {
      const damaged = damagedBytes(whole, random);
      if (Buffer.compare(damaged, whole) === 0) continue;
      const outcome = await readOutcome(() => decodeManifest(damaged, at, 1));
      expect(outcome, `seed ${SEED}, round ${round}`).toEqual({ code: "corrupt" });
    }
  });
});

describe("ManifestStore", () => {
  test("finds nothing, then what was saved, then what others saved after", async () => {
    const inner = new MemoryObjectStore();
    const mine = storeOver(inner, 1);
    const other = storeOver(inner, 2);
    expect(await mine.load()).toBeUndefined();
    expect(await mine.save(first)).toEqual({ kind: "written" });
    expect(await other.load()).toEqual(first);
    for (const id of ["a", "b"]) expect(await addSegment(other, id)).toBe("written");
    const newest = await mine.loadNewer(first);
    expect(newest.version).toBe(3);
    expect(newest.segments.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  test("costs one request to see that nothing is new, and a list, two gets to load", async () => {
    const counting = new CountingObjectStore(new MemoryObjectStore());
    const manifests = storeOver(counting);
    await manifests.save(first);
    const before = counting.counts().requests;
    await manifests.loadNewer(first);
    expect(counting.counts().requests.get - before.get).toBe(1);
    await manifests.load();
    const after = counting.counts().requests;
    expect([after.get - before.get, after.list - before.list]).toEqual([3, 1]);
  });

  test("of many savers of one version, one writes and the others lose", async () => {
    const inner = new MemoryObjectStore();
    await storeOver(inner).save(first);
    const savers = Array.from({ length: 16 }, (_, index) => storeOver(inner, index + 1));
    for (const saver of savers) await saver.load();
    const next = editManifest(first, { updatedAtMs: 2 });
    const outcomes = await Promise.all(savers.map((saver) => saver.save(next)));
    expect(outcomes.filter(({ kind }) => kind === "written").length).toBe(1);
  });

  test("a save whose answer is lost is found to be written", async () => {
    const inner = new MemoryObjectStore();
    let lost = false;
    const put: ObjectStore["put"] = async (...words) => {
      const outcome = await inner.put(...words);
      if (lost) return outcome;
      lost = true;
      throw new DatabaseError("unavailable", "the answer is lost");
    };
    const store = overriding(inner, put);
    expect(await storeOver(store).save(first)).toEqual({ kind: "written" });
    expect(await storeOver(inner).load()).toEqual(first);
  });

  test("a saver that slept does not win a collected number", async () => {
    const inner = new MemoryObjectStore();
    const sleeper = storeOver(inner, 1);
    await sleeper.save(first);
    const other = storeOver(inner, 2);
    for (const id of ["a", "b", "c"]) await addSegment(other, id);
    for (const version of [1, 2]) await inner.delete(manifestKey(at, version));
    const next = editManifest(first, { updatedAtMs: 2, segments: [segment("z")] });
    expect(await sleeper.save(next)).toEqual({ kind: "conflict" });
    expect((await sleeper.load())?.segments.map(({ id }) => id)).toEqual(["a", "b", "c"]);

    await inner.delete(manifestKey(at, 3));
    const again = storeOver(inner, 3);
    await again.load();
  });

  test("a saver that was followed before it looked has written all the same", async () => {
    const inner = new MemoryObjectStore();
    const other = storeOver(inner, 2);
    const put: ObjectStore["put"] = async (...words) => {
      const outcome = await inner.put(...words);
      await addSegment(other, "followed");
      return outcome;
    };
    const slow = overriding(inner, put);
    expect(await storeOver(slow, 1).save(first)).toEqual({ kind: "written" });
    expect((await other.load())?.version).toBe(2);
  });

  test("savers over faulty stores lose no version that they were told is written", async () => {
    for (let seed = 1; seed <= 40; seed++) {
      const inner = new MemoryObjectStore();
      await storeOver(inner, 99).save(first);
      const run = async (saver: number) => {
        const random = seededRandom(seed * 10 + saver);
        const rates = { before: 0.1, after: 0.1, delayMsMax: 10 };
        const clock = new InstantClock();
        const store = new FaultyObjectStore({ store: inner, random, clock, rates });
        const manifests = storeOver(store, seed * 10 + saver);
        const written: string[] = [];
        for (let tried = 0; tried < 30 && written.length < 4; tried++) {
          const id = `${saver}.${tried}`;
          try {
            if ((await addSegment(manifests, id)) === "written") written.push(id);
          } catch (error) {
            if (!isDatabaseError(error, "unavailable")) throw error;
          }
        }
        return written;
      };
      const written = (await Promise.all([run(1), run(2), run(3)])).flat();
      const newest = await storeOver(inner).load();
      const ids = newest?.segments.map(({ id }) => id as string) ?? [];
      expect(ids, `seed ${seed}`).toEqual(expect.arrayContaining(written));
      expect(newest?.version, `seed ${seed}`).toBe(ids.length + 1);
    }
  });
});
