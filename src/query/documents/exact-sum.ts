/**
 * Sums that do not depend on the order of their terms, nor on which of them were summed elsewhere
 * and brought here as one exact total.
 */

/** Exact sum of 64-bit integers, given as two 32-bit words so that the loop has no bigints. */
export class IntegerSum {
  #low = 0;
  #high = 0;
  #pending = 0;
  #total = 0n;

  /** Adds `high * 2^32 + low`; `low` is unsigned, `high` is signed or not. */
  add(low: number, high: number): void {
    this.#low += low;
    this.#high += high;
    // Sums of 2^20 words stay below 2^53, so they are exact.
    if (++this.#pending === 1 << 20) this.#flush();
  }

  value(): bigint {
    this.#flush();
    return this.#total;
  }

  /** What was added so far, for `absorb`. */
  exact(): bigint {
    return this.value();
  }

  /** Adds what another sum of this kind has. */
  absorb(exact: bigint): void {
    this.#total += exact;
  }

  #flush(): void {
    this.#total += (BigInt(this.#high) << 32n) + BigInt(this.#low);
    this.#low = 0;
    this.#high = 0;
    this.#pending = 0;
  }
}

/** Bits below 1 of the smallest positive float. */
const FRACTION_BITS = 1074;

/**
 * Correctly rounded sum of finite floats. Most values go into a sum and what roundings of it lose
 * (Knuth's exact addition of two floats, twice); those with which even that would lose something
 * into partial sums that do not overlap (Shewchuk, Adaptive precision floating-point arithmetic,
 * 1997). Partial sums that leave the range of floats on the way are kept as one big fixed-point
 * number. A sum beyond the range is the greatest float.
 */
export class FloatSum {
  #sum = 0;
  /** What roundings of `#sum` have lost, exactly. */
  #lost = 0;
  #partials: number[] = [];
  #fixed: bigint | undefined;

  add(value: number): void {
    const sum = this.#sum + value;
    const valuePart = sum - this.#sum;
    const error = this.#sum - (sum - valuePart) + (value - valuePart);
    const lost = this.#lost + error;
    const errorPart = lost - this.#lost;
    const rest = this.#lost - (lost - errorPart) + (error - errorPart);
    // Beyond the range of floats it is not a number.
    if (rest === 0) {
      this.#sum = sum;
      this.#lost = lost;
    } else {
      this.#addApart(value);
    }
  }

  #addApart(value: number): void {
    if (this.#fixed !== undefined) {
      this.#fixed += toFixed(value);
      return;
    }
    const partials = this.#partials;
    let kept = 0;
    let sum = value;
    for (let i = 0; i < partials.length; i++) {
      const partial = partials[i];
      const [big, small] = Math.abs(sum) < Math.abs(partial) ? [partial, sum] : [sum, partial];
      const next = big + small;
      if (!Number.isFinite(next)) {
        this.#overflow(sum, kept, i);
        return;
      }
      const lost = small - (next - big);
      if (lost !== 0) partials[kept++] = lost;
      sum = next;
    }
    partials.length = kept;
    partials.push(sum);
  }

  value(): number {
    const isWhole = this.#lost === 0 && this.#partials.length === 0 && this.#fixed === undefined;
    // Rounding a sum of several parts once needs all of them together.
    return isWhole ? this.#sum + 0 : fromFixed(this.exact());
  }

  /** What was added so far, for `absorb`: as a multiple of 2^-1074. */
  exact(): bigint {
    const parts = [this.#sum, this.#lost, ...this.#partials];
    return parts.reduce((sum, part) => sum + toFixed(part), this.#fixed ?? 0n);
  }

  /** Adds what another sum of this kind has. */
  absorb(exact: bigint): void {
    this.#fixed = this.exact() + exact;
    this.#sum = 0;
    this.#lost = 0;
    this.#partials = [];
  }

  /** Partials below `kept` and from `from` on, and `sum`, are what was added so far. */
  #overflow(sum: number, kept: number, from: number): void {
    const rest = [...this.#partials.slice(0, kept), ...this.#partials.slice(from), sum];
    this.#fixed = rest.reduce((total, partial) => total + toFixed(partial), 0n);
    this.#partials = [];
  }
}

/** The float as an integer multiple of 2^-1074, exactly. */
function toFixed(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xfffffffffffffn;
  const magnitude = exponent === 0 ? fraction : (fraction | (1n << 52n)) << BigInt(exponent - 1);
  return value < 0 ? -magnitude : magnitude;
}

/** The nearest float to a multiple of 2^-1074, ties to even. */
function fromFixed(fixed: bigint): number {
  const magnitude = fixed < 0n ? -fixed : fixed;
  const sign = fixed < 0n ? -1 : 1;
  const bits = magnitude.toString(16).length * 4;
  const shift = Math.max(0, bits - 64);
  let top = magnitude >> BigInt(shift);
  // A sticky last bit keeps what was shifted out from looking like a tie.
  if (top << BigInt(shift) !== magnitude) top |= 1n;
  // Two factors, since one may be out of range: as many bits below as above the middle.
  const exponent = shift - FRACTION_BITS;
  const half = Math.trunc(exponent / 2);
  const value = Number(top) * 2 ** half * 2 ** (exponent - half);
  return sign * Math.min(value, Number.MAX_VALUE);
}
