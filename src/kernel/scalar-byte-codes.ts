import type { ByteCodeScan } from "./byte-code-scan.ts";
import { FOUND_WORDS } from "./code-scan.ts";

/** Greatest finite float32. */
const FLOAT32_MAX = 3.4028234663852886e38;

/** Finds the rows whose lower bound is at most `worst`; see `ByteCodeScan`. */
export function scanByteCodes(buffer: ArrayBufferLike, scan: ByteCodeScan): number {
  const gather = new Uint32Array(buffer, scan.gather, scan.count);
  const query = new Int16Array(buffer, scan.query, scan.codes);
  const numbers = new Uint32Array(buffer, scan.found, FOUND_WORDS * scan.count);
  const bounds = new Float32Array(buffer, scan.found, numbers.length);
  let found = 0;
  for (let i = 0; i < scan.count; i++) {
    const { lower, upper } = boundsOf(buffer, gather[i] * 16, query, scan);
    if (lower > scan.worst) continue;
    const at = FOUND_WORDS * found++;
    numbers[at] = i;
    bounds[at + 1] = lower;
    bounds[at + 2] = upper;
  }
  return found;
}

/** The bounds of the row at an address. */
function boundsOf(
  buffer: ArrayBufferLike,
  row: number,
  query: Int16Array,
  { codes, base, scale, error }: ByteCodeScan,
): { readonly lower: number; readonly upper: number } {
  const own = new Int8Array(buffer, row, codes);
  const [ownScale, ownError] = new Float32Array(buffer, row + codes, 2);
  const [squares] = new Uint32Array(buffer, row + codes + 8, 1);
  let product = 0;
  for (let i = 0; i < codes; i++) product += own[i] * query[i];
  const size = base + ownScale * ownScale * squares;
  const middle = size - ownScale * scale * product;
  const slack = size * 2 ** -49;
  const width = (ownError + error) * (1 + 2 ** -40);
  const inner = Math.sqrt(Math.max(middle - slack, 0)) - width;
  const least = Math.max(inner * (1 - 2 ** -22) - 2 ** -148, 0);
  const lower = Math.min(least, FLOAT32_MAX);
  const upper = (Math.sqrt(middle + slack) + width) * (1 + 2 ** -22) + 2 ** -148;
  return { lower: Math.fround(lower), upper: Math.fround(upper) };
}
