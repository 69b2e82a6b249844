/** Cases: whole objects and ranges of them. */

import { MIB } from "../../base/byte-sizes.ts";
import { isDatabaseError } from "../../base/errors.ts";
import { seededRandom } from "../../base/random.ts";
import { ALWAYS, IF_ABSENT, type ObjectStore, objectKey } from "../object-store.ts";
import {
  bytesOf,
  type CertificationCase,
  expectBytes,
  expectSame,
  expectThat,
  type Tally,
  textOf,
} from "./certification-case.ts";

/** Bodies and ranges are the same in every run. */
const SEED = 20_260_101;
/** More than two parts of an upload. */
const LARGEST_BYTES = 34 * MIB + 7;

/** The cases, in the order in which they run. */
export const OBJECT_CASES: readonly CertificationCase[] = [
  { promise: "an absent object is reported as absent, whole and in ranges", run: absence },
  { promise: "a key that is the folder of other keys holds no object", run: folders },
  {
    promise: "put-if-absent conflicts where an object is, and leaves it as it was",
    run: conflicts,
  },
  { promise: "an unconditional put replaces, with fewer bytes as with more", run: replacement },
  { promise: "a deleted object may be created again; deleting twice is no error", run: deletion },
  { promise: "bodies of all sizes come back, from plain, offset and shared memory", run: sizes },
  { promise: "what a caller does to its bytes changes nothing that is stored", run: isolation },
  { promise: "large objects come back and conflict, put at once or in parts", run: largeObjects },
  { promise: "ranges are half-open and short at the end of the object", run: rangeEnds },
  { promise: "random ranges equal slices of the whole", run: randomRanges },
];

async function absence(store: ObjectStore): Promise<string> {
  expectSame("an absent object", await store.get(objectKey("a/b")), undefined);
  expectSame("its range", await store.getRange(objectKey("a/b"), 0, 10), undefined);
  return "absent";
}

async function folders(store: ObjectStore): Promise<string> {
  await store.put(objectKey("a/b/c"), bytesOf("x"), IF_ABSENT);
  expectSame("a folder", await store.get(objectKey("a/b")), undefined);
  expectSame("a folder's range", await store.getRange(objectKey("a"), 0, 10), undefined);
  return "absent";
}

async function conflicts(store: ObjectStore): Promise<string> {
  const key = objectKey("a/one");
  const first = await store.put(key, bytesOf("first"), IF_ABSENT);
  expectSame("the first put", first, { kind: "written" });
  const second = await store.put(key, bytesOf("second"), IF_ABSENT);
  expectSame("the second put", second, { kind: "conflict" });
  expectSame("the object", textOf(await store.get(key)), "first");
  return "written, then a conflict";
}

async function replacement(store: ObjectStore): Promise<string> {
  const key = objectKey("one");
  for (const body of ["middle", "a longer text", "s", ""]) {
    const outcome = await store.put(key, bytesOf(body), ALWAYS);
    expectSame("an unconditional put", outcome, { kind: "written" });
    expectSame("the object", textOf(await store.get(key)), body);
  }
  return "4 bodies, one after the other";
}

async function deletion(store: ObjectStore): Promise<string> {
  const key = objectKey("a/b/gone");
  await store.put(key, bytesOf("1"), IF_ABSENT);
  await store.delete(key);
  await store.delete(key);
  await store.delete(objectKey("never/was"));
  expectSame("a deleted object", await store.get(key), undefined);
  const again = await store.put(key, bytesOf("2"), IF_ABSENT);
  expectSame("a put after that", again, { kind: "written" });
  expectSame("the object", textOf(await store.get(key)), "2");
  return "deleted and created again";
}

async function sizes(store: ObjectStore): Promise<string> {
  const random = seededRandom(SEED);
  const all = [0, 1, 65_535, 65_536, 65_537, 300_000];
  for (const size of all) {
    const shared = new Uint8Array(new SharedArrayBuffer(size + 5)).subarray(5);
    shared.set(random.bytes(size));
    const key = objectKey(`sizes/${size}`);
    await store.put(key, shared, IF_ABSENT);
    expectBytes(`a body of ${size} bytes`, await store.get(key), shared);
  }
  return `${all.join(", ")} bytes`;
}

async function isolation(store: ObjectStore): Promise<string> {
  const key = objectKey("mine");
  const body = bytesOf("stored");
  await store.put(key, body, IF_ABSENT);
  body.fill(0);
  (await store.get(key))?.fill(0);
  expectSame("the object", textOf(await store.get(key)), "stored");
  return "unchanged";
}

/** 17 MiB are more than is sent as one array. */
async function largeObjects(store: ObjectStore, tally: Tally): Promise<string> {
  const pattern = seededRandom(SEED).bytes(99_991);
  const largest = new Uint8Array(new SharedArrayBuffer(LARGEST_BYTES));
  for (let at = 0; at < LARGEST_BYTES; at += pattern.length) {
    largest.set(pattern.subarray(0, LARGEST_BYTES - at), at);
  }
  const bodyOf = (size: number) => largest.subarray(0, size);
  const atOnce = objectKey("large/if-absent");
  const body = bodyOf(17 * MIB);
  const outcome = await store.put(atOnce, [body.subarray(0, 1000), body.subarray(1000)], IF_ABSENT);
  expectSame("a large conditional put", outcome, { kind: "written" });
  expectBytes("an object of 17 MiB", await store.get(atOnce), body);
  try {
    const late = await store.put(atOnce, bodyOf(18 * MIB), IF_ABSENT);
    expectSame("a large conditional put on it", late, { kind: "conflict" });
  } catch (error) {
    // A service may answer and close the connection before it has read the body.
    if (!isDatabaseError(error, "unavailable", "overloaded")) throw error;
    tally.unknownPuts++;
  }
  expectBytes("the object after that", await store.get(atOnce), body);

  const inParts = objectKey("large/always");
  for (const size of [LARGEST_BYTES, 20 * MIB]) {
    const parts = bodyOf(size);
    await store.put(inParts, parts, ALWAYS);
    expectBytes(`an object of ${size} bytes`, await store.get(inParts), parts);
    const start = 16 * MIB - 100;
    const range = await store.getRange(inParts, start, start + 4096);
    expectBytes("a range over two parts", range, parts.subarray(start, start + 4096));
  }
  return "17, 34 and 20 MiB";
}

async function rangeEnds(store: ObjectStore): Promise<string> {
  const key = objectKey("range");
  await store.put(key, ["012", "", "3456789"].map(bytesOf), IF_ABSENT);
  const wanted: [start: number, end: number, text: string][] = [
    [0, 10, "0123456789"],
    [3, 6, "345"],
    [8, 99, "89"],
    [10, 12, ""],
    [5_000_000, 5_000_001, ""],
    [4, 4, ""],
  ];
  for (const [start, end, text] of wanted) {
    expectSame(`bytes ${start} to ${end}`, textOf(await store.getRange(key, start, end)), text);
  }
  const empty = objectKey("empty");
  await store.put(empty, new Uint8Array(0), IF_ABSENT);
  expectSame("a range of an empty object", textOf(await store.getRange(empty, 0, 5)), "");
  return `${wanted.length} ranges`;
}

async function randomRanges(store: ObjectStore): Promise<string> {
  const random = seededRandom(SEED);
  const body = random.bytes(200_000);
  const key = objectKey("ranges");
  await store.put(key, body, IF_ABSENT);
  const rounds = 50;
  for (let round = 0; round < rounds; round++) {
    const start = random.below(body.length + 10);
    const end = start + random.below(random.next() < 0.5 ? 100 : 150_000);
    const read = await store.getRange(key, start, end);
    expectThat(read !== undefined, "the object has gone");
    expectBytes(`seed ${SEED}, range ${start} to ${end}`, read, body.subarray(start, end));
  }
  return `${rounds} ranges`;
}
