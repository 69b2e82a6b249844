import { expect, test } from "vitest";
import { type Random, seededRandom } from "../../src/base/random.ts";
import {
  BYTE_FACTOR_BYTES,
  type ByteCodeScan,
  byteCodeStride,
  paddedCodes,
} from "../../src/kernel/byte-code-scan.ts";
import { CODE_SUMS, type CodeEncoding } from "../../src/kernel/code-encoding.ts";
import {
  CODE_BLOCK_ROWS,
  CODE_SCRATCH_BYTES,
  type CodeScan,
  codeBlockBytes,
  FOUND_WORDS,
  LISTED_WORDS,
} from "../../src/kernel/code-scan.ts";
import {
  ELEMENT_BYTES,
  type Kernel,
  type Measure,
  type RowFormat,
  type RowScan,
} from "../../src/kernel/kernel.ts";
import type { NearestScan } from "../../src/kernel/nearest-scan.ts";
import { RATE_BINS, RATED_BLOCK, type RateScan } from "../../src/kernel/rate-scan.ts";
import { ROTATED_MULTIPLE } from "../../src/kernel/rotation.ts";
import { ScalarKernel } from "../../src/kernel/scalar-kernel.ts";
import { expectEqual } from "../support/expect-equal.ts";
import { testEstimates } from "./kernel-estimates.ts";

const MEASURES: readonly Measure[] = ["dot", "squaredDistance"];
const FORMATS: readonly RowFormat[] = ["f32", "f16", "i8"];
const MEMORY_PAGES = 16;
const DIMENSIONS_MAX = 1600;
const ROWS_MAX = 40;

const QUERY = 64;
const GATHER = QUERY + DIMENSIONS_MAX * 4;
const SCORES = GATHER + ROWS_MAX * 4;
const ROWS = SCORES + ROWS_MAX * 4 + 64;

const RATED_CLUSTERS_MAX = 4 * RATED_BLOCK;

/** Clusters with bounds that are equal, apart, or no numbers, of which some have no rows. */
function randomRates(memory: WebAssembly.Memory, random: Random): RateScan {
  const { buffer } = memory;
  const count = RATED_BLOCK * (1 + random.below(RATED_CLUSTERS_MAX / RATED_BLOCK));
  let at = QUERY;
  const floats = (length: number, value: () => number) => {
    const view = new Float32Array(buffer, at, length);
    for (let i = 0; i < length; i++) view[i] = value();
    at += 4 * length;
    return view.byteOffset;
  };
  const special = [0, 1e-41, 3e38, Number.POSITIVE_INFINITY, Number.NaN];
  const oneOf = (value: () => number) => () =>
    random.below(12) === 0 ? special[random.below(special.length)] : value();
  const lower = floats(
    count,
    oneOf(() => 4 * random.next() - 0.2),
  );
  const lowers = new Float32Array(buffer, lower, count);
  let next = 0;
  const more = () => (random.below(3) === 0 ? 0 : random.next());
  const upper = floats(
    count,
    oneOf(() => lowers[next++ % count] + more()),
  );
  const inverseRadii = floats(
    count,
    oneOf(() => 4 * random.next()),
  );
  const counts = new Uint32Array(
    buffer,
    floats(count, () => 0),
    count,
  );
  for (let c = 0; c < count; c++) if (random.below(4) > 0) counts[c] = random.below(100);
  return {
    ...{ count, lower, upper, inverseRadii, counts: counts.byteOffset },
    ...{ worst: 2 * random.next(), nearPoint: 0.05, nearWeight: 1 / 6 },
    rates: floats(RATE_BINS, () => random.next()),
    expected: floats(count, () => Number.NaN),
    sums: floats(RATED_BLOCK, () => Number.NaN),
    mosts: floats(RATED_BLOCK, () => Number.NaN),
  };
}

function expectedBits(kernel: Kernel, { buffer }: WebAssembly.Memory, scan: RateScan) {
  kernel.scanRates(scan);
  const blocks = scan.count / RATED_BLOCK;
  const bits = (address: number, length: number) => [...new Uint32Array(buffer, address, length)];
  return [bits(scan.expected, scan.count), bits(scan.sums, blocks), bits(scan.mosts, blocks)];
}

/** Fills the query and the rows with values of very different sizes, but finite ones. */
function fill(memory: WebAssembly.Memory, scan: RowScan, random: Random): void {
  const { buffer } = memory;
  const floats = (address: number, count: number) => {
    const view = new Float32Array(buffer, address, count);
    const scale = 10 ** (random.below(7) - 3);
    for (let i = 0; i < count; i++) view[i] = (random.next() * 2 - 1) * scale;
    if (random.below(4) === 0) view[random.below(count)] = -0;
    if (random.below(4) === 0) view[random.below(count)] = 1e-41;
  };
  floats(scan.query, scan.dimensions);
  for (let row = 0; row < ROWS_MAX; row++) {
    const address = scan.rows + row * scan.stride;
    if (address + scan.stride > buffer.byteLength) break;
    if (scan.format === "f32") floats(address, scan.dimensions);
    else if (scan.format === "i8") {
      new Int8Array(buffer, address, scan.dimensions).set(random.bytes(scan.dimensions));
    } else {
      const view = new Uint16Array(buffer, address, scan.dimensions);
      // Bit 14 cleared: no infinities, no NaN; subnormals now and then.
      for (let i = 0; i < view.length; i++) view[i] = random.below(65536) & 0xbfff;
      if (random.below(3) === 0) view[random.below(view.length)] = 0x7bff;
    }
  }
}

function randomScan(random: Random, measure: Measure, format: RowFormat): RowScan {
  const size = ELEMENT_BYTES[format];
  const dimensions = 1 + random.below(random.below(2) ? 40 : DIMENSIONS_MAX);
  const rows = ROWS + random.below(8) * 4;
  const stride = (dimensions + random.below(3)) * size;
  const room = Math.floor((MEMORY_PAGES * 65536 - rows) / stride);
  return {
    measure,
    format,
    dimensions,
    query: QUERY,
    rows,
    stride,
    count: random.below(Math.min(ROWS_MAX, room)) + 1,
    gather: random.below(2) ? GATHER : undefined,
    scores: SCORES,
  };
}

/** The bits of the scores that `kernel` gives, and the bits around them, which must stay. */
function bitsOf(kernel: Kernel, memory: WebAssembly.Memory, scan: RowScan): Uint32Array {
  const around = new Uint32Array(memory.buffer, scan.scores, ROWS_MAX);
  around.fill(0xdeadbeef);
  kernel.scanRows(scan);
  return around.slice();
}

/** Greatest scan of codes: blocks, and nibbles of a row. */
const CODE_BLOCKS_MAX = 6;
const NIBBLES_MAX = 700;

const CODE_SCRATCH = 64;
const TABLE = CODE_SCRATCH + Math.ceil(CODE_SCRATCH_BYTES / 16) * 16;
const LIST = TABLE + NIBBLES_MAX * 16;
const FOUND = LIST + CODE_BLOCKS_MAX * LISTED_WORDS * 4;
const FOUND_MAX = FOUND_WORDS * CODE_BLOCK_ROWS * CODE_BLOCKS_MAX;
const BLOCKS = Math.ceil((FOUND + FOUND_MAX * 4) / 16) * 16;

/** Random blocks, in any order, and table; sums of many nibbles are beyond 16 bits. */
function randomCodes(memory: WebAssembly.Memory, random: Random): CodeScan {
  const nibbles = 1 + random.below(random.below(2) ? 20 : NIBBLES_MAX);
  const blockBytes = codeBlockBytes(nibbles);
  const count = 1 + random.below(CODE_BLOCKS_MAX);
  const { buffer } = memory;
  const isFull = random.below(4) === 0;
  const bytes = (address: number, length: number) =>
    new Uint8Array(buffer, address, length).set(random.bytes(length));
  bytes(TABLE, nibbles * 16);
  if (isFull) new Uint8Array(buffer, TABLE, nibbles * 16).fill(255);
  for (let b = 0; b < count; b++) {
    const mask = random.below(4) === 0 ? 0 : random.below(2 ** 32);
    const block = BLOCKS + random.below(count) * blockBytes;
    listBlock(memory, b, { block, mask, base: random.next(), spread: random.next() });
    const address = BLOCKS + b * blockBytes;
    bytes(address, nibbles * 16);
    const factors = new Float32Array(buffer, address + nibbles * 16, 3 * CODE_BLOCK_ROWS);
    for (let i = 0; i < factors.length; i++) factors[i] = random.next() * 2 - 1;
    if (random.below(4) === 0) factors[random.below(factors.length)] = Number.NaN;
  }
  return {
    list: LIST,
    blockBytes,
    count,
    nibbles,
    table: TABLE,
    scale: random.next() / (100 * nibbles),
    offset: random.next() - 0.5,
    worst: random.below(5) === 0 ? Number.POSITIVE_INFINITY : random.next() * 2 - 0.5,
    scratch: CODE_SCRATCH,
    found: FOUND,
  };
}

/** Writes what a list says of its block of a number, whose rows have numbers by that. */
function listBlock(
  memory: WebAssembly.Memory,
  number: number,
  of: {
    readonly block: number;
    readonly mask: number;
    readonly base: number;
    readonly spread: number;
  },
): void {
  const at = LIST + number * LISTED_WORDS * 4;
  new Uint32Array(memory.buffer, at, 3).set([of.block, of.mask, 1000 + number * CODE_BLOCK_ROWS]);
  new Float32Array(memory.buffer, at + 12, 2).set([of.base, of.spread]);
}

/** What a scan finds: its count, and the bits that it writes, with those around them. */
function foundBits(kernel: Kernel, memory: WebAssembly.Memory, scan: CodeScan): Uint32Array {
  const around = new Uint32Array(memory.buffer, scan.found, FOUND_MAX);
  around.fill(0xdeadbeef);
  const count = kernel.scanCodes(scan);
  return Uint32Array.of(count, ...around);
}

/** The bits that bounds of all rows have, with those around them. */
function boundBits(kernel: Kernel, memory: WebAssembly.Memory, scan: CodeScan): Uint32Array {
  const around = new Uint32Array(memory.buffer, scan.found, FOUND_MAX);
  around.fill(0xdeadbeef);
  const rows = CODE_BLOCK_ROWS * CODE_BLOCKS_MAX;
  const lower = Math.ceil(scan.found / 16) * 16;
  const queries = new Float32Array(memory.buffer, LIST, 2 * scan.count);
  queries.forEach((_, i) => {
    queries[i] = (1 + ((7 * i) % 5)) / 4;
  });
  const to = { lower, upper: lower + 4 * rows };
  kernel.boundCodes({ ...scan, blocks: BLOCKS, queries: LIST, ...to });
  return around.slice();
}

/** Rows of a scan of byte codes, at most, and where all lies. */
const BYTE_ROWS_MAX = 12;
const BYTE_GATHER = 64;
const BYTE_FOUND = BYTE_GATHER + 64;
const BYTE_QUERY = BYTE_FOUND + 256;
const BYTE_ROWS = BYTE_QUERY + 2 * 10_752;

/** Random codes, elements and factors, among them the greatest ones and some that are unknown. */
function randomByteCodes(memory: WebAssembly.Memory, random: Random): ByteCodeScan {
  const dimensions = 1 + random.below([20, 1600, 10_752][random.below(3)]);
  const codes = paddedCodes(dimensions);
  const stride = byteCodeStride(dimensions);
  const { buffer } = memory;
  const count = 1 + random.below(BYTE_ROWS_MAX);
  // The greatest for which sums have 32 bits.
  const elementMax = Math.min(32_767, Math.floor((2 ** 31 - 1) / (127 * dimensions)));
  const isFull = random.below(4) === 0;
  const query = new Int16Array(buffer, BYTE_QUERY, codes).fill(0);
  for (let d = 0; d < dimensions; d++) {
    query[d] = isFull ? elementMax : random.below(2 * elementMax + 1) - elementMax;
  }
  let squares = 0;
  for (let row = 0; row < BYTE_ROWS_MAX; row++) {
    const at = BYTE_ROWS + row * stride;
    const own = new Int8Array(buffer, at, codes).fill(0);
    squares = 0;
    for (let d = 0; d < dimensions; d++) {
      own[d] = isFull ? (row % 2 === 0 ? 127 : -127) : random.below(255) - 127;
      squares += own[d] * own[d];
    }
    const factors = new Float32Array(buffer, at + codes, BYTE_FACTOR_BYTES / 4).fill(0);
    factors[0] = random.next() / 127;
    factors[1] = random.below(5) === 0 ? Number.POSITIVE_INFINITY : random.next() / 100;
    if (random.below(9) === 0) factors[random.below(2)] = Number.NaN;
    new Uint32Array(buffer, at + codes + 8, 1)[0] = squares;
  }
  const gather = new Uint32Array(buffer, BYTE_GATHER, count);
  for (let i = 0; i < count; i++) {
    gather[i] = (BYTE_ROWS + random.below(BYTE_ROWS_MAX) * stride) / 16;
  }
  const half = random.next() / elementMax;
  const base = half * half * query.reduce((sum, element) => sum + element * element, 0);
  const worst = random.below(4) === 0 ? Number.POSITIVE_INFINITY : 2 * random.next() * base ** 0.5;
  return {
    ...{ gather: BYTE_GATHER, count, codes, query: BYTE_QUERY, found: BYTE_FOUND },
    ...{ base, scale: 2 * half, error: random.next() / 1000, worst },
  };
}

/** What a scan of byte codes finds: its count, and all words as numbers, as NaN has many bits. */
function foundBytes(kernel: Kernel, memory: WebAssembly.Memory, scan: ByteCodeScan) {
  const words = new Uint32Array(memory.buffer, BYTE_FOUND, FOUND_WORDS * BYTE_ROWS_MAX);
  words.fill(0xdeadbeef);
  const count = kernel.scanByteCodes(scan);
  const bounds = new Float32Array(memory.buffer, BYTE_FOUND, words.length);
  const told = Array.from({ length: count }, (_, i) => words[FOUND_WORDS * i]);
  return { count, told, bounds: bounds.slice(), rest: words.slice(FOUND_WORDS * count) };
}

/** Vectors, rows, and rows in a list, at most, of a search for the nearest. */
const NEAREST_MAX = 20;
const LIST_MAX = 5;
const LISTS_WORDS = NEAREST_MAX * LIST_MAX;

const NEAREST_GATHER = 64;
const CLOSENESSES = NEAREST_GATHER + NEAREST_MAX * 4;
const NEAREST_FOUND = CLOSENESSES + LISTS_WORDS * 4;
const NEAREST_VECTORS = NEAREST_FOUND + LISTS_WORDS * 4;

/** Random vectors and rows; some rows are equal, some are not numbers. */
function randomNearest(memory: WebAssembly.Memory, random: Random): NearestScan {
  const dimensions = 1 + random.below(random.below(2) ? 40 : 300);
  const count = 1 + random.below(NEAREST_MAX);
  const rowCount = 1 + random.below(NEAREST_MAX);
  const { buffer } = memory;
  const values = new Float32Array(buffer, NEAREST_VECTORS, 2 * NEAREST_MAX * dimensions);
  const rows = values.subarray(NEAREST_MAX * dimensions);
  for (let i = 0; i < values.length; i++) values[i] = random.next() - 0.5;
  const row = random.below(rowCount) * dimensions;
  rows.copyWithin(random.below(rowCount) * dimensions, row, row + dimensions);
  if (random.below(4) === 0) values[random.below(values.length)] = Number.NaN;
  const numbers = Array.from({ length: NEAREST_MAX }, (_, i) => i);
  const gather = new Uint32Array(buffer, NEAREST_GATHER, count);
  for (let i = 0; i < count; i++) {
    gather[i] = numbers.splice(random.below(numbers.length), 1)[0];
  }
  return {
    ...{ dimensions, vectors: NEAREST_VECTORS, gather: NEAREST_GATHER, count, rowCount },
    ...{ rows: NEAREST_VECTORS + 4 * NEAREST_MAX * dimensions, firstRow: random.below(1000) },
    ...{ few: 1 + random.below(LIST_MAX), closenesses: CLOSENESSES, found: NEAREST_FOUND },
  };
}

/** The bits of all lists after two calls, which divide the rows. */
function listBits(kernel: Kernel, memory: WebAssembly.Memory, search: NearestSearch): Uint32Array {
  const { measure, scan, firstCount } = search;
  const lists = new Uint32Array(memory.buffer, CLOSENESSES, 2 * LISTS_WORDS).fill(0);
  new Float32Array(memory.buffer, CLOSENESSES, LISTS_WORDS).fill(Number.NEGATIVE_INFINITY);
  kernel.nearestRows(measure, { ...scan, rowCount: firstCount });
  kernel.nearestRows(measure, {
    ...scan,
    rows: scan.rows + 4 * firstCount * scan.dimensions,
    rowCount: scan.rowCount - firstCount,
    firstRow: scan.firstRow + firstCount,
  });
  return lists.slice();
}

/** A search in two calls, the first over so many rows. */
interface NearestSearch {
  readonly measure: Measure;
  readonly scan: NearestScan;
  readonly firstCount: number;
}

/** Parts of an encoding, at most. */
const ENCODED_MAX = 24 * ROTATED_MULTIPLE;
const ENCODED_SIGNS = 64;
const ENCODED_ROW = ENCODED_SIGNS + ENCODED_MAX;
const ENCODED_ORIGIN = ENCODED_ROW + 4 * ENCODED_MAX;
const ENCODED_CENTROID = ENCODED_ORIGIN + 4 * ENCODED_MAX;
const ENCODED_RESIDUAL = ENCODED_CENTROID + 4 * ENCODED_MAX;
const ENCODED_SUMS = ENCODED_RESIDUAL + 4 * ENCODED_MAX;
const ENCODED_CODES = ENCODED_SUMS + 64;
const ENCODED_END = ENCODED_CODES + 4 * ENCODED_MAX;

/** A random row in a block of zeros. */
function randomEncoding(memory: WebAssembly.Memory, random: Random): CodeEncoding {
  const dimensions = ROTATED_MULTIPLE * (1 + random.below(random.below(2) ? 4 : 24));
  const { buffer } = memory;
  new Uint8Array(buffer, ENCODED_SIGNS, ENCODED_END - ENCODED_SIGNS).fill(0);
  new Uint8Array(buffer, ENCODED_SIGNS, ENCODED_MAX).set(random.bytes(ENCODED_MAX));
  for (const at of [ENCODED_ROW, ENCODED_ORIGIN, ENCODED_CENTROID]) {
    const floats = new Float32Array(buffer, at, dimensions);
    for (let d = 0; d < dimensions; d++) floats[d] = random.next() - 0.5;
    if (random.below(10) === 0) floats[random.below(dimensions)] = 3e38;
  }
  const row = random.below(CODE_BLOCK_ROWS);
  return {
    ...{ row: ENCODED_ROW, weight: Math.fround(random.next()), origin: ENCODED_ORIGIN },
    ...{ signs: ENCODED_SIGNS, dimensions, rounds: random.below(5) },
    ...{ centroid: ENCODED_CENTROID, residual: ENCODED_RESIDUAL },
    ...{ codes: ENCODED_CODES + (row % 16), half: row < 16 ? "lower" : "upper" },
    sums: ENCODED_SUMS,
  };
}

/** All that an encoding writes, as values: NaN has many bits. */
function encoded(kernel: Kernel, memory: WebAssembly.Memory, encoding: CodeEncoding) {
  const codes = new Uint8Array(memory.buffer, ENCODED_CODES, 4 * encoding.dimensions);
  codes.fill(0);
  kernel.encodeCode(encoding);
  const residual = new Float32Array(memory.buffer, ENCODED_RESIDUAL, encoding.dimensions);
  const sums = new Float64Array(memory.buffer, ENCODED_SUMS, CODE_SUMS);
  return { codes: codes.slice(), residual: residual.slice(), sums: sums.slice() };
}

/** How a kernel is tested. */
export interface KernelTest {
  readonly load: (memory: WebAssembly.Memory) => Kernel;
  /** Share of all seeds that are tried. */
  readonly share: number;
}

/** The promises of `Kernel`, checked on the kernel that `load` gives. */
export function testKernel({ load, share }: KernelTest): void {
  /** The first of the seeds from 1 to `count`. */
  const seedsOf = (count: number) => {
    return Array.from({ length: Math.ceil(share * count) }, (_, i) => i + 1);
  };
  const memory = new WebAssembly.Memory({
    initial: MEMORY_PAGES,
    maximum: MEMORY_PAGES,
    shared: true,
  });
  const kernel = load(memory);
  const oracle = new ScalarKernel(memory);

  for (const measure of MEASURES) {
    for (const format of FORMATS) {
      test(`${measure} of ${format} rows gives the scalar kernel's bits`, () => {
        for (const seed of seedsOf(400)) {
          const random = seededRandom(seed);
          const scan = randomScan(random, measure, format);
          fill(memory, scan, random);
          const gather = new Uint32Array(memory.buffer, GATHER, scan.count);
          for (let i = 0; i < gather.length; i++) gather[i] = random.below(scan.count);
          const wanted = bitsOf(oracle, memory, scan);
          expectEqual(bitsOf(kernel, memory, scan), wanted, `seed ${seed}`);
        }
      });

      test(`${measure} of ${format} rows is near the sum in float64`, () => {
        for (const seed of seedsOf(100)) {
          const random = seededRandom(seed);
          const scan = { ...randomScan(random, measure, format), gather: undefined };
          fill(memory, scan, random);
          kernel.scanRows(scan);
          const scores = new Float32Array(memory.buffer, SCORES, scan.count);
          for (let row = 0; row < scan.count; row++) {
            const { sum, magnitude } = sumInFloat64(memory.buffer, scan, row);
            const error = Math.abs(scores[row] - sum);
            // Sums of n terms in float32 err by at most n × 2^-24 of the sum of magnitudes.
            expect(error, `seed ${seed}`).toBeLessThanOrEqual(
              (scan.dimensions + 3) * 2 ** -24 * magnitude + 1e-37,
            );
          }
        }
      });
    }
  }

  test("scans of codes find what the scalar kernel finds, with its bits", () => {
    for (const seed of seedsOf(120)) {
      const random = seededRandom(seed);
      const scan = randomCodes(memory, random);
      const wanted = foundBits(oracle, memory, scan);
      expectEqual(foundBits(kernel, memory, scan), wanted, `seed ${seed}`);
    }
  });

  test("bounds of codes are those of the scalar kernel, with its bits", () => {
    for (const seed of seedsOf(120)) {
      const scan = randomCodes(memory, seededRandom(seed));
      const wanted = boundBits(oracle, memory, scan);
      expectEqual(boundBits(kernel, memory, scan), wanted, `seed ${seed}`);
    }
  });

  test("bounds of codes are those of a scan, or 0 and infinity where they tell nothing", () => {
    for (const seed of seedsOf(60)) {
      const drawn = randomCodes(memory, seededRandom(seed));
      const scan = { ...drawn, count: 1, worst: Number.POSITIVE_INFINITY };
      const [base, spread] = [0.75, 0.5];
      listBlock(memory, 0, { block: BLOCKS, mask: 0xffffffff, base, spread });
      expect(kernel.scanCodes(scan)).toBe(CODE_BLOCK_ROWS);
      const words = FOUND_WORDS * CODE_BLOCK_ROWS;
      const found = new Float32Array(memory.buffer, FOUND, words).slice();
      new Float32Array(memory.buffer, LIST, 2).set([base, spread]);
      const lower = Math.ceil(FOUND / 16) * 16;
      const upper = lower + 4 * CODE_BLOCK_ROWS;
      kernel.boundCodes({ ...scan, blocks: BLOCKS, queries: LIST, lower, upper });
      const lowers = new Float32Array(memory.buffer, lower, CODE_BLOCK_ROWS);
      const uppers = new Float32Array(memory.buffer, upper, CODE_BLOCK_ROWS);
      for (let row = 0; row < CODE_BLOCK_ROWS; row++) {
        const [, low, high] = found.subarray(FOUND_WORDS * row);
        expect(lowers[row], `seed ${seed}, row ${row}`).toBe(low > -Infinity ? low : 0);
        const isKnown = high >= low;
        expect(uppers[row], `seed ${seed}, row ${row}`).toBe(isKnown ? high : Infinity);
      }
    }
  });

  test("expected rows are those of the scalar kernel, with its bits", () => {
    for (const seed of seedsOf(120)) {
      const scan = randomRates(memory, seededRandom(seed));
      const wanted = expectedBits(oracle, memory, scan);
      for (const [i, bits] of expectedBits(kernel, memory, scan).entries()) {
        expectEqual(bits, wanted[i], `seed ${seed}`);
      }
    }
  });

  test("expected rows are rows times the rate of the gap, and none where there are no rows", () => {
    const scan = { ...randomRates(memory, seededRandom(1)), count: RATED_BLOCK, worst: 2 };
    const { buffer } = memory;
    // Each in the middle of its bin.
    const bins = Array.from({ length: RATED_BLOCK }, (_, c) => 8 * c + 3);
    const distances = Float32Array.from(bins, (bin) => 2 + 2 * ((bin + 0.5) / 100 - 0.5));
    for (const bound of [scan.lower, scan.upper]) {
      new Float32Array(buffer, bound, RATED_BLOCK).set(distances.map((x) => x * x));
    }
    new Float32Array(buffer, scan.inverseRadii, RATED_BLOCK).fill(0.5);
    new Uint32Array(buffer, scan.counts, RATED_BLOCK).set(distances.map((_, c) => c));
    new Float32Array(buffer, scan.rates, RATE_BINS).set(
      Float32Array.from({ length: RATE_BINS }, (_, bin) => 1 - bin / RATE_BINS),
    );
    kernel.scanRates(scan);
    const found = [...new Float32Array(buffer, scan.expected, RATED_BLOCK)];
    for (const [c, bin] of bins.entries()) {
      expect(found[c]).toBeCloseTo(c * (1 - bin / RATE_BINS), 4);
    }
    const [sum] = new Float32Array(buffer, scan.sums, 1);
    expect(sum).toBeCloseTo(
      found.reduce((all, rows) => all + rows, 0),
      3,
    );
    expect(new Float32Array(buffer, scan.mosts, 1)[0]).toBe(Math.max(...found));
  });

  test("sums of codes are those of their bits", () => {
    for (const seed of seedsOf(50)) {
      const random = seededRandom(seed);
      const nibbles = 1 + random.below(NIBBLES_MAX);
      const scan: CodeScan = {
        ...randomCodes(memory, random),
        ...{ nibbles, blockBytes: codeBlockBytes(nibbles), count: 1 },
        ...{ scale: 1, offset: 0, worst: Number.POSITIVE_INFINITY },
      };
      listBlock(memory, 0, { block: BLOCKS, mask: 0xffffffff, base: 0, spread: 0 });
      // Each bit counts 1: a row's estimate is the number of its bits.
      const table = new Uint8Array(memory.buffer, TABLE, nibbles * 16);
      for (let i = 0; i < table.length; i++) table[i] = bitCount(i & 15);
      const codes = new Uint8Array(memory.buffer, BLOCKS, nibbles * 16);
      codes.set(random.bytes(codes.length));
      const factors = new Float32Array(memory.buffer, BLOCKS + codes.length, 96);
      factors.fill(0).fill(1, 32, 64);
      expect(kernel.scanCodes(scan)).toBe(32);
      const lowers = new Float32Array(memory.buffer, FOUND, 96);
      for (let row = 0; row < CODE_BLOCK_ROWS; row++) {
        let bits = 0;
        for (let n = 0; n < nibbles; n++) {
          const byte = codes[n * 16 + (row % 16)];
          bits += bitCount(row < 16 ? byte & 15 : byte >> 4);
        }
        expect(lowers[row * FOUND_WORDS + 1], `seed ${seed}, row ${row}`).toBe(bits);
      }
    }
  });

  test("scans of byte codes find what the scalar kernel finds, with its bits", () => {
    for (const seed of seedsOf(150)) {
      const scan = randomByteCodes(memory, seededRandom(seed));
      const wanted = foundBytes(oracle, memory, scan);
      expect(foundBytes(kernel, memory, scan), `seed ${seed}`).toEqual(wanted);
    }
  });

  test("bounds of byte codes are about the distance of what they stand for", () => {
    for (const seed of seedsOf(100)) {
      const drawn = randomByteCodes(memory, seededRandom(seed));
      const scan = { ...drawn, error: 0, worst: Number.POSITIVE_INFINITY };
      const gather = new Uint32Array(memory.buffer, BYTE_GATHER, scan.count);
      const query = new Int16Array(memory.buffer, BYTE_QUERY, scan.codes);
      const { bounds, count } = foundBytes(kernel, memory, scan);
      expect(count, `seed ${seed}`).toBe(scan.count);
      for (let i = 0; i < count; i++) {
        const codes = new Int8Array(memory.buffer, gather[i] * 16, scan.codes);
        const at = gather[i] * 16 + scan.codes;
        const [scale, error] = new Float32Array(memory.buffer, at, 2);
        if (!Number.isFinite(scale) || !Number.isFinite(error)) continue;
        let squared = 0;
        for (let d = 0; d < codes.length; d++) {
          squared += (scale * codes[d] - (scan.scale / 2) * query[d]) ** 2;
        }
        const distance = Math.sqrt(squared);
        const lower = Math.max(0, distance - error);
        const [toldLower, toldUpper] = bounds.subarray(FOUND_WORDS * i + 1);
        expect(toldLower, `seed ${seed}`).toBeLessThanOrEqual(lower);
        expect(toldUpper, `seed ${seed}`).toBeGreaterThanOrEqual(distance + error);
        // The width of rounding: what cancels is of the size of the whole.
        const rounding = 2 ** -18 * (distance + error + Math.sqrt(scan.base));
        expect(toldLower, `seed ${seed}`).toBeGreaterThanOrEqual(lower - rounding);
        expect(toldUpper, `seed ${seed}`).toBeLessThanOrEqual(distance + error + rounding);
      }
    }
  });

  test.each(MEASURES)("the nearest rows by %s are those of the scalar kernel", (measure) => {
    for (const seed of seedsOf(300)) {
      const random = seededRandom(seed);
      const scan = randomNearest(memory, random);
      const search = { measure, scan, firstCount: random.below(scan.rowCount + 1) };
      const wanted = listBits(oracle, memory, search);
      expectEqual(listBits(kernel, memory, search), wanted, `seed ${seed}`);
    }
  });

  test.each(MEASURES)("the nearest rows by %s are the least of all", (measure) => {
    for (const seed of seedsOf(100)) {
      const random = seededRandom(seed);
      const scan = { ...randomNearest(memory, random), few: 2 };
      const { dimensions, rowCount, firstRow } = scan;
      const rowsAt = (at: number, count: number) =>
        Array.from({ length: count }, (_, i) => {
          return new Float32Array(memory.buffer, at + 4 * i * dimensions, dimensions);
        });
      const [vectors, rows] = [rowsAt(scan.vectors, NEAREST_MAX), rowsAt(scan.rows, rowCount)];
      if ([...vectors, ...rows].some((values) => values.some(Number.isNaN))) continue;
      listBits(kernel, memory, { measure, scan, firstCount: rowCount });
      const found = new Uint32Array(memory.buffer, NEAREST_FOUND, LISTS_WORDS);
      for (const v of new Uint32Array(memory.buffer, NEAREST_GATHER, scan.count)) {
        const closenesses = rows.map((row) => closenessOf(measure, vectors[v], row));
        const first = found[2 * v] - firstRow;
        expect(closenesses[first], `seed ${seed}`).toBeCloseTo(Math.max(...closenesses), 4);
        if (rowCount === 1) continue;
        const others = closenesses.filter((_, row) => row !== first);
        const second = closenesses[found[2 * v + 1] - firstRow];
        expect(second, `seed ${seed}`).toBeCloseTo(Math.max(...others), 4);
      }
    }
  });

  testEstimates(memory, kernel, seedsOf);

  test("codes are those of the scalar kernel, with their sums", () => {
    for (const seed of seedsOf(150)) {
      const encoding = randomEncoding(memory, seededRandom(seed));
      const wanted = encoded(oracle, memory, encoding);
      const found = encoded(kernel, memory, encoding);
      for (const part of ["codes", "residual", "sums"] as const) {
        expectEqual(found[part], wanted[part], `seed ${seed}, ${part}`);
      }
    }
  });

  test("codes are the signs of residuals, whose sums they come with", () => {
    for (const seed of seedsOf(50)) {
      const random = seededRandom(seed);
      const encoding: CodeEncoding = {
        ...{ ...randomEncoding(memory, random), dimensions: 64, rounds: 0, weight: 0.5 },
        ...{ codes: ENCODED_CODES + 3, half: "upper" },
      };
      const [row, origin, centroid] = [ENCODED_ROW, ENCODED_ORIGIN, ENCODED_CENTROID].map((at) =>
        new Float32Array(memory.buffer, at, 64).map(() => random.next() - 0.5),
      );
      [row, origin, centroid].forEach((values, i) => {
        const at = [ENCODED_ROW, ENCODED_ORIGIN, ENCODED_CENTROID][i];
        new Float32Array(memory.buffer, at, 64).set(values);
      });
      const { codes, sums } = encoded(kernel, memory, encoding);
      const residual = row.map((value, d) => value / 2 - origin[d] - centroid[d]);
      const signs = residual.map((value) => (value >= 0 ? 1 : -1));
      for (let d = 0; d < 64; d++) {
        const bit = (codes[16 * (d >> 2) + 3] >> (4 + (d & 3))) & 1;
        expect(bit, `seed ${seed}, dimension ${d}`).toBe(signs[d] > 0 ? 1 : 0);
      }
      expect(codes.filter((_, at) => at % 16 !== 3).every((byte) => byte === 0)).toBe(true);
      expect(sums[0]).toBeCloseTo(dotOf(residual, residual), 4);
      expect(sums[1]).toBeCloseTo(dotOf(residual, signs), 4);
      expect(sums[2]).toBeCloseTo(dotOf(centroid, signs), 4);
    }
  });

  test("rotations give the scalar kernel's bits, and keep lengths and angles", () => {
    for (const seed of seedsOf(150)) {
      const random = seededRandom(seed);
      const dimensions = ROTATED_MULTIPLE * (1 + random.below(random.below(2) ? 4 : 30));
      const rotation = { vector: BLOCKS, dimensions, signs: TABLE, rounds: 1 + random.below(5) };
      const signs = new Uint8Array(memory.buffer, TABLE, (dimensions / 8) * rotation.rounds);
      signs.set(random.bytes(signs.length));
      const vector = new Float32Array(memory.buffer, BLOCKS, dimensions);
      const rotated = (by: Kernel, values: Float32Array) => {
        vector.set(values);
        by.rotate(rotation);
        return vector.slice();
      };
      const [a, b] = [0, 1].map(() =>
        Float32Array.from({ length: dimensions }, () => random.next() - 0.5),
      );
      const [toA, toB] = [rotated(kernel, a), rotated(kernel, b)];
      const wanted = new Uint32Array(rotated(oracle, a).buffer);
      expectEqual(new Uint32Array(toA.buffer), wanted, `seed ${seed}`);
      expect(dotOf(toA, toB), `seed ${seed}`).toBeCloseTo(dotOf(a, b), 3);
      expect(dotOf(toA, toA) / dotOf(a, a), `seed ${seed}`).toBeCloseTo(1, 5);
    }
  });

  test("every dimension up to 70 is summed to its end", () => {
    for (const format of FORMATS) {
      for (let dimensions = 1; dimensions <= 70; dimensions++) {
        const size = ELEMENT_BYTES[format];
        const one = { f32: 0x3f800000, f16: 0x3c00, i8: 1 }[format];
        new Float32Array(memory.buffer, QUERY, dimensions).forEach((_, i, query) => {
          query[i] = i + 1;
        });
        const all = new DataView(memory.buffer);
        for (let i = 0; i < dimensions + 8; i++) {
          if (size === 4) all.setUint32(ROWS + i * 4, one, true);
          else if (size === 2) all.setUint16(ROWS + i * 2, one, true);
          else all.setUint8(ROWS + i, one);
        }
        const scan = { format, dimensions, query: QUERY, rows: ROWS, stride: size, count: 1 };
        kernel.scanRows({ ...scan, measure: "dot", scores: SCORES });
        expect(all.getFloat32(SCORES, true)).toBe((dimensions * (dimensions + 1)) / 2);
        kernel.scanRows({ ...scan, measure: "squaredDistance", scores: SCORES });
        const n = dimensions - 1;
        expect(all.getFloat32(SCORES, true)).toBe((n * (n + 1) * (2 * n + 1)) / 6);
      }
    }
  });

  test("no rows write no scores", () => {
    const scan = randomScan(seededRandom(1), "dot", "f32");
    const bits = bitsOf(kernel, memory, { ...scan, count: 0 });
    expect(bits.every((word) => word === 0xdeadbeef)).toBe(true);
  });
}

function sumInFloat64(
  buffer: ArrayBufferLike,
  scan: RowScan,
  row: number,
): { sum: number; magnitude: number } {
  const query = new Float32Array(buffer, scan.query, scan.dimensions);
  const address = scan.rows + row * scan.stride;
  const elements = {
    f32: () => new Float32Array(buffer, address, scan.dimensions),
    f16: () => new Float16Array(buffer, address, scan.dimensions),
    i8: () => new Int8Array(buffer, address, scan.dimensions),
  }[scan.format]();
  let sum = 0;
  let magnitude = 0;
  for (let i = 0; i < query.length; i++) {
    const difference = query[i] - elements[i];
    const term = scan.measure === "dot" ? query[i] * elements[i] : difference * difference;
    sum += term;
    magnitude += Math.abs(term);
  }
  return { sum, magnitude };
}

function closenessOf(measure: Measure, a: Float32Array, b: Float32Array): number {
  const distance = a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0);
  return measure === "dot" ? dotOf(a, b) : -distance;
}

function bitCount(value: number): number {
  return value === 0 ? 0 : (value & 1) + bitCount(value >> 1);
}

function dotOf(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i], 0);
}
