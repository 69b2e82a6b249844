import { describe, expect, test } from "vitest";
import {
  describeNumberedObjects,
  NUMBERED_FULL,
  NUMBERED_USUAL,
} from "../../test/conformance/numbered-objects.ts";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { effort } from "../../test/support/effort.ts";
import { damagedBytes, readOutcome } from "../../test/support/random/damaged-bytes.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { namespaceName, type SequenceNumber, sequenceNumber } from "../base/ids.ts";
import { joinPieces } from "../base/pieces.ts";
import { type Random, seededRandom } from "../base/random.ts";
import { CountingObjectStore } from "../storage/counting-object-store.ts";
import { walKey } from "../storage/object-keys.ts";
import { ALWAYS, type ObjectStore } from "../storage/object-store.ts";
import { decodeWalEntry, encodeWalEntry, type StoredWalEntry, type WalEntry } from "./wal-entry.ts";
import { WalReader } from "./wal-reader.ts";
import { WalWriter } from "./wal-writer.ts";

const SEED = 21;
const generation = { name: namespaceName("n"), generation: 1 };
const START = sequenceNumber(0);

const record = (text: string) => ({ kind: 1, pieces: [new TextEncoder().encode(text)] });
const textOf = (entry: StoredWalEntry) =>
  entry.records.map(({ bytes }) => Buffer.from(bytes).toString("utf8")).join();

function writerOf(store: ObjectStore, random: Random, after: SequenceNumber = START): WalWriter {
  return new WalWriter({ store, clock: new InstantClock(), random, generation, after });
}

async function readAll(
  store: ObjectStore,
  after: SequenceNumber = START,
): Promise<StoredWalEntry[]> {
  const entries: StoredWalEntry[] = [];
  for await (const { entry } of new WalReader(store, generation).entriesAfter(after))
    entries.push(entry);
  return entries;
}

async function filledStore(count: number): Promise<MemoryObjectStore> {
  const store = new MemoryObjectStore();
  const writer = writerOf(store, seededRandom(SEED));
  for (let number = 1; number <= count; number++) await writer.append([record(`${number}`)]);
  return store;
}

describe("WAL entry", () => {
  test("comes back with all its records, large and empty ones", async () => {
    const random = seededRandom(SEED);
    for (const sizes of [[], [0], [1, 0, 100_000], Array(500).fill(3)]) {
      const entry: WalEntry = {
        generation: 1,
        sequence: sequenceNumber(9),
        nonce: random.bytes(16),
        timeMs: 1_767_225_600_123,
      };
      const records = sizes.map((size) => ({ kind: random.below(256), bytes: random.bytes(size) }));
      const written = records.map(({ kind, bytes }) => {
        const cut = random.below(bytes.length + 1);
        return { kind, pieces: [bytes.subarray(0, cut), bytes.subarray(cut)] };
      });
      const object = joinPieces(await encodeWalEntry(entry, written, generation));
      const decoded = await decodeWalEntry(object, generation, entry.sequence);
      const plain = (all: readonly (typeof records)[number][]) =>
        all.map(({ kind, bytes }) => [kind, Buffer.from(bytes).toString("base64")]);
      expect({ ...decoded, records: plain(decoded.records) }).toEqual({
        ...entry,
        records: plain(records),
      });
      for (const { bytes } of decoded.records) expect(bytes.byteOffset % 8).toBe(0);
    }
  });

  test("one under another key is corrupt", async () => {
    const store = await filledStore(1);
    const object = (await store.get(walKey(generation, sequenceNumber(1)))) ?? new Uint8Array(0);
    await expect(decodeWalEntry(object, generation, sequenceNumber(2))).rejects.toThrow(
      /wal\/0{19}2: .*another key/,
    );
    const other = { ...generation, generation: 2 };
    await expect(decodeWalEntry(object, other, sequenceNumber(1))).rejects.toMatchObject({
      code: "corrupt",
    });
  });

  test("damage is corrupt, never an entry", async () => {
    const random = seededRandom(SEED);
    const store = await filledStore(1);
    const whole = (await store.get(walKey(generation, sequenceNumber(1)))) ?? new Uint8Array(0);
    for (let round = 0; round < 500; round++) {
      const damaged = damagedBytes(whole, random);
      if (Buffer.compare(damaged, whole) === 0) continue;
      const outcome = await readOutcome(() =>
        decodeWalEntry(damaged, generation, sequenceNumber(1)),
      );
      expect(outcome, `seed ${SEED}, round ${round}`).toEqual({ code: "corrupt" });
    }
  });
});

describe("WalWriter", () => {
  test("numbers entries without gaps, one request each", async () => {
    const store = new CountingObjectStore(new MemoryObjectStore());
    const writer = writerOf(store, seededRandom(SEED));
    for (let number = 1; number <= 5; number++) {
      const outcome = await writer.append([record(`${number}`)]);
      expect(outcome).toMatchObject({ kind: "written", entry: { sequence: number } });
    }
    expect(writer.last).toBe(5);
    expect(store.counts().requests).toMatchObject({ put: 5, get: 0, list: 0 });
    expect((await readAll(store)).map(textOf)).toEqual(["1", "2", "3", "4", "5"]);
  });

  test("hands over the entry that won its number, and goes on behind it", async () => {
    const store = await filledStore(2);
    const writer = writerOf(store, seededRandom(1));
    const outcome = await writer.append([record("mine")]);
    expect(outcome.kind).toBe("conflict");
    expect(outcome.kind === "conflict" && textOf(outcome.entry)).toBe("1");
    writer.follow(sequenceNumber(2));
    expect(await writer.append([record("mine")])).toMatchObject({ kind: "written" });
    expect((await readAll(store)).map(textOf)).toEqual(["1", "2", "mine"]);
  });
});

describeNumberedObjects({
  effort: effort({ usual: NUMBERED_USUAL, full: NUMBERED_FULL }),
  name: "entries of a log",
  putRequests: 1,
  keyOf: (number) => walKey(generation, sequenceNumber(number)),
  writer: ({ store, clock, random }) => {
    const writer = new WalWriter({ store, clock, random, generation, after: START });
    return {
      put: async (text) => {
        const outcome = await writer.append([record(text)]);
        return outcome.kind === "written" ? outcome.entry.sequence : outcome.kind;
      },
      catchUp: async () => {
        const entries = new WalReader(store, generation).entriesAfter(writer.last);
        for await (const { entry } of entries) writer.follow(entry.sequence);
      },
    };
  },
  texts: async (store) => (await readAll(store)).map(textOf),
});

describe("WalReader", () => {
  test("reads from any number to the end, in order", async () => {
    const store = await filledStore(40);
    for (const after of [0, 1, 39, 40, 50]) {
      const texts = (await readAll(store, sequenceNumber(after))).map(textOf);
      const expected = Array.from(
        { length: Math.max(0, 40 - after) },
        (_, i) => `${after + 1 + i}`,
      );
      expect(texts).toEqual(expected);
    }
  });

  test("reads more entries than a page of a listing holds", async () => {
    const store = new CountingObjectStore(await filledStore(1005));
    expect((await readAll(store)).length).toBe(1005);
    expect(store.counts().requests).toMatchObject({ get: 1005, list: 2 });
  });

  test("a probe tells an entry from the end with one request", async () => {
    const reader = new WalReader(await filledStore(3), generation);
    expect(textOf((await reader.read(sequenceNumber(3)))?.entry ?? fail())).toBe("3");
    expect(await reader.read(sequenceNumber(4))).toBeUndefined();
  });

  test("a gap is corrupt and names the missing object, after the entries before it", async () => {
    const store = await filledStore(6);
    await store.delete(walKey(generation, sequenceNumber(4)));
    const texts: string[] = [];
    const reading = async () => {
      for await (const { entry } of new WalReader(store, generation).entriesAfter(START)) {
        texts.push(textOf(entry));
      }
    };
    await expect(reading()).rejects.toThrow(/wal\/0{19}4: missing, but .*wal\/0{19}5 exists/);
    expect(await readOutcome(() => readAll(store, sequenceNumber(3)))).toEqual({ code: "corrupt" });
    expect((await readAll(store, sequenceNumber(4))).map(textOf)).toEqual(["5", "6"]);
  });

  test("damage is reported with its object, and nothing behind it is served", async () => {
    const store = await filledStore(6);
    await store.put(walKey(generation, sequenceNumber(3)), new Uint8Array(40), ALWAYS);
    const texts: string[] = [];
    const reading = async () => {
      for await (const { entry } of new WalReader(store, generation).entriesAfter(START)) {
        texts.push(textOf(entry));
      }
    };
    await expect(reading()).rejects.toThrow(/wal\/0{19}3/);
    expect(texts).toEqual(["1", "2"]);
  });

  test("fetches ahead within its bounds", async () => {
    const inner = await filledStore(150);
    let underWay = 0;
    let most = 0;
    const get: ObjectStore["get"] = async (key) => {
      most = Math.max(most, ++underWay);
      await new Promise((resolve) => setImmediate(resolve));
      underWay--;
      return inner.get(key);
    };
    const store = Object.assign(Object.create(inner), { get, list: inner.list.bind(inner) });
    expect((await readAll(store)).length).toBe(150);
    expect(most).toBeGreaterThan(4);
    expect(most).toBeLessThanOrEqual(64);
  });

  test("a reader that stops early leaves no failure behind", async () => {
    const store = await filledStore(10);
    await store.put(walKey(generation, sequenceNumber(2)), new Uint8Array(40), ALWAYS);
    for await (const { entry } of new WalReader(store, generation).entriesAfter(START)) {
      expect(textOf(entry)).toBe("1");
      break;
    }
    await new Promise((resolve) => setImmediate(resolve));
  });
});

function fail(): never {
  throw new Error("no entry");
}
