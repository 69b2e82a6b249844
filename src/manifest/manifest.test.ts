import { describe, expect, test } from "vitest";
import {
  describeNumberedObjects,
  NUMBERED_FULL,
  NUMBERED_USUAL,
} from "../../test/conformance/numbered-objects.ts";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { create } from "../../test/support/documents/schema-changes.ts";
import { effort } from "../../test/support/effort.ts";
import { damagedBytes, readOutcome } from "../../test/support/random/damaged-bytes.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { must } from "../base/assert.ts";
import { namespaceName, type SegmentId, sequenceNumber } from "../base/ids.ts";
import { seededRandom } from "../base/random.ts";
import { encodeFrame } from "../codec/frame.ts";
import type { NamespaceSettings } from "../model/namespace-settings.ts";
import type { SegmentEntry } from "../model/segment-entry.ts";
import { CountingObjectStore } from "../storage/counting-object-store.ts";
import { manifestKey } from "../storage/object-keys.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import {
  editManifest,
  firstManifest,
  type Manifest,
  manifestFault,
  replaceSegments,
} from "./manifest.ts";
import { decodeManifest, encodeManifest } from "./manifest-codec.ts";
import {
  encodeManifestState,
  type ManifestState,
  NO_ACTIVE_TEXT_OPTIONS,
} from "./manifest-state.ts";
import { ManifestStore } from "./manifest-store.ts";

const SEED = 31;
const generation = { name: namespaceName("n"), generation: 4 };
const KEY = { kind: "customer_managed", keyName: "k" } as const;
const segment = (id: string, changes: Partial<SegmentEntry> = {}): SegmentEntry => ({
  id: id as SegmentId,
  documentCount: 10,
  bytes: 1000,
  deletedCount: 0,
  head: "",
  indexFingerprint: "0123456789abcdef",
  ...changes,
});
const STATE: ManifestState = {
  schema: create({ id: "uuid", text: { type: "string", full_text_search: true } }),
  settings: { createdAtMs: 1, updatedAtMs: 2, readOnly: false, encryption: { kind: "default" } },
  activeTextOptions: NO_ACTIVE_TEXT_OPTIONS,
};
const first = firstManifest(4, 1_000, STATE);

function storeOver(store: ObjectStore, seed = SEED): ManifestStore {
  return new ManifestStore({
    store,
    clock: new InstantClock(),
    random: seededRandom(seed),
    generation,
  });
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
    const schema = create({ id: "string", é: { type: "string", full_text_search: { k1: 0.1 } } });
    const options = must(schema.attributes.get("é")?.fullTextSearch, "the attribute's settings");
    const activeTextOptions = new Map([["é", { options, since: sequenceNumber(3) }]]);
    const settings = { ...STATE.settings, encryption: KEY, parent: "p" };
    const state = { schema, settings, activeTextOptions };
    const manifest = editManifest(first, { updatedAtMs: 7, segments, state });
    const object = await encodeManifest({ manifest, nonce, previousNonce }, generation);
    const stored = await decodeManifest(object, generation, 2);
    expect(stored.manifest).toEqual(manifest);
    expect(stored.nonce).toEqual(nonce);
    expect(stored.previousNonce).toEqual(previousNonce);
    await expect(decodeManifest(object, generation, 3)).rejects.toThrow(
      /manifest\/0{19}3: .*another key/,
    );
  });

  test("a schema after drops comes back", async () => {
    const manifest = { ...first, state: { ...STATE, schema: { ...STATE.schema, dropCount: 3 } } };
    const object = await encodeManifest({ manifest, nonce, previousNonce }, generation);
    expect((await decodeManifest(object, generation, 1)).manifest).toEqual(manifest);
  });

  test("a state that JSON would change is a bug", () => {
    for (const updatedAtMs of [1n, undefined, Number.NaN, 2 ** 60, Number.POSITIVE_INFINITY]) {
      const settings = { ...STATE.settings, updatedAtMs } as NamespaceSettings;
      const stored = {
        manifest: { ...first, state: { ...STATE, settings } },
        nonce,
        previousNonce,
      };
      expect(() => encodeManifest(stored, generation)).toThrow(/assertion|BigInt/);
    }
  });

  test("a damaged state is corrupt, and the object is named", async () => {
    const key = manifestKey(generation, 1);
    const { schema, settings } = encodeManifestState(STATE) as Record<string, object>;
    const texts = [{ name: "text", options: {}, since: 1 }];
    for (const state of [
      undefined,
      null,
      [],
      { schema },
      { settings },
      { schema: { ...schema, idType: "float" }, settings, activeTextOptions: [] },
      { schema, settings: { ...settings, readOnly: 1 }, activeTextOptions: [] },
      { schema, settings },
      { schema, settings, activeTextOptions: {} },
      { schema, settings, activeTextOptions: texts },
      {
        schema,
        settings,
        activeTextOptions: [
          { ...texts[0], options: STATE.schema.attributes.get("text")?.fullTextSearch, since: -1 },
        ],
      },
    ]) {
      const json = new TextEncoder().encode(JSON.stringify({ ...first, state }));
      const parts = [nonce, previousNonce, json];
      const frame = { kind: "manifest", object: key, version: 1, parts } as const;
      const object = await encodeFrame({ ...frame, compression: "if smaller" });
      await expect(
        decodeManifest(object, generation, 1),
        JSON.stringify(state),
      ).rejects.toMatchObject({
        code: "corrupt",
        message: expect.stringContaining(`cannot read ${key}: `),
      });
    }
  });

  test("damage is corrupt, never a manifest", async () => {
    const random = seededRandom(SEED);
    const whole = await encodeManifest({ manifest: first, nonce, previousNonce }, generation);
    for (let round = 0; round < 500; round++) {
      const damaged = damagedBytes(whole, random);
      if (Buffer.compare(damaged, whole) === 0) continue;
      const outcome = await readOutcome(() => decodeManifest(damaged, generation, 1));
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

  test("a saver that slept does not win a collected number", async () => {
    const inner = new MemoryObjectStore();
    const sleeper = storeOver(inner, 1);
    await sleeper.save(first);
    const other = storeOver(inner, 2);
    for (const id of ["a", "b", "c"]) await addSegment(other, id);
    for (const version of [1, 2]) await inner.delete(manifestKey(generation, version));
    const next = editManifest(first, { updatedAtMs: 2, segments: [segment("z")] });
    expect(await sleeper.save(next)).toEqual({ kind: "conflict" });
    expect((await sleeper.load())?.segments.map(({ id }) => id)).toEqual(["a", "b", "c"]);

    await inner.delete(manifestKey(generation, 3));
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
});

describeNumberedObjects({
  effort: effort({ usual: NUMBERED_USUAL, full: NUMBERED_FULL }),
  name: "versions of a manifest",
  putRequests: 2, // A saver looks whether its number still counts.
  keyOf: (number) => manifestKey(generation, number),
  writer: ({ store, clock, random }) => {
    const manifests = new ManifestStore({ store, clock, random, generation });
    let known: Manifest | undefined;
    return {
      put: async (text) => {
        const segments = [...(known?.segments ?? []), segment(text)];
        const edit = { updatedAtMs: 2_000, segments };
        const next = known === undefined ? { ...first, ...edit } : editManifest(known, edit);
        const { kind } = await manifests.save(next);
        if (kind === "conflict") return kind;
        known = next;
        return next.version;
      },
      catchUp: async () => {
        known = await manifests.load();
      },
    };
  },
  texts: async (store) => (await storeOver(store).load())?.segments.map(({ id }) => id) ?? [],
});
