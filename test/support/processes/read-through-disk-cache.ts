/**
 * Reads random ranges of some objects through a disk cache that others use, too, and compares each
 * with the object. Prints a line after every 20 reads: how many of them the disk answered.
 */

import { systemClock } from "../../../src/base/clock.ts";
import { seededRandom } from "../../../src/base/random.ts";
import { DiskCache } from "../../../src/storage/disk-cache/disk-cache.ts";
import { SET_BYTES } from "../../../src/storage/disk-cache/disk-cache-layout.ts";
import { DiskCacheStore } from "../../../src/storage/disk-cache/disk-cache-store.ts";
import { ALWAYS, objectKey } from "../../../src/storage/object-store.ts";
import { MemoryObjectStore } from "../stores/memory-object-store.ts";

const OBJECTS = 24;
const OBJECT_BYTES = 2_500_000;
const READS_AT_ONCE = 4;

const [directory, seed, roundCount] = process.argv.slice(2);
const random = seededRandom(Number(seed));
const plain = new MemoryObjectStore();
const keys = Array.from({ length: OBJECTS }, (_, i) =>
  objectKey(`namespaces/n-table/0000000001/segments/s${i}`),
);
for (const [i, key] of keys.entries()) {
  // The same in all processes; no two blocks are the same.
  const words = new Uint32Array(OBJECT_BYTES / 4);
  for (let at = 0; at < words.length; at++) words[at] = Math.imul(at + 1, 2_654_435_761 + 2 * i);
  await plain.put(key, new Uint8Array(words.buffer), ALWAYS);
}
// Room for fewer regions than there are, so that they are overwritten all the time.
const cache = new DiskCache({ directory, bytesMax: 3 * SET_BYTES, clock: systemClock });
const store = new DiskCacheStore(plain, cache);

async function readOne(): Promise<void> {
  const key = keys[random.below(OBJECTS)];
  const start = random.below(OBJECT_BYTES);
  const end = start + random.below(random.below(4) === 0 ? 1_000_000 : 100_000);
  const [read, expected] = [
    await store.getRange(key, start, end),
    await plain.getRange(key, start, end),
  ];
  if (read === undefined || expected === undefined || Buffer.compare(read, expected) !== 0) {
    throw new Error(`${key} from ${start} to ${end} is not what it was`);
  }
}

for (let round = 0; round < Number(roundCount); round++) {
  for (let i = 0; i < 20 / READS_AT_ONCE; i++) {
    await Promise.all(Array.from({ length: READS_AT_ONCE }, readOne));
  }
  process.stdout.write(`${cache.stats.hits}\n`);
}
await cache.whenIdle();
