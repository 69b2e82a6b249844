// Scans of byte codes; src/kernel/byte-code-scan.ts says how a row lies in memory and what is
// computed, operation by operation. Products are summed as whole numbers: no order of them matters.

/** Bytes of what is told of a row: its place, its bounds. */
const FOUND_BYTES: usize = 12;

/** Products of 16 codes and elements, in two halves. */
// @ts-ignore: decorator
@inline
function products(codes: usize, query: usize, at: usize): v128 {
  const elements = query + (at << 1);
  return i32x4.add(
    i32x4.dot_i16x8_s(v128.load_ext<i8>(codes + at), v128.load(elements)),
    i32x4.dot_i16x8_s(v128.load_ext<i8>(codes + at, 8), v128.load(elements, 16)),
  );
}

/** The sum of the products of `count` codes, a multiple of 16, and elements. */
// @ts-ignore: decorator
@inline
function product(codes: usize, query: usize, count: usize): i32 {
  let a = i32x4.splat(0);
  let b = i32x4.splat(0);
  const pairsEnd = count & ~31;
  for (let at: usize = 0; at < pairsEnd; at += 32) {
    a = i32x4.add(a, products(codes, query, at));
    b = i32x4.add(b, products(codes, query, at + 16));
  }
  if (pairsEnd < count) a = i32x4.add(a, products(codes, query, pairsEnd));
  const four = i32x4.add(a, b);
  return (
    i32x4.extract_lane(four, 0) + i32x4.extract_lane(four, 1) +
    i32x4.extract_lane(four, 2) + i32x4.extract_lane(four, 3)
  );
}

/** Writes rows whose lower bound is at most `worst`, in order, to `found`, and tells how many. */
export function scanByteCodes(
  gather: usize, count: usize, codes: usize, query: usize, base: f64, scale: f64, error: f64,
  worst: f64, found: usize,
): u32 {
  let at = found;
  for (let i: usize = 0; i < count; i++) {
    const row = <usize>load<u32>(gather + (i << 2)) << 4;
    const factors = row + codes;
    const own = <f64>load<f32>(factors);
    const size = base + own * own * <f64>load<u32>(factors, 8);
    const middle = size - own * scale * <f64>product(row, query, codes);
    const slack = size * 2 ** -49;
    const width = (<f64>load<f32>(factors, 4) + error) * (1 + 2 ** -40);
    const inner = sqrt<f64>(max<f64>(middle - slack, 0)) - width;
    const least = max<f64>(inner * (1 - 2 ** -22) - 2 ** -148, 0);
    const lower = <f32>min<f64>(least, f32.MAX_VALUE);
    // What is no number may be anything: it is told, too.
    if (<f64>lower > worst) continue;
    const outer = sqrt<f64>(middle + slack) + width;
    store<u32>(at, <u32>i);
    store<f32>(at, lower, 4);
    store<f32>(at, <f32>(outer * (1 + 2 ** -22) + 2 ** -148), 8);
    at += FOUND_BYTES;
  }
  return <u32>((at - found) / FOUND_BYTES);
}
