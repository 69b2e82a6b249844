/**
 * Readers of one small cache over a store that fails, misreads and takes its time: what they read
 * is always what was stored, and all memory is given back (I8, I15).
 */

import { expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { writePages } from "../../test/support/segments/write-pages.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { MIB } from "../base/byte-sizes.ts";
import { DatabaseError, isDatabaseError } from "../base/errors.ts";
import { nextTurn } from "../base/next-turn.ts";
import { joinPieces } from "../base/pieces.ts";
import { type Random, seededRandom } from "../base/random.ts";
import { encodeFramePieces } from "../codec/frame.ts";
import { Arenas } from "../kernel/arena.ts";
import { attemptAll } from "../segment/format/bytes-missing.ts";
import { ALWAYS, type ObjectKey, objectKey } from "../storage/object-store.ts";
import { connectCache } from "./cache-reader.ts";
import { CacheService } from "./cache-service.ts";
import { localCachePort } from "./local-cache.ts";
import type { ResidentRanges } from "./resident-ranges.ts";

const READERS = 3;
const OBJECTS = 4;

interface StoredObject {
  readonly key: ObjectKey;
  readonly content: Uint8Array;
}

class FaultyStore extends MemoryObjectStore {
  readonly #random: Random;

  constructor(random: Random) {
    super();
    this.#random = random;
  }

  override async getRange(key: ObjectKey, start: number, end: number) {
    await turns(this.#random.below(30));
    const chance = this.#random.next();
    if (chance < 0.1) throw new DatabaseError("unavailable", "by chance");
    const bytes = await super.getRange(key, start, end);
    if (bytes === undefined || chance > 0.13) return bytes;
    const wrong = bytes.slice();
    wrong[this.#random.below(wrong.length)] ^= 4;
    return wrong;
  }
}

test.each(Array.from({ length: effort({ usual: 3, full: 16 }) }, (_, i) => i + 1))(
  "random reads, seed %i",
  async (seed) => {
    const random = seededRandom(seed);
    const store = new FaultyStore(random);
    const objects: StoredObject[] = [];
    for (let i = 0; i < OBJECTS; i++) {
      const content = seededRandom(seed * 100 + i).bytes(50_000 + random.below(MIB));
      objects.push({ key: await put(store, `s${i}`, content), content });
    }
    const totalBytes = (4 + random.below(40)) * 65_536;
    const arenas = new Arenas({ totalBytes, threads: 1, arenaBytes: MIB });
    const service = new CacheService({ store, arenas, nextTurn });
    const readers = Array.from({ length: READERS }, () => connectCache(localCachePort(service)));
    let answered = 0;
    const client = async () => {
      for (let round = 0; round < 25; round++) {
        const reader = readers[random.below(READERS)];
        try {
          const looks = randomLooks(reader, objects, random);
          if (random.next() < 0.2) await reader.prefetch(reader.missingOf(looks));
          await reader.run(looks);
          answered++;
        } catch (error) {
          if (!isDatabaseError(error, "unavailable", "out_of_memory", "corrupt")) throw error;
        }
        const { key } = objects[random.below(OBJECTS)];
        const chance = random.next();
        if (chance < 0.05) reader.forget(key);
        else if (chance < 0.1) await reader.purge([key]);
        expect(arenas.usedBytes).toBeLessThanOrEqual(totalBytes);
      }
    };
    await Promise.all(Array.from({ length: 5 }, client));
    expect(answered).toBeGreaterThan(5);
    await readers[0].purge(objects.map(({ key }) => key));
    await turns(20);
    expect(arenas.usedBytes).toBe(0);
    for (const reader of readers) expect(reader.objectCount).toBe(0);
  },
);

/** Code that looks at some ranges together, and then perhaps at one more. */
function randomLooks(reader: ResidentRanges, objects: readonly StoredObject[], random: Random) {
  const looks = Array.from({ length: 1 + random.below(4) }, () => {
    const { key, content } = objects[random.below(OBJECTS)];
    const start = random.below(content.length);
    const end = start + 1 + random.below(random.next() < 0.7 ? 200 : 150_000);
    const source = reader.sourceOf(key, content.length);
    return { source, content, start, end: Math.min(content.length, end) };
  });
  const look = ({ source, content, start, end }: (typeof looks)[number]) => {
    const { bytes, offset } = source.place(start, end);
    const isSame = Buffer.compare(bytes, content.subarray(start, end)) === 0;
    expect(isSame, `bytes ${start} to ${end}`).toBe(true);
    expect(offset % 64).toBe(start % 64);
  };
  return () => {
    attemptAll(looks.slice(1).map((one) => () => look(one)));
    look(looks[0]);
  };
}

async function put(store: MemoryObjectStore, name: string, content: Uint8Array) {
  const key = objectKey(`namespaces/n-table/0000000001/segments/${name}`);
  const parts = [writePages(content, key)];
  const frame = { kind: "segment", object: key, version: 1, parts, compression: "never" } as const;
  await store.put(key, joinPieces(await encodeFramePieces(frame)), ALWAYS);
  return key;
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}
