/** What `Kernel` promises of codes of a byte for each element: a part of its conformance suite. */

import { expect, test } from "vitest";
import { type Random, seededRandom } from "../../src/base/random.ts";
import {
  type ElementEncoding,
  type EstimateScan,
  elementCodeStride,
  paddedElements,
  ROW_CODE_MAX,
  ROW_CODE_SHIFT,
  VECTOR_CODE_MAX,
} from "../../src/kernel/estimate-scan.ts";
import type { Kernel } from "../../src/kernel/kernel.ts";
import { ScalarKernel } from "../../src/kernel/scalar-kernel.ts";
import { expectEqual } from "../support/expect-equal.ts";

/** Vectors, rows, and rows in a list, at most. */
const NEAREST_MAX = 20;
const LIST_MAX = 5;
const LISTS_WORDS = NEAREST_MAX * LIST_MAX;

const NEAREST_GATHER = 64;
const CLOSENESSES = NEAREST_GATHER + NEAREST_MAX * 4;
const NEAREST_FOUND = CLOSENESSES + LISTS_WORDS * 4;

/** Elements that are encoded, at most, and where they and coded vectors and rows lie. */
const ELEMENTS_MAX = 2_100;
const ELEMENTS = NEAREST_FOUND + LISTS_WORDS * 4;
const ELEMENT_ORIGIN = ELEMENTS + 4 * ELEMENTS_MAX;
const WEIGHTS = ELEMENT_ORIGIN + 4 * ELEMENTS_MAX;
const CODED_VECTORS = Math.ceil((WEIGHTS + 4 * NEAREST_MAX) / 16) * 16;

/** Random elements, of which some are equal to the origin, very large, or no numbers. */
function randomElements(memory: WebAssembly.Memory, random: Random): ElementEncoding {
  const count = 1 + random.below(3);
  const dimensions = 1 + random.below(random.below(2) ? 70 : Math.floor(ELEMENTS_MAX / count));
  const elements = new Float32Array(memory.buffer, ELEMENTS, count * dimensions);
  const origin = new Float32Array(memory.buffer, ELEMENT_ORIGIN, dimensions);
  const weights = new Float32Array(memory.buffer, WEIGHTS, count);
  const scale = [1, 1, 1e-3, 1e6, 1e38, 1e-40, 0][random.below(7)];
  for (let d = 0; d < dimensions; d++) origin[d] = random.below(2) * scale * random.next();
  for (let i = 0; i < elements.length; i++) {
    elements[i] = origin[i % dimensions] + scale * (random.next() - 0.5);
  }
  weights.forEach((_, i) => {
    weights[i] = [1, 1, random.next(), Number.NaN][random.below(4)];
  });
  const special = [Number.NaN, Number.POSITIVE_INFINITY, -3.4e38, -0];
  if (random.below(4) === 0) elements[random.below(elements.length)] = special[random.below(4)];
  const kind = random.below(2) === 0 ? "vector" : "row";
  const at = { elements: ELEMENTS, weights: WEIGHTS, origin: ELEMENT_ORIGIN, coded: CODED_VECTORS };
  return { kind, count, dimensions, ...at };
}

/** All that an encoding of elements writes, and what lies behind. */
function encodedElements(kernel: Kernel, memory: WebAssembly.Memory, encoding: ElementEncoding) {
  const { count, dimensions } = encoding;
  const padded = paddedElements(dimensions);
  const stride = elementCodeStride(dimensions);
  const bytes = new Uint8Array(memory.buffer, CODED_VECTORS, count * stride + 16).fill(0xda);
  kernel.encodeElements(encoding);
  const coded = Array.from({ length: count }, (_, i) => {
    const start = i * stride;
    // NaN has many bits.
    const [scale] = new Float32Array(memory.buffer, CODED_VECTORS + start + padded, 1);
    const [sum, squares] = new Int32Array(memory.buffer, CODED_VECTORS + start + padded + 4, 2);
    return { codes: bytes.slice(start, start + padded), scale, sum, squares };
  });
  return { coded, behind: bytes.slice(count * stride - 4) };
}

/** Coded vectors and rows of random elements, or of codes that are all as great as they can be. */
function randomEstimates(memory: WebAssembly.Memory, random: Random): EstimateScan {
  const dimensions = 1 + random.below(random.below(2) ? 70 : 500);
  const count = 1 + random.below(NEAREST_MAX);
  const rowCount = 1 + random.below(NEAREST_MAX);
  const stride = elementCodeStride(dimensions);
  const rows = CODED_VECTORS + NEAREST_MAX * stride;
  const oracle = new ScalarKernel(memory);
  const origin = new Float32Array(memory.buffer, ELEMENT_ORIGIN, dimensions).fill(0.25);
  const elements = new Float32Array(memory.buffer, ELEMENTS, dimensions);
  const isFull = random.below(4) === 0;
  new Float32Array(memory.buffer, WEIGHTS, 1)[0] = 1;
  for (let i = 0; i < 2 * NEAREST_MAX; i++) {
    const sign = random.below(2) === 0 ? 1 : -1;
    for (let d = 0; d < dimensions; d++) {
      elements[d] = origin[d] + (isFull ? sign : random.next() - 0.5);
    }
    if (random.below(20) === 0) elements[random.below(dimensions)] = Number.NaN;
    const kind = i < NEAREST_MAX ? "vector" : "row";
    const coded = CODED_VECTORS + i * stride;
    oracle.encodeElements({
      ...{ kind, elements: ELEMENTS, weights: WEIGHTS, count: 1, origin: ELEMENT_ORIGIN },
      ...{ dimensions, coded },
    });
  }
  const bytes = new Uint8Array(memory.buffer, rows, NEAREST_MAX * stride);
  const row = random.below(rowCount) * stride;
  bytes.copyWithin(random.below(rowCount) * stride, row, row + stride);
  const numbers = Array.from({ length: NEAREST_MAX }, (_, i) => i);
  const gather = new Uint32Array(memory.buffer, NEAREST_GATHER, count);
  for (let i = 0; i < count; i++) {
    gather[i] = numbers.splice(random.below(numbers.length), 1)[0];
  }
  return {
    ...{ codes: paddedElements(dimensions), vectors: CODED_VECTORS, gather: NEAREST_GATHER },
    ...{ count, rows, rowCount, firstRow: random.below(1000), few: 1 + random.below(LIST_MAX) },
    ...{ closenesses: CLOSENESSES, found: NEAREST_FOUND },
  };
}

/** The bits of all lists after two calls, which divide the rows. */
function estimateBits(
  kernel: Kernel,
  memory: WebAssembly.Memory,
  search: { scan: EstimateScan; firstCount: number },
): Uint32Array {
  const { scan, firstCount } = search;
  const lists = new Uint32Array(memory.buffer, CLOSENESSES, 2 * LISTS_WORDS).fill(0);
  new Float32Array(memory.buffer, CLOSENESSES, LISTS_WORDS).fill(Number.NEGATIVE_INFINITY);
  kernel.nearestCodes({ ...scan, rowCount: firstCount });
  kernel.nearestCodes({
    ...scan,
    rows: scan.rows + firstCount * elementCodeStride(scan.codes),
    rowCount: scan.rowCount - firstCount,
    firstRow: scan.firstRow + firstCount,
  });
  return lists.slice();
}

/** Checks them on a kernel over `memory`, of 16 pages. */
export function testEstimates(
  memory: WebAssembly.Memory,
  kernel: Kernel,
  seedsOf: (count: number) => readonly number[],
): void {
  const oracle = new ScalarKernel(memory);

  test("codes of elements are those of the scalar kernel, with their factors", () => {
    for (const seed of seedsOf(300)) {
      const encoding = randomElements(memory, seededRandom(seed));
      const wanted = encodedElements(oracle, memory, encoding);
      const found = encodedElements(kernel, memory, encoding);
      const where = `seed ${seed}`;
      expectEqual(found.behind, wanted.behind, where);
      for (const [i, { codes, ...factors }] of found.coded.entries()) {
        const { codes: wantedCodes, ...wantedFactors } = wanted.coded[i];
        expectEqual(codes, wantedCodes, where);
        expect(factors, where).toEqual(wantedFactors);
      }
    }
  });

  test("codes of elements are near them, and those of rows are 1 to 127", () => {
    for (const seed of seedsOf(200)) {
      const encoding = randomElements(memory, seededRandom(seed));
      const { kind, count, dimensions } = encoding;
      const elements = new Float32Array(memory.buffer, ELEMENTS, count * dimensions);
      const origin = new Float32Array(memory.buffer, ELEMENT_ORIGIN, dimensions);
      const weights = new Float32Array(memory.buffer, WEIGHTS, count);
      const isRow = kind === "row";
      const top = isRow ? ROW_CODE_MAX : VECTOR_CODE_MAX;
      const { coded } = encodedElements(kernel, memory, encoding);
      for (const [i, { codes, scale, sum, squares }] of coded.entries()) {
        const own = [...codes].map((byte) => (isRow ? byte - ROW_CODE_SHIFT : (byte << 24) >> 24));
        const shown = `seed ${seed}, ${i}`;
        expect(Math.max(...own.map(Math.abs)), shown).toBeLessThanOrEqual(top);
        expect(own.slice(dimensions).filter(Boolean), shown).toEqual([]);
        expect([sum, squares], shown).toEqual([
          own.reduce((all, code) => all + code, 0),
          own.reduce((all, code) => all + code * code, 0),
        ]);
        const differences = elements
          .subarray(i * dimensions, (i + 1) * dimensions)
          .map((element, d) => Math.fround(element * weights[i]) - origin[d]);
        const greatest = Math.max(...differences.map(Math.abs));
        if (!Number.isFinite(greatest)) expect(scale, shown).toBeNaN();
        if (!(greatest > 1e-35 && Number.isFinite(greatest))) continue;
        const errors = Array.from(differences, (x, d) => Math.abs(x - scale * own[d]));
        expect(Math.max(...errors), shown).toBeLessThan(0.501 * scale);
      }
    }
  });

  test("the nearest codes are those of the scalar kernel", () => {
    for (const seed of seedsOf(300)) {
      const random = seededRandom(seed);
      const scan = randomEstimates(memory, random);
      const search = { scan, firstCount: random.below(scan.rowCount + 1) };
      const wanted = estimateBits(oracle, memory, search);
      expectEqual(estimateBits(kernel, memory, search), wanted, `seed ${seed}`);
    }
  });

  test("the nearest codes are the nearest of what they stand for", () => {
    for (const seed of seedsOf(100)) {
      const scan = { ...randomEstimates(memory, seededRandom(seed)), few: 1 };
      const { codes, rowCount, firstRow } = scan;
      const decoded = (at: number, shift: number) => {
        const [scale] = new Float32Array(memory.buffer, at + codes, 1);
        const bytes = new Int8Array(memory.buffer, at, codes);
        return Float32Array.from(bytes, (byte) => scale * (byte - shift));
      };
      const stride = elementCodeStride(codes);
      const rows = Array.from({ length: rowCount }, (_, r) =>
        decoded(scan.rows + r * stride, ROW_CODE_SHIFT),
      );
      estimateBits(kernel, memory, { scan, firstCount: rowCount });
      const found = new Uint32Array(memory.buffer, NEAREST_FOUND, LISTS_WORDS);
      for (const v of new Uint32Array(memory.buffer, NEAREST_GATHER, scan.count)) {
        const vector = decoded(scan.vectors + v * stride, 0);
        if ([vector, ...rows].some((values) => values.some(Number.isNaN))) continue;
        const closenesses = rows.map((row) => closenessOf(vector, row));
        const told = closenesses[found[v] - firstRow];
        expect(told, `seed ${seed}`).toBeCloseTo(Math.max(...closenesses), 3);
      }
    }
  });
}

function closenessOf(a: Float32Array, b: Float32Array): number {
  return -a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0);
}
