/** Digits that tell any float32 from its neighbours. */
const FLOAT32_DIGITS_MAX = 9;
/** Digits of a decimal that every float32 can hold (FLT_DIG). Few random values need no more. */
const FLOAT32_DIGITS_SURE = 6;
/** Powers of ten up to this are exact in a float64. */
const EXACT_POWER_MAX = 22;
/** Magnitudes that are written here, without an exponent, as `String` does; others go to it. */
const PLAIN_MIN = 1e-6;
const PLAIN_END = 1e20;

const POWERS = Float64Array.from({ length: EXACT_POWER_MAX + 1 }, (_, power) =>
  Number(`1e${power}`),
);

const ZERO = 0x30;
const MINUS = 0x2d;
const POINT = 0x2e;

/** The longest text that `Float32Decimal.write` makes. */
export const FLOAT32_BYTES_MAX = 24;

/**
 * Writes float32 as the shortest decimal that reads as the same float32, whether the reader rounds
 * to float32 at once or by way of float64.
 */
export class Float32Decimal {
  /** The decimal that was found: `digits × 10^-places`. */
  #digits = 0;
  #places = 0;

  /** Writes a finite `value` as ASCII to `bytes` from `at` on, and returns where it ends. */
  write(bytes: Uint8Array, at: number, value: number): number {
    const magnitude = Math.abs(value);
    if (!(magnitude >= PLAIN_MIN && magnitude < PLAIN_END)) {
      return writeAscii(bytes, at, Object.is(value, -0) ? "-0.0" : String(shortestFloat32(value)));
    }
    this.#find(magnitude);
    if (value < 0) bytes[at++] = MINUS;
    return this.#writePlain(bytes, at);
  }

  #find(magnitude: number): void {
    let exponent = 0;
    if (magnitude < 1)
      do exponent--;
      while (magnitude * POWERS[-exponent] < 1);
    else while (magnitude >= POWERS[exponent + 1]) exponent++;

    let count = this.#fits(magnitude, FLOAT32_DIGITS_SURE - 1 - exponent)
      ? 1
      : FLOAT32_DIGITS_SURE + 1;
    while (!this.#fits(magnitude, count - 1 - exponent) && count < FLOAT32_DIGITS_MAX) count++;
  }

  /** Rounds to `places` decimal places, and tells whether that reads as the same float32. */
  #fits(magnitude: number, places: number): boolean {
    this.#places = places;
    // With both powers exact, the quotient is the nearest float64 to the decimal: what is read.
    if (places < 0) {
      this.#digits = Math.round(magnitude / POWERS[-places]);
      return Math.fround(this.#digits * POWERS[-places]) === magnitude;
    }
    this.#digits = Math.round(magnitude * POWERS[places]);
    return Math.fround(this.#digits / POWERS[places]) === magnitude;
  }

  #writePlain(bytes: Uint8Array, start: number): number {
    let digits = this.#digits;
    let places = this.#places;
    let length = 1;
    while (digits >= POWERS[length]) length++;

    // Backwards from the end: the lengths of all parts are known.
    const whole = Math.max(length - places, 1);
    const end = start + whole + (places > 0 ? places + 1 : 0);
    let at = end;
    for (; places > 0; places--) {
      const rest = (digits / 10) | 0;
      bytes[--at] = ZERO + digits - rest * 10;
      digits = rest;
    }
    if (at < end) bytes[--at] = POINT;
    for (; places < 0; places++) bytes[--at] = ZERO;
    while (at > start) {
      const rest = (digits / 10) | 0;
      bytes[--at] = ZERO + digits - rest * 10;
      digits = rest;
    }
    return end;
  }
}

/** The float64 nearest to the shortest decimal of `value`: the slow twin of `Float32Decimal`. */
export function shortestFloat32(value: number): number {
  for (let digits = 1; digits < FLOAT32_DIGITS_MAX; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (Math.fround(rounded) === value) return rounded;
  }
  return Number(value.toPrecision(FLOAT32_DIGITS_MAX));
}

function writeAscii(bytes: Uint8Array, start: number, text: string): number {
  for (let i = 0; i < text.length; i++) bytes[start + i] = text.charCodeAt(i);
  return start + text.length;
}
