// Scans of one-bit codes; src/kernel/code-scan.ts says how a block of 32 rows lies in memory and
// what is computed. Four dimensions of a row are one of 16 values, and a table says what each of
// them counts: a shuffle looks up those of 16 rows at once (André, Kermarrec, Le Scouarnec, "Cache
// locality is not enough", VLDB 2015).
//
// A row's sum is a whole number, and what follows takes one operation of float32 after the other,
// so that every machine gives the same bits.

/** Rows of a block. */
const ROWS: usize = 32;
/** Nibbles whose values, of at most 255 each, a sum of 16 bits holds. */
const SUMMED_MAX: usize = 256;
/** Bytes of a cache line. */
const LINE: usize = 64;
/** Bytes of what the list says of a block: address, mask, number of row 0, base, spread. */
const LISTED_BYTES: usize = 20;
/** Bytes of what is told of a row: its number, its bounds. */
const FOUND_BYTES: usize = 12;

/** Adds eight sums of 16 bits, of rows in turns, to sums of 32 bits in the order of rows. */
// @ts-ignore: decorator
@inline
function addSums(sums: usize, even: v128, odd: v128): void {
  const low = i8x16.shuffle(even, odd, 0, 1, 16, 17, 2, 3, 18, 19, 4, 5, 20, 21, 6, 7, 22, 23);
  const high = i8x16.shuffle(
    even, odd, 8, 9, 24, 25, 10, 11, 26, 27, 12, 13, 28, 29, 14, 15, 30, 31,
  );
  v128.store(sums, i32x4.add(v128.load(sums), i32x4.extend_low_i16x8_u(low)));
  v128.store(sums, i32x4.add(v128.load(sums, 16), i32x4.extend_high_i16x8_u(low)), 16);
  v128.store(sums, i32x4.add(v128.load(sums, 32), i32x4.extend_low_i16x8_u(high)), 32);
  v128.store(sums, i32x4.add(v128.load(sums, 48), i32x4.extend_high_i16x8_u(high)), 48);
}

/** Writes what the table counts for each of a block's rows. */
// @ts-ignore: decorator
@inline
function sumRows(codes: usize, table: usize, nibbles: usize, sums: usize): void {
  const low = i8x16.splat(15);
  memory.fill(sums, 0, ROWS << 2);
  for (let from: usize = 0; from < nibbles; from += SUMMED_MAX) {
    let all0 = i16x8.splat(0);
    let odd0 = i16x8.splat(0);
    let all1 = i16x8.splat(0);
    let odd1 = i16x8.splat(0);
    const end = min(from + SUMMED_MAX, nibbles) << 4;
    for (let i = from << 4; i < end; i += 16) {
      const both = v128.load(codes + i);
      const values = v128.load(table + i);
      // No index is above 15, so that the relaxed lookup gives the same on every machine.
      const first = i8x16.relaxed_swizzle(values, v128.and(both, low));
      const second = i8x16.relaxed_swizzle(values, i8x16.shr_u(both, 4));
      // Bytes are added in pairs, as sums of 16 bits: those of the upper ones spoil the lower ones
      // by 256 times of what is known.
      all0 = i16x8.add(all0, first);
      odd0 = i16x8.add(odd0, i16x8.shr_u(first, 8));
      all1 = i16x8.add(all1, second);
      odd1 = i16x8.add(odd1, i16x8.shr_u(second, 8));
    }
    addSums(sums, i16x8.sub(all0, i16x8.shl(odd0, 8)), odd0);
    addSums(sums + 64, i16x8.sub(all1, i16x8.shl(odd1, 8)), odd1);
  }
}

/** Reads a byte of each cache line: memory is fetched while the block before is computed. */
// @ts-ignore: decorator
@inline
function touch(block: usize, bytes: usize): u64 {
  let sink: u64 = 0;
  for (let at: usize = 0; at < bytes; at += LINE) sink ^= load<u64>(block + at);
  return sink;
}

/** The estimates of four rows, whose sums and factors lie there. */
// @ts-ignore: decorator
@inline
function estimates(sums: usize, factors: usize, scale: f32, offset: f32, base: f32): v128 {
  const sum = f32x4.convert_i32x4_u(v128.load(sums));
  const product = f32x4.add(f32x4.mul(sum, f32x4.splat(scale)), f32x4.splat(offset));
  const add = f32x4.add(v128.load(factors), f32x4.splat(base));
  return f32x4.add(add, f32x4.mul(v128.load(factors, 128), product));
}

/**
 * Writes the bounds of all rows, 0 and infinity where they tell nothing, to `lower` and `upper`.
 * Lower ones may be negative, so that the estimate is in the middle.
 * `queries` has a base and a spread for each block; `scratch` is as in `scanCodes`.
 */
export function boundCodes(
  blocks: usize, stride: usize, count: usize, nibbles: usize, table: usize, queries: usize,
  scale: f32, offset: f32, scratch: usize, lower: usize, upper: usize,
): void {
  const infinity = f32x4.splat(<f32>Infinity);
  const none = f32x4.neg(infinity);
  for (let b: usize = 0; b < count; b++) {
    const block = blocks + b * stride;
    const base = load<f32>(queries + (b << 3));
    const spread = f32x4.splat(load<f32>(queries + (b << 3), 4));
    sumRows(block, table, nibbles, scratch);
    const factors = block + (nibbles << 4);
    const at = b << 7;
    for (let i: usize = 0; i < ROWS << 2; i += 16) {
      const estimate = estimates(scratch + i, factors + i, scale, offset, base);
      const error = f32x4.mul(v128.load(factors + i, 256), spread);
      const low = f32x4.sub(estimate, error);
      const high = f32x4.add(estimate, error);
      // Comparisons with what is no number do not hold.
      v128.store(lower + at + i, v128.and(low, f32x4.gt(low, none)));
      v128.store(upper + at + i, v128.bitselect(high, infinity, f32x4.ge(high, low)));
    }
  }
}

/**
 * Writes rows of the listed blocks whose lower bound is at most `worst`, in order, to `found`, and
 * tells how many. `scratch` is 392 bytes that nobody else uses.
 */
export function scanCodes(
  list: usize, count: usize, blockBytes: usize, nibbles: usize, table: usize,
  scale: f32, offset: f32, worst: f32, scratch: usize, found: usize,
): u32 {
  const lowers = scratch + 128;
  const uppers = scratch + 256;
  const end = list + count * LISTED_BYTES;
  let at = found;
  let sink: u64 = 0;
  for (let listed = list; listed < end; listed += LISTED_BYTES) {
    const block = <usize>load<u32>(listed);
    const next = listed + LISTED_BYTES;
    if (next < end) sink ^= touch(<usize>load<u32>(next), blockBytes);
    const base = load<f32>(listed, 12);
    const spread = f32x4.splat(load<f32>(listed, 16));
    sumRows(block, table, nibbles, scratch);
    const factors = block + (nibbles << 4);
    let near: u32 = 0;
    for (let i: usize = 0; i < ROWS << 2; i += 16) {
      const estimate = estimates(scratch + i, factors + i, scale, offset, base);
      const error = f32x4.mul(v128.load(factors + i, 256), spread);
      const lower = f32x4.sub(estimate, error);
      v128.store(lowers + i, lower);
      v128.store(uppers + i, f32x4.add(estimate, error));
      // What is no number may be anything: it is told, too.
      const isFar = f32x4.gt(lower, f32x4.splat(worst));
      near |= (~i32x4.bitmask(isFar) & 15) << <u32>(i >> 2);
    }
    const firstRow = load<u32>(listed, 8);
    for (near &= load<u32>(listed, 4); near != 0; near &= near - 1) {
      const row = ctz(near);
      store<u32>(at, firstRow + row);
      store<f32>(at, load<f32>(lowers + (row << 2)), 4);
      store<f32>(at, load<f32>(uppers + (row << 2)), 8);
      at += FOUND_BYTES;
    }
  }
  // The reads must not be optimized away.
  store<u64>(scratch + 384, sink);
  return <u32>((at - found) / FOUND_BYTES);
}
