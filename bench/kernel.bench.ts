/**
 * Nanoseconds per vector of each kernel routine and of scans of its codes, from cache (1 MiB of
 * rows) and from memory (192 MiB), in order and gathered at random; and GB/s of what is read from
 * memory in order, beside a plain read of the same memory. Of what bounds means, clusters rows,
 * rotates and codes vectors, likewise, as far as it applies. Run: `npm run build && node
 * bench/kernel.bench.ts`.
 *
 * Variants take turns within each round, and the best of the rounds counts, as other programs on
 * the machine only ever add time. Each routine is first warmed up with small calls, since
 * WebAssembly starts in slower code and changes over only between calls.
 */
import { seededRandom } from "../src/base/random.ts";
import { Arenas } from "../src/kernel/arena.ts";
import { ArenaKernels, type CodeMatrix, type RowMatrix } from "../src/kernel/arena-kernels.ts";
import { byteCodeStride } from "../src/kernel/byte-code-scan.ts";
import { CodeBlocks } from "../src/kernel/code-blocks.ts";
import { CODE_BLOCK_ROWS, codeBlockBytes, SCAN_BLOCKS_MAX } from "../src/kernel/code-scan.ts";
import { elementCodeStride, paddedElements } from "../src/kernel/estimate-scan.ts";
import {
  ELEMENT_BYTES,
  type Measure,
  type RowFormat,
  SCAN_ROWS_MAX,
} from "../src/kernel/kernel.ts";
import { compileKernel } from "../src/kernel/load-kernel.ts";
import { RATE_BINS, RATED_MAX } from "../src/kernel/rate-scan.ts";
import { arenaSegmentMemory } from "../src/segment/format/arena-segment-memory.ts";
import { CodeEncoder } from "../src/vector/code-encoder.ts";

const MIB = 1024 * 1024;
const ROUNDS = 7;
const CACHE_BYTES = MIB;
const MEMORY_BYTES = 192 * MIB;
const DIMENSIONS = 768;

const arenas = new Arenas({ totalBytes: 1024 * MIB, threads: 2 });
const wasm = new ArenaKernels(await compileKernel("auto"), 0);
const scalar = new ArenaKernels(undefined, 1);
for (const kernels of [wasm, scalar])
  arenas.onArena((memory, arena) => kernels.attach(arena, memory));

const block = arenas.alloc(MEMORY_BYTES);
if (block === undefined) throw new Error("no room for the rows");
const random = seededRandom(1);
// Bytes that make no large exponents in any format: float16 stays finite, float32 normal.
const pattern = random.bytes(65536).map((byte) => (byte & 0x3f) | 0x20);
const rowsArena = block.arena;
const rowsOffset = block.offset;
const bytes = arenas.bytes(block);
for (let at = 0; at < bytes.length; at += pattern.length) bytes.set(pattern, at);
const query = Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);

interface Variant {
  readonly name: string;
  readonly measure: Measure;
  readonly format: RowFormat | "code" | "byteCode";
  readonly kernels: ArenaKernels;
}

const NIBBLES = DIMENSIONS / 4;
const LISTED = new CodeBlocks();
const TABLE = random.bytes(NIBBLES * 16);
/** Nothing is near, so that finding takes no time. */
const NOTHING = { scale: 1, offset: 0, worst: Number.NEGATIVE_INFINITY };

/** ns per row of one pass over blocks of codes. */
function codePass(kernels: ArenaKernels, bytesScanned: number): number {
  const matrix: CodeMatrix = { block: block as never, start: 0, nibbles: NIBBLES };
  const blocks = Math.floor(bytesScanned / codeBlockBytes(NIBBLES));
  kernels.setCodeTable(matrix, TABLE);
  const wanted = kernels === scalar ? 100 : Math.max(blocks, 2000);
  const start = performance.now();
  let scanned = 0;
  while (scanned < wanted) {
    LISTED.clear();
    for (let b = scanned % blocks; b < blocks && !LISTED.isFull; b++) {
      const address = matrix.block.offset + b * codeBlockBytes(NIBBLES);
      LISTED.add({ address, mask: 0xffffffff, firstRow: 0, base: 0, spread: 1 });
    }
    kernels.scanCodes({ arena: matrix.block.arena, nibbles: NIBBLES }, LISTED, NOTHING);
    scanned += LISTED.count;
  }
  return ((performance.now() - start) * 1e6) / (scanned * CODE_BLOCK_ROWS);
}

const BYTE_QUERY = Int16Array.from({ length: DIMENSIONS }, () => random.below(20_000) - 10_000);

/** ns per row of one pass over byte codes. */
function byteCodePass(kernels: ArenaKernels, bytesScanned: number, gather: boolean): number {
  const stride = byteCodeStride(DIMENSIONS);
  const count = Math.floor(bytesScanned / stride);
  const query = { elements: BYTE_QUERY, base: 1, scale: 1, error: 0, worst: -1 };
  const places = new Uint32Array(gather ? 256 : SCAN_ROWS_MAX);
  const wanted = kernels === scalar ? 2000 : Math.max(count, 20_000);
  let scanned = 0;
  const start = performance.now();
  while (scanned < wanted) {
    const first = scanned % count;
    const rows = gather ? places.length : Math.min(places.length, count - first);
    for (let i = 0; i < rows; i++) {
      places[i] = (rowsOffset + (gather ? random.below(count) : first + i) * stride) / 16;
    }
    kernels.scanByteCodes(rowsArena, places.subarray(0, rows), query);
    scanned += rows;
  }
  return ((performance.now() - start) * 1e6) / scanned;
}

/** ns per row of one pass that bounds the distances of blocks of codes. */
function boundPass(kernels: ArenaKernels, bytesScanned: number): number {
  const matrix: CodeMatrix = { block: block as never, start: 0, nibbles: NIBBLES };
  const blocks = Math.floor(bytesScanned / codeBlockBytes(NIBBLES));
  const queries = new Float32Array(2 * SCAN_BLOCKS_MAX).fill(1);
  kernels.setCodeTable(matrix, TABLE);
  const wanted = kernels === scalar ? 100 : Math.max(blocks, 2000);
  const start = performance.now();
  let bounded = 0;
  while (bounded < wanted) {
    const first = bounded % blocks;
    const some = Math.min(SCAN_BLOCKS_MAX, blocks - first);
    const query = { scale: 1, offset: 0, queries: queries.subarray(0, 2 * some) };
    kernels.boundCodes(matrix, first, query);
    bounded += some;
  }
  return ((performance.now() - start) * 1e6) / (bounded * CODE_BLOCK_ROWS);
}

/** Vectors that look for the nearest row at once, as many as clustering compares. */
const NEAREST_VECTORS = 85;

/** ns per pair of one pass in which some vectors look for the nearest of all rows. */
function nearestPass(kernels: ArenaKernels, bytesScanned: number): number {
  const rowBytes = DIMENSIONS * 4;
  // They and their lists lie behind the rows.
  const vectors = MEMORY_BYTES - 2 * NEAREST_VECTORS * rowBytes;
  const gather = vectors + NEAREST_VECTORS * rowBytes;
  const closenesses = gather + 4 * NEAREST_VECTORS;
  const found = closenesses + 4 * NEAREST_VECTORS;
  const count = Math.floor(Math.min(bytesScanned, vectors) / rowBytes);
  const floats = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
  for (let i = 0; i < NEAREST_VECTORS; i++) words[gather / 4 + i] = i;
  floats.fill(Number.NEGATIVE_INFINITY, closenesses / 4, closenesses / 4 + NEAREST_VECTORS);
  const scan = { dimensions: DIMENSIONS, vectors, gather, count: NEAREST_VECTORS, few: 1 };
  const lists = { firstRow: 0, closenesses, found };
  const wanted = kernels === scalar ? 20 : 1000;
  const start = performance.now();
  let compared = 0;
  while (compared < wanted) {
    const rowCount = Math.min(count, 256);
    const rows = (compared % Math.max(1, count - rowCount)) * rowBytes;
    kernels.nearestRows(block as never, "dot", { ...scan, ...lists, rows, rowCount });
    compared += rowCount;
  }
  const took = performance.now() - start;
  for (let at = vectors; at < bytes.length; at += pattern.length) {
    bytes.set(pattern.subarray(0, Math.min(pattern.length, bytes.length - at)), at);
  }
  return (took * 1e6) / (compared * NEAREST_VECTORS);
}

/** The same by codes of elements, of which the first vectors are the rows. */
function nearestCodesPass(kernels: ArenaKernels, bytesScanned: number): number {
  const rowBytes = DIMENSIONS * 4;
  const stride = elementCodeStride(DIMENSIONS);
  const rows = MEMORY_BYTES / 2;
  const count = Math.floor(Math.min(bytesScanned, MEMORY_BYTES / 2) / stride);
  const rowCount = Math.min(count, 256);
  const coded = rows - NEAREST_VECTORS * stride;
  const gather = coded - 4 * NEAREST_VECTORS;
  const closenesses = gather - 4 * NEAREST_VECTORS;
  const found = closenesses - 4 * NEAREST_VECTORS;
  const origin = found - rowBytes;
  const saved = bytes.slice(origin, rows + count * stride);
  new Float32Array(bytes.buffer, bytes.byteOffset + origin, DIMENSIONS).fill(0);
  new Float32Array(bytes.buffer, bytes.byteOffset + gather, NEAREST_VECTORS).fill(1);
  const of = { elements: 0, weights: gather, origin, dimensions: DIMENSIONS };
  const vectors = { count: NEAREST_VECTORS, coded } as const;
  kernels.encodeElements(block as never, { ...of, ...vectors, kind: "vector" });
  kernels.encodeElements(block as never, { ...of, count: 1, coded: rows, kind: "row" });
  for (let i = 1; i < count; i++) bytes.copyWithin(rows + i * stride, rows, rows + stride);
  new Uint32Array(bytes.buffer, bytes.byteOffset + gather, NEAREST_VECTORS).forEach(
    (_, i, numbers) => {
      numbers[i] = i;
    },
  );
  const lists = new Float32Array(bytes.buffer, bytes.byteOffset + closenesses, NEAREST_VECTORS);
  lists.fill(Number.NEGATIVE_INFINITY);
  const scan = { codes: paddedElements(DIMENSIONS), vectors: coded, gather, few: 1 };
  const wanted = kernels === scalar ? 20 : 2000;
  const start = performance.now();
  let compared = 0;
  while (compared < wanted) {
    const from = compared % Math.max(1, count - rowCount);
    kernels.nearestCodes(block as never, {
      ...{ ...scan, count: NEAREST_VECTORS, rows: rows + from * stride, rowCount },
      ...{ firstRow: from, closenesses, found },
    });
    compared += rowCount;
  }
  const took = performance.now() - start;
  bytes.set(saved, origin);
  return (took * 1e6) / (compared * NEAREST_VECTORS);
}

/** ns per vector whose elements are coded, as many at once. */
function elementsPass(kernels: ArenaKernels): number {
  const coded = MEMORY_BYTES / 2;
  const weights = coded - 4 * NEAREST_VECTORS;
  const saved = bytes.slice(weights, coded + NEAREST_VECTORS * elementCodeStride(DIMENSIONS));
  new Float32Array(bytes.buffer, bytes.byteOffset + weights, NEAREST_VECTORS).fill(1);
  const of = { elements: 0, weights, count: NEAREST_VECTORS, origin: weights - 4 * DIMENSIONS };
  const calls = kernels === scalar ? 2 : 200;
  const start = performance.now();
  for (let call = 0; call < calls; call++) {
    const to = { kind: "vector", dimensions: DIMENSIONS, coded } as const;
    kernels.encodeElements(block as never, { ...of, ...to });
  }
  const took = performance.now() - start;
  bytes.set(saved, weights);
  return (took * 1e6) / (calls * NEAREST_VECTORS);
}

/** Rounds of a rotation, as codes have them. */
const ROTATION_ROUNDS = 4;
const SIGNS = random.bytes((DIMENSIONS / 8) * ROTATION_ROUNDS);

/** ns per vector that is rotated. */
function rotationPass(kernels: ArenaKernels): number {
  const signs = { block: block as never, start: 0, dimensions: DIMENSIONS };
  const rotated = new Float32Array(DIMENSIONS);
  const calls = kernels === scalar ? 200 : 10_000;
  const start = performance.now();
  for (let call = 0; call < calls; call++) {
    kernels.rotate({ ...signs, rounds: ROTATION_ROUNDS }, query, rotated);
  }
  return ((performance.now() - start) * 1e6) / calls;
}

/** ns per vector of which a one-bit code and its factors are written. */
function encodingPass(kernels: ArenaKernels): number {
  const origin = new Float32Array(DIMENSIONS);
  const rotation = { rotatedDimensions: DIMENSIONS, rounds: ROTATION_ROUNDS, signs: SIGNS, origin };
  const encoder = new CodeEncoder(rotation, { kernels, memory: arenaSegmentMemory(arenas) });
  const calls = kernels === scalar ? 200 : 10_000;
  encoder.setMean(origin);
  encoder.begin(new Uint8Array(calls * codeBlockBytes(NIBBLES)), calls);
  const start = performance.now();
  for (let call = 0; call < calls; call++) encoder.write(query, 1);
  const took = performance.now() - start;
  encoder.free();
  return (took * 1e6) / calls;
}

/** Routines that are measured by themselves, and the bytes of each vector, row or pair. */
const ROUTINES = [
  { name: "boundCodes", run: boundPass, bytesEach: codeBlockBytes(NIBBLES) / CODE_BLOCK_ROWS },
  { name: "nearestRows, a pair", run: nearestPass, bytesEach: 4 * DIMENSIONS },
  {
    name: "nearestCodes, a pair",
    run: nearestCodesPass,
    bytesEach: elementCodeStride(DIMENSIONS),
  },
  { name: "encodeElements", run: elementsPass, bytesEach: 4 * DIMENSIONS, isCached: true },
  { name: "rotate", run: rotationPass, bytesEach: 4 * DIMENSIONS, isCached: true },
  { name: "encodeCode", run: encodingPass, bytesEach: 4 * DIMENSIONS, isCached: true },
] as const;

/** ns per cluster of what is expected of clusters' rows, with bounds that are apart. */
function ratePass(kernels: ArenaKernels): number {
  const room = kernels.ratedClusters();
  for (let c = 0; c < RATED_MAX; c++) {
    room.lower[c] = random.next();
    room.upper[c] = room.lower[c] + random.next();
    room.counts[c] = 64;
  }
  room.inverseRadii.fill(1);
  for (let bin = 0; bin < RATE_BINS; bin++) room.rates[bin] = random.next();
  const calls = kernels === scalar ? 2 : 200;
  const start = performance.now();
  for (let call = 0; call < calls; call++) {
    kernels.scanRates(RATED_MAX, { worst: 1, nearPoint: 0.05, nearWeight: 1 / 6 });
  }
  return ((performance.now() - start) * 1e6) / (calls * RATED_MAX);
}

/** GB/s of one plain read of the rows: a search for a byte that is not there, which is native. */
function readRate(): number {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const start = performance.now();
  if (all.indexOf(0xff) !== -1) throw new Error("the pattern has no such byte");
  return all.length / (performance.now() - start) / 1e6;
}

/** Bytes that a variant reads of a row. */
function rowBytes({ format }: Variant): number {
  if (format === "code") return codeBlockBytes(NIBBLES) / CODE_BLOCK_ROWS;
  if (format === "byteCode") return byteCodeStride(DIMENSIONS);
  return DIMENSIONS * ELEMENT_BYTES[format];
}

/** ns per vector of one pass over `rowsBytes` of rows. */
function pass(variant: Variant, rowsBytes: number, gather: boolean): number {
  const { kernels, measure, format } = variant;
  if (format === "code") return codePass(kernels, rowsBytes);
  if (format === "byteCode") return byteCodePass(kernels, rowsBytes, gather);
  const strideBytes = DIMENSIONS * ELEMENT_BYTES[format];
  const matrix: RowMatrix = {
    block: block as never,
    start: 0,
    format,
    dimensions: DIMENSIONS,
    strideBytes,
  };
  const count = Math.floor(rowsBytes / strideBytes);
  kernels.setQuery(matrix, query);
  const rows = new Uint32Array(256);
  let scored = 0;
  const start = performance.now();
  // The scalar kernel is some 20 times slower: a few rows are enough to see it.
  const wanted = kernels === scalar ? 2000 : Math.max(count, 20_000);
  while (scored < wanted) {
    if (gather) {
      for (let i = 0; i < rows.length; i++) rows[i] = random.below(count);
      kernels.scoreRows(measure, matrix, rows);
      scored += rows.length;
      continue;
    }
    const from = scored % count;
    const end = Math.min(from + SCAN_ROWS_MAX, count);
    kernels.scoreRange(measure, matrix, from, end);
    scored += end - from;
  }
  return ((performance.now() - start) * 1e6) / scored;
}

const variants: Variant[] = [];
for (const format of ["f32", "f16", "i8"] as const) {
  for (const measure of ["dot", "squaredDistance"] as const) {
    variants.push({ name: `${measure} ${format}`, measure, format, kernels: wasm });
  }
}
variants.push({ name: "one-bit codes", measure: "dot", format: "code", kernels: wasm });
variants.push({ name: "byte codes", measure: "dot", format: "byteCode", kernels: wasm });
variants.push({ name: "one-bit codes, scalar", measure: "dot", format: "code", kernels: scalar });
variants.push({ name: "dot f32, scalar", measure: "dot", format: "f32", kernels: scalar });

const columns: [string, number, boolean][] = [
  ["cache", CACHE_BYTES, false],
  ["memory", MEMORY_BYTES, false],
  ["gathered", MEMORY_BYTES, true],
];
const best = new Map<string, number>();
let bestRead = 0;
for (let round = 0; round < ROUNDS; round++) {
  bestRead = Math.max(bestRead, readRate());
  for (const variant of variants) {
    for (const [column, rowsBytes, gather] of columns) {
      const key = `${variant.name} ${column}`;
      if (gather && variant.format === "code") continue;
      const time = pass(variant, rowsBytes, gather);
      best.set(key, Math.min(best.get(key) ?? Number.POSITIVE_INFINITY, time));
    }
  }
}

console.log(
  `ns per vector of ${DIMENSIONS}`.padEnd(28),
  ...columns.map(([name]) => name.padStart(9)),
  `GB/s of ${bestRead.toFixed(1)}`.padStart(12),
);
for (const variant of variants) {
  const { name } = variant;
  const times = columns.map(([column]) =>
    (best.get(`${name} ${column}`)?.toFixed(0) ?? "–").padStart(9),
  );
  const rate = rowBytes(variant) / (best.get(`${name} memory`) ?? Number.NaN);
  console.log(name.padEnd(28), ...times, rate.toFixed(1).padStart(12));
}
for (const routine of ROUTINES) {
  for (const kernels of [wasm, scalar]) {
    const places = "isCached" in routine ? [CACHE_BYTES] : [CACHE_BYTES, MEMORY_BYTES];
    const times = places.map((bytesRead) =>
      Math.min(...Array.from({ length: ROUNDS }, () => routine.run(kernels, bytesRead))),
    );
    const shown = columns.map((_, i) => (times[i]?.toFixed(0) ?? "–").padStart(9));
    const rate = routine.bytesEach / times[times.length - 1];
    const name = kernels === scalar ? `${routine.name}, scalar` : routine.name;
    console.log(name.padEnd(28), ...shown, rate.toFixed(1).padStart(12));
  }
}
const rated = [wasm, scalar].map((kernels) =>
  Math.min(...Array.from({ length: ROUNDS }, () => ratePass(kernels))).toFixed(1),
);
console.log(`expected rows of a cluster: ${rated[0]} ns, scalar ${rated[1]} ns`);
