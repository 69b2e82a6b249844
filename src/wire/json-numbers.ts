/** Decimal numbers to floats, at the speed of number arrays. */

/** Digits that one int32 holds without overflow. */
const HIGH_DIGITS = 9;
/** Digits kept of a number: 15 of them are exact in a float64. */
const KEPT_DIGITS = 15;
/** Powers of ten up to this are exact in a float64 (5^22 < 2^53). */
const EXACT_POWER_MAX = 22;
/** Greatest power of the table; covers every float32 that is written in the usual ways. */
const POWER_MAX = 60;
/**
 * Relative error bound of `mantissa × 10^scale` when digits after the 15th are left out: 10^-14 for
 * the digits and at most three roundings of 2^-53; doubled to be beyond doubt.
 */
const TRUNCATION_ERROR = 2e-14;

const POWERS = Float64Array.from({ length: POWER_MAX + 1 }, (_, power) => Number(`1e${power}`));

/**
 * Reads one number token per call. The results beside the value stay in fields, so that nothing is
 * allocated per number.
 */
export class NumberScanner {
  /** Just after the last byte that was accepted. */
  end = 0;
  /** Whether the token is a number by RFC 8259. If not, `end` is where it stops being one. */
  valid = false;
  /** Whether the token has neither fraction nor exponent. */
  integer = false;

  #mantissa = 0;
  #scale = 0;
  #truncated = false;

  /** The nearest float64 (ties to even); infinite when out of range. Meaningless if not `valid`. */
  scanFloat64(bytes: Buffer, at: number): number {
    this.#scan(bytes, at);
    const scale = this.#scale;
    // One correctly rounded operation on two exact numbers gives the nearest float64 (Clinger 1990).
    if (!this.#truncated && scale >= -EXACT_POWER_MAX && scale <= EXACT_POWER_MAX) {
      const value = scale < 0 ? this.#mantissa / POWERS[-scale] : this.#mantissa * POWERS[scale];
      return bytes[at] === 0x2d ? -value : value;
    }
    return this.valid ? slowFloat64(bytes, at, this.end) : Number.NaN;
  }

  /**
   * The float32 nearest to the float64 nearest to the number: twice rounded. That is what a client
   * gets that keeps its numbers as float64, and it makes a value independent of the path that read
   * it. It differs from one rounding only for a decimal within 2^-53 of the middle of two float32.
   */
  scanFloat32(bytes: Buffer, at: number): number {
    this.#scan(bytes, at);
    const scale = this.#scale;
    if (scale >= -POWER_MAX && scale <= POWER_MAX) {
      const near = scale < 0 ? this.#mantissa / POWERS[-scale] : this.#mantissa * POWERS[scale];
      const low = Math.fround(near * (1 - TRUNCATION_ERROR));
      // Rounding is monotonic: if both bounds round to one float32, so does all between them.
      if (low === Math.fround(near * (1 + TRUNCATION_ERROR)))
        return bytes[at] === 0x2d ? -low : low;
    }
    return this.valid ? Math.fround(slowFloat64(bytes, at, this.end)) : Number.NaN;
  }

  /** Splits the token into at most 15 digits and a power of ten, and checks its syntax. */
  #scan(bytes: Buffer, start: number): void {
    let at = bytes[start] === 0x2d ? start + 1 : start;
    let high = 0;
    let low = 0;
    let kept = 0;
    let lowPower = 0;
    let scale = 0;
    let truncated = false;

    let digit = bytes[at] - 0x30;
    if (digit === 0) {
      digit = bytes[++at] - 0x30;
    } else if (digit > 0 && digit <= 9) {
      do {
        if (kept < HIGH_DIGITS) {
          high = Math.imul(high, 10) + digit;
          kept++;
        } else if (kept < KEPT_DIGITS) {
          low = Math.imul(low, 10) + digit;
          kept++;
          lowPower++;
        } else {
          truncated = true;
          scale++;
        }
        digit = bytes[++at] - 0x30;
      } while (digit >= 0 && digit <= 9);
    } else {
      this.#reject(at);
      return;
    }

    this.integer = true;
    if (digit === -2) {
      this.integer = false;
      digit = bytes[++at] - 0x30;
      if (!(digit >= 0 && digit <= 9)) {
        this.#reject(at);
        return;
      }
      do {
        if (kept < HIGH_DIGITS) {
          high = Math.imul(high, 10) + digit;
          if (high !== 0) kept++;
          scale--;
        } else if (kept < KEPT_DIGITS) {
          low = Math.imul(low, 10) + digit;
          kept++;
          lowPower++;
          scale--;
        } else {
          truncated = true;
        }
        digit = bytes[++at] - 0x30;
      } while (digit >= 0 && digit <= 9);
    }
    this.#mantissa = lowPower === 0 ? high : high * POWERS[lowPower] + low;
    this.#truncated = truncated;
    this.#scale = scale;
    this.valid = true;
    this.end = at;
    if (digit === 0x65 - 0x30 || digit === 0x45 - 0x30) this.#scanExponent(bytes, at + 1);
  }

  #scanExponent(bytes: Buffer, start: number): void {
    this.integer = false;
    let at = start;
    const sign = bytes[at];
    if (sign === 0x2d || sign === 0x2b) at++;
    let exponent = 0;
    let digit = bytes[at] - 0x30;
    if (!(digit >= 0 && digit <= 9)) {
      this.#reject(at);
      return;
    }
    do {
      // Capped far above any exponent that matters, so that it cannot overflow.
      if (exponent < 1_000_000) exponent = exponent * 10 + digit;
      digit = bytes[++at] - 0x30;
    } while (digit >= 0 && digit <= 9);
    this.#scale += sign === 0x2d ? -exponent : exponent;
    this.end = at;
  }

  #reject(at: number): void {
    this.valid = false;
    this.end = at;
    this.#truncated = false;
    this.#mantissa = 0;
    this.#scale = 0;
  }
}

/** Number() rounds correctly whatever the length; it costs some 200 ns. */
function slowFloat64(bytes: Buffer, start: number, end: number): number {
  return Number(bytes.toString("latin1", start, end));
}

/** A growing array of float32. A caller that reads in steps truncates it when a step is repeated. */
export class Float32Builder {
  length = 0;
  #values: Float32Array;

  constructor(capacity = 1024) {
    this.#values = new Float32Array(Math.max(capacity, 1));
  }

  push(value: number): void {
    if (this.length === this.#values.length) this.#grow(this.length + 1);
    this.#values[this.length++] = value;
  }

  /** Appends all of `values`. */
  append(values: Float32Array): void {
    const end = this.length + values.length;
    if (end > this.#values.length) this.#grow(end);
    this.#values.set(values, this.length);
    this.length = end;
  }

  /** Forgets what lies from `length` on. */
  truncate(length: number): void {
    this.length = length;
  }

  /** A view of the elements from `start` to `end`, valid until more are added. */
  view(start = 0, end = this.length): Float32Array {
    return this.#values.subarray(start, end);
  }

  #grow(needed: number): void {
    const larger = new Float32Array(Math.max(needed, this.#values.length * 2));
    larger.set(this.#values.subarray(0, this.length));
    this.#values = larger;
  }
}
