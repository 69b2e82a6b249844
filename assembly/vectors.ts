// Kernels take addresses and counts, never objects: no allocation, no bounds checks, no throws.
// The caller keeps the contract of src/kernel/kernel.ts; test/conformance/kernel.ts holds every
// kernel to the results of src/kernel/scalar-kernel.ts, bit by bit. So no relaxed SIMD here, whose
// sums depend on the machine, and sums keep their order:
//
// Sixteen lane sums take the elements in turns, as far as sixteen of them are left; they are joined
// by halves: lane i + lane i + 8, then + 4, then + 2, then + 1. Elements that are left over are
// summed one after the other, and added last.

/** Scale that turns float16 bits, moved into the places of a float32, into their value: 2^112. */
const HALF_SCALE: u32 = 0x77800000;

/** Elements `index` to `index + 3` of a vector of T (f32, u16 = float16, i8) as float32. */
// @ts-ignore: decorator
@inline
function four<T>(vector: usize, index: usize): v128 {
  if (sizeof<T>() == 4) return v128.load(vector + (index << 2));
  if (sizeof<T>() == 2) {
    // Sign-extended and moved by 13, the sign is where float32 has it; its copies are cut out.
    const moved = i32x4.shl(v128.load_ext<i16>(vector + (index << 1)), 13);
    return f32x4.mul(v128.and(moved, i32x4.splat(0x8fffe000)), i32x4.splat(HALF_SCALE));
  }
  const wide = i16x8.extend_low_i8x16_s(v128.load32_zero(vector + index));
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(wide));
}

/** Element `index` as float32. */
// @ts-ignore: decorator
@inline
function one<T>(vector: usize, index: usize): f32 {
  if (sizeof<T>() == 4) return load<f32>(vector + (index << 2));
  if (sizeof<T>() == 2) {
    const bits = <u32>load<u16>(vector + (index << 1));
    const value = reinterpret<f32>((bits & 0x7fff) << 13) * reinterpret<f32>(HALF_SCALE);
    return bits & 0x8000 ? -value : value;
  }
  return <f32>load<i8>(vector + index);
}

// @ts-ignore: decorator
@inline
function joined(a: v128, b: v128, c: v128, d: v128): f32 {
  const four = f32x4.add(f32x4.add(a, c), f32x4.add(b, d));
  return (
    f32x4.extract_lane(four, 0) + f32x4.extract_lane(four, 2) +
    (f32x4.extract_lane(four, 1) + f32x4.extract_lane(four, 3))
  );
}

/** Address of row `i`: in order, or where `gather`, a list of u32 row numbers, says. */
// @ts-ignore: decorator
@inline
function rowAt(rows: usize, stride: usize, gather: usize, i: usize): usize {
  return rows + stride * (gather == 0 ? i : <usize>load<u32>(gather + (i << 2)));
}

// @ts-ignore: decorator
@inline
function dot<T>(query: usize, row: usize, dimensions: usize): f32 {
  const blocksEnd = dimensions & ~15;
  let a = f32x4.splat(0);
  let b = f32x4.splat(0);
  let c = f32x4.splat(0);
  let d = f32x4.splat(0);
  for (let i: usize = 0; i < blocksEnd; i += 16) {
    const at = query + (i << 2);
    a = f32x4.add(a, f32x4.mul(v128.load(at), four<T>(row, i)));
    b = f32x4.add(b, f32x4.mul(v128.load(at, 16), four<T>(row, i + 4)));
    c = f32x4.add(c, f32x4.mul(v128.load(at, 32), four<T>(row, i + 8)));
    d = f32x4.add(d, f32x4.mul(v128.load(at, 48), four<T>(row, i + 12)));
  }
  let rest: f32 = 0;
  for (let i = blocksEnd; i < dimensions; i++) {
    rest += load<f32>(query + (i << 2)) * one<T>(row, i);
  }
  return joined(a, b, c, d) + rest;
}

// @ts-ignore: decorator
@inline
function squared(difference: v128): v128 {
  return f32x4.mul(difference, difference);
}

// @ts-ignore: decorator
@inline
function squaredDistance<T>(query: usize, row: usize, dimensions: usize): f32 {
  const blocksEnd = dimensions & ~15;
  let a = f32x4.splat(0);
  let b = f32x4.splat(0);
  let c = f32x4.splat(0);
  let d = f32x4.splat(0);
  for (let i: usize = 0; i < blocksEnd; i += 16) {
    const at = query + (i << 2);
    a = f32x4.add(a, squared(f32x4.sub(v128.load(at), four<T>(row, i))));
    b = f32x4.add(b, squared(f32x4.sub(v128.load(at, 16), four<T>(row, i + 4))));
    c = f32x4.add(c, squared(f32x4.sub(v128.load(at, 32), four<T>(row, i + 8))));
    d = f32x4.add(d, squared(f32x4.sub(v128.load(at, 48), four<T>(row, i + 12))));
  }
  let rest: f32 = 0;
  for (let i = blocksEnd; i < dimensions; i++) {
    const difference = load<f32>(query + (i << 2)) - one<T>(row, i);
    rest += difference * difference;
  }
  return joined(a, b, c, d) + rest;
}

/** Writes the dot product of the query with each of `count` rows of T to `scores`. */
// @ts-ignore: decorator
@inline
export function dotRows<T>(
  query: usize, rows: usize, stride: usize, gather: usize, count: usize, dimensions: usize,
  scores: usize,
): void {
  for (let i: usize = 0; i < count; i++) {
    store<f32>(scores + (i << 2), dot<T>(query, rowAt(rows, stride, gather, i), dimensions));
  }
}

/** Writes the squared distance of the query from each of `count` rows of T to `scores`. */
// @ts-ignore: decorator
@inline
export function squaredDistanceRows<T>(
  query: usize, rows: usize, stride: usize, gather: usize, count: usize, dimensions: usize,
  scores: usize,
): void {
  for (let i: usize = 0; i < count; i++) {
    const row = rowAt(rows, stride, gather, i);
    store<f32>(scores + (i << 2), squaredDistance<T>(query, row, dimensions));
  }
}
