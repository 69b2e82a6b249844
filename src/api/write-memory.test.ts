import { expect, test } from "vitest";
import { BlockPool } from "../base/block-pool.ts";
import { MIB } from "../base/byte-sizes.ts";
import { MemoryPool } from "../base/memory-pool.ts";
import { UNCOUNTED_BYTES, WriteMemory } from "./write-memory.ts";

test("what one write may not take is refused for good, what others have for now", () => {
  const pool = new MemoryPool(10 * MIB);
  const [first, second] = [new WriteMemory(pool), new WriteMemory(pool)];
  first.hold(UNCOUNTED_BYTES + 6 * MIB);
  // It is told how much there is now, not how much more.
  first.hold(UNCOUNTED_BYTES + 4 * MIB);
  expect(pool.bytesUsed).toBe(6 * MIB);
  second.hold(UNCOUNTED_BYTES + 3 * MIB);
  expect(() => second.hold(UNCOUNTED_BYTES + 5 * MIB)).toThrow(
    expect.objectContaining({
      code: "out_of_memory",
      message: expect.stringContaining(`${9 * MIB} of ${10 * MIB} bytes, and it needs ${5 * MIB}`),
    }),
  );
  expect(() => first.hold(11 * MIB)).toThrow(
    expect.objectContaining({
      code: "too_large",
      message: expect.stringContaining(`over ${10 * MIB} bytes`),
    }),
  );
  first.release();
  second.hold(UNCOUNTED_BYTES + 10 * MIB);
  // Small writes find room beside those that have all.
  first.hold(UNCOUNTED_BYTES);
  second.release();
  expect(pool.bytesUsed).toBe(0);
});

test("vectors of a write have room in blocks, up to a bound, until it is over", () => {
  const blocks = new BlockPool();
  const memory = new WriteMemory(new MemoryPool(MIB), blocks);
  expect(memory.vectors(100)).toBeUndefined();
  expect(memory.vectors(MIB)).toHaveLength(MIB);
  expect(memory.vectors(14 * MIB)).toHaveLength(14 * MIB);
  expect(memory.vectors(2 * MIB)).toBeUndefined();
  expect(blocks.bytes.used).toBe(60 * MIB);
  memory.release();
  memory.release();
  expect(blocks.bytes).toEqual({ used: 0, spare: 4 * MIB });
  expect(new WriteMemory(new MemoryPool(MIB)).vectors(MIB)).toBeUndefined();
});
