import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { describe, expect, test } from "vitest";
import { effort } from "../../test/support/effort.ts";
import { MIB } from "../base/byte-sizes.ts";
import { seededRandom } from "../base/random.ts";
import { type ArenaRange, Arenas, scratchOffset } from "./arena.ts";
import { ArenaKernels } from "./arena-kernels.ts";
import { FreeList } from "./free-list.ts";
import { SCAN_ROWS_MAX } from "./kernel.ts";
import { compileKernel } from "./load-kernel.ts";

describe("the free list", () => {
  test("gives what a map of single bytes gives", () => {
    const seeds = effort({ usual: 50, full: 200 });
    for (let seed = 1; seed <= seeds; seed++) {
      const random = seededRandom(seed);
      const start = random.below(10);
      const size = 200;
      const list = new FreeList(start, start + size);
      const isTaken = new Array<boolean>(size).fill(false);
      const blocks: { at: number; bytes: number }[] = [];
      for (let step = 0; step < 300; step++) {
        if (random.below(2) === 0 && blocks.length > 0) {
          const [block] = blocks.splice(random.below(blocks.length), 1);
          list.give(block.at, block.bytes);
          isTaken.fill(false, block.at - start, block.at - start + block.bytes);
        } else {
          const bytes = 1 + random.below(30);
          const wanted = firstFit(isTaken, bytes);
          const at = list.take(bytes);
          expect(at, `seed ${seed}`).toBe(wanted === undefined ? undefined : wanted + start);
          if (at === undefined) continue;
          blocks.push({ at, bytes });
          isTaken.fill(true, at - start, at - start + bytes);
        }
        expect(list.freeBytes, `seed ${seed}`).toBe(isTaken.filter((taken) => !taken).length);
      }
    }
  });

  test("refuses bytes that are free already", () => {
    const list = new FreeList(0, 100);
    list.take(50);
    expect(() => list.give(40, 20)).toThrow("assertion failed");
    list.give(10, 10);
    expect(() => list.give(10, 10)).toThrow("assertion failed");
    expect(() => list.give(5, 10)).toThrow("assertion failed");
  });
});

function firstFit(isTaken: readonly boolean[], bytes: number): number | undefined {
  for (let at = 0; at + bytes <= isTaken.length; at++) {
    if (!isTaken.slice(at, at + bytes).includes(true)) return at;
  }
  return undefined;
}

/** Compares natively: bytes are many. */
function isFilled(bytes: Uint8Array, mark: number): boolean {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).equals(
    Buffer.alloc(bytes.length, mark),
  );
}

describe("arenas", () => {
  const options = { arenaBytes: MIB, totalBytes: 8 * MIB, threads: 2 };

  test("blocks never overlap, keep their bytes, and stay within the total", () => {
    const seeds = effort({ usual: 5, full: 20 });
    for (let seed = 1; seed <= seeds; seed++) {
      const random = seededRandom(seed);
      const arenas = new Arenas(options);
      const live: { block: ArenaRange; mark: number }[] = [];
      let used = 0;
      for (let step = 0; step < 400; step++) {
        if (random.below(5) < 2 && live.length > 0) {
          const [{ block, mark }] = live.splice(random.below(live.length), 1);
          expect(isFilled(arenas.bytes(block), mark), `seed ${seed}`).toBe(true);
          arenas.free(block);
          used -= Math.max(Math.ceil(block.bytes / 64), 1) * 64;
        } else {
          const bytes = random.below(random.below(10) === 0 ? 2 * MIB : 50_000);
          const block = arenas.alloc(bytes);
          const padded = Math.max(Math.ceil(bytes / 64), 1) * 64;
          expect(block === undefined, `seed ${seed}`).toBe(used + padded > options.totalBytes);
          if (block === undefined) continue;
          used += padded;
          expect(block.offset % 64).toBe(0);
          expect(block.offset).toBeGreaterThanOrEqual(scratchOffset(2));
          const mark = random.below(256);
          arenas.bytes(block).fill(mark);
          live.push({ block, mark });
        }
        expect(arenas.usedBytes).toBe(used);
        expect(arenas.freeBytes).toBe(options.totalBytes - used);
      }
    }
  });

  test("freed blocks are used again before a new arena is made", () => {
    const arenas = new Arenas(options);
    let count = 0;
    arenas.onArena(() => count++);
    for (let round = 0; round < 50; round++) {
      const blocks = [arenas.alloc(300_000), arenas.alloc(200_000)];
      for (const block of blocks) if (block !== undefined) arenas.free(block);
    }
    expect(count).toBe(1);
    expect(arenas.usedBytes).toBe(0);
  });

  test("pages that were touched are used before others, in whichever arena they are", () => {
    const arenas = new Arenas({ totalBytes: 8 * MIB, threads: 1, arenaBytes: 2 * MIB });
    const take = (bytes: number) => arenas.alloc(bytes) ?? expect.unreachable();
    const [first, second] = [take(MIB), take(1.5 * MIB)];
    expect([first.arena, second.arena]).toEqual([0, 1]);
    arenas.free(second);
    // Behind the first there is room, too, that no block has reached.
    expect(take(0.5 * MIB)).toMatchObject({ arena: 1, offset: second.offset });
    expect(take(1.2 * MIB).arena).toBe(1);
  });

  test("a block that was freed is refused", () => {
    const arenas = new Arenas(options);
    const block = arenas.alloc(10) as ArenaRange;
    arenas.free(block);
    expect(() => arenas.free(block)).toThrow("assertion failed: no block");
  });

  test("an arena costs memory only where it was touched", () => {
    const before = process.memoryUsage().rss;
    const arenas = new Arenas({ totalBytes: 1024 * MIB, threads: 2 });
    const block = arenas.alloc(900 * MIB) as ArenaRange;
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
    arenas.bytes(block).fill(1, 0, MIB);
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * MIB);
  });

  test("every thread is told of each arena once, early or late", () => {
    const arenas = new Arenas(options);
    const early: number[] = [];
    const late: number[] = [];
    arenas.onArena((_, arena) => early.push(arena));
    arenas.alloc(600_000);
    arenas.alloc(600_000);
    arenas.onArena((_, arena) => late.push(arena));
    arenas.alloc(3 * MIB);
    expect(early).toEqual([0, 1, 2]);
    expect(late).toEqual([0, 1, 2]);
  });
});

describe("kernels over arenas", () => {
  test("serve a thread that gets memories, module and blocks by message", async () => {
    const arenas = new Arenas({ arenaBytes: MIB, totalBytes: 16 * MIB, threads: 2 });
    const block = arenas.alloc(16) as ArenaRange;
    const values = new Float32Array(arenas.bytes(block).buffer, block.offset, 4);
    values.set([1, 2, 3, 4]);
    const memories: WebAssembly.Memory[] = [];
    arenas.onArena((memory) => memories.push(memory));
    const module = await compileKernel("auto");
    const worker = new Worker(
      new URL("../../test/support/processes/arena-worker.ts", import.meta.url),
      {
        workerData: { module, memories, block },
      },
    );
    const [answer] = await once(worker, "message");
    expect(answer).toEqual({ scores: [2, 4], written: 1 });
    // What the thread wrote to the block is here at once: it is the same memory.
    expect(values[0]).toBe(-1);
    await worker.terminate();
  });

  test("score ranges and lists of rows of any arena, each thread in its own scratch", () => {
    const arenas = new Arenas({ arenaBytes: MIB, totalBytes: 16 * MIB, threads: 2 });
    const threads = [new ArenaKernels(undefined, 0), new ArenaKernels(undefined, 1)];
    for (const thread of threads) arenas.onArena((memory, arena) => thread.attach(arena, memory));
    arenas.alloc(900_000);
    const dimensions = 3;
    const rows = 1000;
    const block = arenas.alloc(64 + rows * dimensions * 4 + 600_000) as ArenaRange;
    expect(block.arena).toBe(1);
    const matrix = { block, start: 64, format: "f32", dimensions, strideBytes: 12 } as const;
    const bytes = threads[0].bytes(block);
    new Float32Array(bytes.buffer, bytes.byteOffset + 64, rows * dimensions).forEach(
      (_, i, all) => {
        all[i] = i;
      },
    );
    threads[0].setQuery(matrix, Float32Array.of(1, 0, 0));
    threads[1].setQuery(matrix, Float32Array.of(0, 1, 0));
    expect([...threads[0].scoreRange("dot", matrix, 10, 13)]).toEqual([30, 33, 36]);
    expect([...threads[1].scoreRows("dot", matrix, Uint32Array.of(7, 0, 999))]).toEqual([
      22, 1, 2998,
    ]);
    expect([...threads[0].scoreRange("squaredDistance", matrix, 0, 1)]).toEqual([1 + 1 + 4]);
    expect(threads[0].scoreRange("dot", matrix, 5, 5)).toHaveLength(0);
    expect(() => threads[0].scoreRange("dot", matrix, 0, SCAN_ROWS_MAX + 1)).toThrow("at once");
    expect(() => threads[0].setQuery(matrix, Float32Array.of(1))).toThrow("1 dimensions");
  });
});
