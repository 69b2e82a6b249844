import { expect, test } from "vitest";
import { openKernelSpace } from "../../test/support/segments/kernel-space.ts";
import { type Random, seededRandom } from "../base/random.ts";
import { CodeBlocks } from "../kernel/code-blocks.ts";
import { CODE_BLOCK_ROWS, codeBlockBytes, FOUND_WORDS } from "../kernel/code-scan.ts";
import { rotateVector } from "../kernel/scalar-rotation.ts";
import { CodeEncoder } from "./code-encoder.ts";
import { codeTable, spreadOf, writeFactors } from "./one-bit-codes.ts";

const SPACE = await openKernelSpace("scalar");
const { kernels, memory } = SPACE;

/** Rotated by signs that are always the same. */
function rotated(vector: Float32Array): Float32Array {
  const copy = vector.slice();
  rotateVector(copy, seededRandom(99).bytes((vector.length / 8) * 4), 4);
  return copy;
}

function randomVector(random: Random, dimensions: number, size: number): Float32Array {
  return Float32Array.from({ length: dimensions }, () => (random.next() - 0.5) * size);
}

function added(a: Float32Array, b: Float32Array, sign = 1): Float32Array {
  return a.map((value, i) => value + sign * b[i]);
}

function squaredDistance(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0);
}

/** The bounds of 32 rows around a centroid, in their order, as a scan tells them. */
function boundsOf(rows: readonly Float32Array[], centroid: Float32Array, query: Float32Array) {
  const nibbles = centroid.length / 4;
  const { bytes, ...place } = memory.allocate(codeBlockBytes(nibbles));
  // They are rotated already.
  const rotation = { rotatedDimensions: centroid.length, rounds: 0, signs: new Uint8Array(0) };
  const encoder = new CodeEncoder(
    { ...rotation, origin: new Float32Array(centroid.length) },
    SPACE,
  );
  encoder.setMean(centroid);
  encoder.begin(bytes, rows.length);
  for (const row of rows) encoder.write(row, 1);
  encoder.free();
  const matrix = { block: { ...place, bytes: bytes.length }, start: 0, nibbles };
  const table = codeTable(query);
  kernels.setCodeTable(matrix, table.table);
  const base = squaredDistance(query, centroid);
  const blocks = new CodeBlocks();
  const spread = spreadOf(base, table);
  blocks.add({ address: place.offset, mask: 0xffffffff, firstRow: 0, base, spread });
  const sent = { ...table, worst: Number.POSITIVE_INFINITY };
  const found = kernels.scanCodes({ arena: place.arena, nibbles }, blocks, sent);
  expect(found.count).toBe(CODE_BLOCK_ROWS);
  memory.free(matrix.block);
  return rows.map((_, i) => ({
    lower: found.bounds[FOUND_WORDS * i + 1],
    upper: found.bounds[FOUND_WORDS * i + 2],
  }));
}

test("nearly all distances are within their bounds, which are narrow", () => {
  let outside = 0;
  let count = 0;
  for (let seed = 1; seed <= 60; seed++) {
    const random = seededRandom(seed);
    const dimensions = 64 * (1 + random.below(12));
    const far = 10 ** random.below(3);
    const centroid = rotated(randomVector(random, dimensions, far));
    const rows = Array.from({ length: CODE_BLOCK_ROWS }, () =>
      added(centroid, rotated(randomVector(random, dimensions, 1))),
    );
    const offset = rotated(randomVector(random, dimensions, [0.01, 1, 3][random.below(3)]));
    const query = added(centroid, offset);
    const away = Math.sqrt(squaredDistance(query, centroid));
    boundsOf(rows, centroid, query).forEach(({ lower, upper }, i) => {
      const truth = squaredDistance(rows[i], query);
      if (truth < lower || truth > upper) outside++;
      count++;
      const radius = Math.sqrt(squaredDistance(rows[i], centroid));
      // 2 · 1.9 · 2 · √quality · radius · distance / √dimensions, and what the table rounds.
      const size = Math.sqrt(dimensions) * far;
      const width = (8 * radius * (away + size / 100)) / Math.sqrt(dimensions);
      expect(upper - lower, `seed ${seed}, row ${i}`).toBeLessThan(width);
    });
  }
  expect(outside / count).toBeLessThan(0.06);
});

test("rows at their centroid are as far as it is, and what is no number may be near", () => {
  const random = seededRandom(5);
  const centroid = rotated(randomVector(random, 128, 1));
  const query = rotated(randomVector(random, 128, 1));
  const rows = Array.from({ length: CODE_BLOCK_ROWS }, () => centroid);
  rows[7] = added(centroid, randomVector(random, 128, 3e38));
  const bounds = boundsOf(rows, centroid, query);
  const { lower, upper } = bounds[3];
  const truth = squaredDistance(centroid, query);
  expect(lower).toBeCloseTo(truth, 4);
  expect(upper).toBeCloseTo(truth, 4);
  expect(bounds[7].lower > 0).toBe(false);
});

test("a query of zeros, or of one element, has a table", () => {
  const zeros = codeTable(new Float32Array(64));
  expect(zeros.table.every((value) => value === 0)).toBe(true);
  expect(zeros.offset).toBeCloseTo(0);
  const one = codeTable(Float32Array.from({ length: 64 }, (_, i) => (i === 5 ? -2 : 0)));
  // Element 5 is the second bit of nibble 1: its code counts 1 · −2 · ½ with it.
  const withBit = one.table[16 + 2] * one.scale + one.offset;
  const without = one.table[16] * one.scale + one.offset;
  expect([withBit, without]).toEqual([-1, 1]);
});

test("factors that float32 cannot hold say nothing", () => {
  const factors = new Float32Array(3 * CODE_BLOCK_ROWS);
  writeFactors(factors, 5, { dimensions: 64, squared: 1e34, signed: 7e17, shift: 3e22 });
  expect(factors[5]).toBe(0);
  expect(factors[2 * CODE_BLOCK_ROWS + 5]).toBeNaN();
});
