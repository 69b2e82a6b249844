import { expect, test } from "vitest";
import { writePages } from "../../test/support/segments/write-pages.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { MIB } from "../base/byte-sizes.ts";
import { isDatabaseError } from "../base/errors.ts";
import { FORMAT_VERSIONS } from "../base/format-versions.ts";
import { joinPieces } from "../base/pieces.ts";
import { seededRandom } from "../base/random.ts";
import { encodeFramePieces } from "../codec/frame.ts";
import { ALWAYS, objectKey, type ReadTrace } from "../storage/object-store.ts";
import { PAGE_CONTENT_BYTES } from "./format/segment-pages.ts";
import { readStoredContent } from "./stored-content.ts";

const KEY = objectKey("namespaces/n-table/0000000001/segments/s");
const random = seededRandom(11);
const PART_CONTENT = 128 * PAGE_CONTENT_BYTES;
/** Three reads. */
const LARGE = 2 * PART_CONTENT + 1;
const CONTENT = random.bytes(LARGE);
const OBJECT = await objectOf(CONTENT);

/** A store that counts reads, and changes what some of them bring. */
class ReadingStore extends MemoryObjectStore {
  readonly traces: (ReadTrace | undefined)[] = [];
  change: (bytes: Uint8Array, trace: ReadTrace | undefined) => Uint8Array = (bytes) => bytes;

  override async getRange(key: typeof KEY, start: number, end: number, trace?: ReadTrace) {
    this.traces.push(trace);
    const bytes = await super.getRange(key, start, end);
    return bytes && this.change(bytes, trace);
  }
}

async function objectOf(content: Uint8Array): Promise<Uint8Array> {
  const parts = [writePages(content, KEY)];
  const { newest: version } = FORMAT_VERSIONS.segment;
  const frame = { kind: "segment", object: KEY, version, parts, compression: "never" } as const;
  return joinPieces(await encodeFramePieces(frame));
}

async function storeOf(object: Uint8Array): Promise<ReadingStore> {
  const store = new ReadingStore();
  await store.put(KEY, object, ALWAYS);
  return store;
}

function read(store: ReadingStore): Promise<Uint8Array> {
  return readStoredContent(store, KEY, (bytes) => new Uint8Array(bytes));
}

async function isRefused(store: ReadingStore): Promise<boolean> {
  return read(store).then(
    () => false,
    (error: unknown) => isDatabaseError(error, "corrupt"),
  );
}

test("content of every size comes back, in reads of 8 MiB that nobody keeps", async () => {
  const sizes = [
    [1, 1],
    [PART_CONTENT - 1, 1],
    [PART_CONTENT, 1],
    [PART_CONTENT + 1, 2],
    [LARGE, 3],
  ];
  for (const [bytes, reads] of sizes) {
    const content = CONTENT.subarray(0, bytes);
    const store = await storeOf(await objectOf(content));
    expect(Buffer.compare(await read(store), content), `${bytes} bytes`).toBe(0);
    expect(store.traces.length, `${bytes} bytes`).toBe(reads);
    expect(store.traces.every((trace) => trace?.isOnce === true)).toBe(true);
  }
});

test("what is damaged on the way is read once more from the store itself", async () => {
  const store = await storeOf(OBJECT);
  store.change = (bytes, trace) => {
    if (trace?.isAnew === true) return bytes;
    const changed = bytes.slice();
    changed[changed.length >> 1] ^= 1;
    return changed;
  };
  expect(Buffer.compare(await read(store), CONTENT)).toBe(0);
  expect(store.traces.filter((trace) => trace?.isAnew === true).length).toBe(3);
});

test("damage, cut ends, further bytes and absence are found", async () => {
  for (const at of [0, 20, 31, 32, 70_000, 9 * MIB, OBJECT.length - 1]) {
    const damaged = OBJECT.slice();
    damaged[at] ^= 4;
    expect(await isRefused(await storeOf(damaged)), `byte ${at}`).toBe(true);
  }
  for (const bytes of [0, 31, 32, 100, 8 * MIB + 32, 9 * MIB, OBJECT.length - 1]) {
    expect(await isRefused(await storeOf(OBJECT.slice(0, bytes))), `${bytes} bytes`).toBe(true);
  }
  const longer = new Uint8Array(OBJECT.length + 1);
  longer.set(OBJECT);
  expect(await isRefused(await storeOf(longer))).toBe(true);
  expect(await isRefused(new ReadingStore())).toBe(true);
  const exact = await objectOf(CONTENT.subarray(0, PART_CONTENT));
  const exactLonger = new Uint8Array(exact.length + 1);
  exactLonger.set(exact);
  expect(await isRefused(await storeOf(exactLonger))).toBe(true);
});
