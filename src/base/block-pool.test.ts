import { expect, test } from "vitest";
import { BLOCK_BYTES_MIN, BlockPool } from "./block-pool.ts";
import { MIB } from "./byte-sizes.ts";

test("a block that is given back is used again by what is about as large", () => {
  const pool = new BlockPool();
  const block = pool.take(3 * MIB + 1);
  if (block === undefined) throw new Error("no block");
  expect(block.byteLength).toBe(4 * MIB);
  expect(pool.bytes).toEqual({ used: 4 * MIB, spare: 0 });
  expect(pool.take(3 * MIB)).not.toBe(block);
  pool.giveBack(block);
  expect(pool.bytes).toEqual({ used: 3 * MIB, spare: 4 * MIB });
  expect(pool.take(MIB)).not.toBe(block);
  expect(pool.take(5 * MIB)).not.toBe(block);
  expect(pool.take(2 * MIB)).toBe(block);
});

test("small blocks are not the pool's, nor are more than it may have", () => {
  const pool = new BlockPool();
  expect(pool.take(BLOCK_BYTES_MIN - 1)).toBeUndefined();
  const blocks = Array.from({ length: 5 }, () => pool.take(60 * MIB));
  expect(blocks.map((block) => block !== undefined)).toEqual([true, true, true, true, false]);
  expect(pool.bytes.used).toBe(240 * MIB);
});

test("few blocks wait, and none that was not used since the last sweep but one", () => {
  const pool = new BlockPool();
  const blocks = Array.from({ length: 3 }, () => pool.take(12 * MIB));
  for (const block of blocks) if (block !== undefined) pool.giveBack(block);
  expect(pool.bytes).toEqual({ used: 0, spare: 24 * MIB });
  pool.sweep();
  expect(pool.bytes.spare).toBe(24 * MIB);
  pool.sweep();
  expect(pool.bytes.spare).toBe(0);
});
