import { withRoom } from "../../base/with-room.ts";
import type { ByteWindow } from "./byte-window.ts";

const ZERO = 0x30;
const NINE = 0x39;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const LOWER_E = 0x65;

/**
 * Characters of one number; our choice: all digits of any float64 are some eleven hundred. Of one
 * that has more, the scanner reads no more than that of each part: callers look at its length.
 */
export const NUMBER_BYTES_MAX = 65_536;
/** Digits kept of a float64: any 15 are exact in it. */
const FLOAT64_DIGITS = 15;
/** Digits kept of a float32; more than it can hold by enough that few need a second look. */
const FLOAT32_DIGITS = 12;
/** Digits that an int32 holds whatever they are. */
const INT32_DIGITS = 9;
/** Further digits kept of a float64, apart: what 17-digit numbers, the usual ones, need and more. */
const TAIL_DIGITS = 4;
/** A float64 of 15 digits is split here, so that either half times 10^4 is exact. */
const SPLIT = 2 ** 25;
/** Veltkamp's constant, which splits a float64 into two halves of 26 bits. */
const VELTKAMP = 2 ** 27 + 1;
/** Beyond the relative error of a quotient in two float64, which is some 2^-104. */
const QUOTIENT_ERROR = 2 ** -98;
/** Powers of ten up to this are exact in a float64 (5^22 < 2^53). */
const EXACT_POWER_MAX = 22;
/** Greatest power of the table; covers every float32 that is written in the usual ways. */
const POWER_MAX = 60;
/** More than the roundings of one table entry, one sum and two products: 4 × 2^-53. */
const ROUNDING_ERROR = 2 ** -50;

const POWERS = Float64Array.from({ length: POWER_MAX + 1 }, (_, power) => Number(`1e${power}`));
const INVERSE_POWERS = POWERS.map((_, power) => Number(`1e-${power}`));

/**
 * Reads one number token per call, at the window's `at`, which stays. The results beside the value
 * are left in fields, so that nothing is allocated per number.
 */
export class NumberScanner {
  /** Just after the last byte that was accepted. */
  end = 0;
  /** Whether the token is a number by RFC 8259. If not, `end` is where it stops being one. */
  valid = false;
  /** Whether the token has neither fraction nor exponent. */
  integer = false;

  readonly #window: ByteWindow;
  /** The number is in [mantissa, mantissa + 1) × 10^scale if digits were dropped, else exact. */
  #mantissa = 0;
  #scale = 0;
  #truncated = false;
  /** The `tailDigits` digits that follow the mantissa of a truncated float64. */
  #tail = 0;
  #tailDigits = 0;

  constructor(window: ByteWindow) {
    this.#window = window;
  }

  /** The nearest float64 (ties to even); infinite when out of range. Meaningless if not `valid`. */
  scanFloat64(): number {
    this.#scan(FLOAT64_DIGITS);
    const scale = this.#scale;
    // One rounded operation on two exact numbers gives the nearest float64 (Clinger 1990).
    if (!this.#truncated && scale >= -EXACT_POWER_MAX && scale <= EXACT_POWER_MAX) {
      const value = scale < 0 ? this.#mantissa / POWERS[-scale] : this.#mantissa * POWERS[scale];
      return this.#isNegative() ? -value : value;
    }
    if (this.#tailDigits > 0) {
      const value = this.#longFloat64();
      if (value !== undefined) return this.#isNegative() ? -value : value;
    }
    return this.#slowFloat64();
  }

  /**
   * The float32 nearest to the float64 nearest to the number: twice rounded. That is what a client
   * gets that keeps its numbers as float64, and it makes a value independent of the path that read
   * it. It differs from one rounding only for a decimal within 2^-53 of the middle of two float32.
   */
  scanFloat32(): number {
    this.#scan(FLOAT32_DIGITS);
    const scale = this.#scale;
    if (scale >= -POWER_MAX && scale <= POWER_MAX) {
      const low = this.#mantissa;
      const high = this.#truncated ? low + 1 : low;
      const power = scale < 0 ? INVERSE_POWERS[-scale] : POWERS[scale];
      const least = Math.fround(low * power * (1 - ROUNDING_ERROR));
      // Rounding is monotonic: if both bounds round to one float32, so does all between them.
      if (least === Math.fround(high * power * (1 + ROUNDING_ERROR))) {
        return this.#isNegative() ? -least : least;
      }
    }
    return Math.fround(this.#slowFloat64());
  }

  /**
   * A number of 16 to 19 digits, or more of which the rest is left out, and a power of ten that is
   * exact: divides in two float64 (Dekker 1971) and makes sure that the error bound does not reach
   * the middle of two float64. Undefined if it does, or for other powers.
   */
  #longFloat64(): number | undefined {
    const places = this.#tailDigits - this.#scale;
    if (places < 0 || places > EXACT_POWER_MAX) return undefined;
    const power = POWERS[this.#tailDigits];
    const top = Math.floor(this.#mantissa / SPLIT);
    const large = top * power * SPLIT;
    const small = (this.#mantissa - top * SPLIT) * power + this.#tail;
    const digits = large + small;
    const digitsLow = small - (digits - large);

    const divisor = POWERS[places];
    const quotient = digits / divisor;
    const remainder = remainderOf(digits, quotient, divisor) + digitsLow;
    const margin = quotient * QUOTIENT_ERROR;
    const least = quotient + (remainder / divisor - margin);
    // Digits that were left out add less than one unit of the last that was kept.
    const most =
      quotient + ((remainder + (this.#tailDigits < TAIL_DIGITS ? 0 : 1)) / divisor + margin);
    return least === most ? least : undefined;
  }

  #isNegative(): boolean {
    return this.#window.bytes[this.#window.at] === MINUS;
  }

  /** Number() rounds correctly whatever the length; it costs some 200 ns. */
  #slowFloat64(): number {
    if (!this.valid) return Number.NaN;
    return Number(this.#window.bytes.toString("latin1", this.#window.at, this.end));
  }

  /** Splits the token into at most `keptMax` digits and a power of ten, and checks its syntax. */
  #scan(keptMax: number): void {
    const { bytes } = this.#window;
    const sign = this.#window.at;
    let at = bytes[sign] === MINUS ? sign + 1 : sign;
    const start = at;
    let mantissa = 0;
    this.#scale = 0;
    this.#truncated = false;
    this.#tailDigits = 0;
    this.integer = true;

    let digit = bytes[at] - ZERO;
    if (digit === 0) {
      at++;
    } else {
      const int32End = at + INT32_DIGITS;
      while (digit >= 0 && digit <= 9 && at < int32End) {
        mantissa = Math.imul(mantissa, 10) + digit;
        digit = bytes[++at] - ZERO;
      }
      if (at === start) {
        this.#reject(at);
        return;
      }
      while (digit >= 0 && digit <= 9) {
        if (at - start < FLOAT64_DIGITS) mantissa = mantissa * 10 + digit;
        else if (at - sign <= NUMBER_BYTES_MAX) this.#dropInteger();
        else break;
        digit = bytes[++at] - ZERO;
      }
    }
    this.end = at;
    this.valid = true;
    this.#mantissa = mantissa;
    if (bytes[at] === POINT) {
      const kept = mantissa === 0 ? 0 : at - start;
      if (!this.#scanFraction(kept, keptMax)) return;
    }
    if ((bytes[this.end] | 0x20) === LOWER_E) this.#scanExponent();
  }

  #dropInteger(): void {
    this.#truncated = true;
    this.#scale++;
  }

  /** Reads from the point at `end` on, four digits at a time; `kept` digits are before it. */
  #scanFraction(kept: number, keptMax: number): boolean {
    const { bytes, view } = this.#window;
    let at = this.end + 1;
    const start = at;
    let mantissa = this.#mantissa;
    this.integer = false;
    const longest = start + NUMBER_BYTES_MAX;
    if (mantissa === 0) while (bytes[at] === ZERO && at < longest) at++;

    let room = keptMax - kept;
    while (room >= 4) {
      const block = fourDigits(view.getInt32(at, true));
      if (block < 0) break;
      mantissa = mantissa * 10_000 + block;
      at += 4;
      room -= 4;
    }
    let digit = bytes[at] - ZERO;
    while (room > 0 && digit >= 0 && digit <= 9) {
      mantissa = mantissa * 10 + digit;
      digit = bytes[++at] - ZERO;
      room--;
    }
    this.#mantissa = mantissa;
    this.#scale -= at - start;

    if (digit >= 0 && digit <= 9) {
      // A float32 has digits enough; digits of the whole part may be missing before the tail.
      if (keptMax === FLOAT64_DIGITS && !this.#truncated) at = this.#scanTail(at);
      this.#truncated = true;
      while (bytes[at] - ZERO >= 0 && bytes[at] <= NINE && at < longest) at++;
    }
    if (at === start) this.#reject(at);
    else this.end = at;
    return this.valid;
  }

  #scanTail(start: number): number {
    const { bytes } = this.#window;
    let at = start;
    let tail = 0;
    let digit = bytes[at] - ZERO;
    while (at - start < TAIL_DIGITS && digit >= 0 && digit <= 9) {
      tail = tail * 10 + digit;
      digit = bytes[++at] - ZERO;
    }
    this.#tail = tail;
    this.#tailDigits = at - start;
    return at;
  }

  /** Reads from the letter at `end` on. */
  #scanExponent(): void {
    const { bytes } = this.#window;
    let at = this.end + 1;
    const sign = bytes[at];
    if (sign === MINUS || sign === PLUS) at++;
    const start = at;
    let exponent = 0;
    const longest = start + NUMBER_BYTES_MAX;
    for (let digit = bytes[at] - ZERO; digit >= 0 && digit <= 9; digit = bytes[++at] - ZERO) {
      if (at === longest) break;
      // Capped far above any exponent that matters, so that it cannot overflow.
      if (exponent < 1_000_000) exponent = exponent * 10 + digit;
    }
    this.integer = false;
    this.#scale += sign === MINUS ? -exponent : exponent;
    if (at === start) this.#reject(at);
    else this.end = at;
  }

  #reject(at: number): void {
    this.valid = false;
    this.end = at;
  }
}

/** `dividend` − `quotient` × `divisor`, exactly, for the quotient that division gave. */
function remainderOf(dividend: number, quotient: number, divisor: number): number {
  const product = quotient * divisor;
  const [a, b] = [quotient * VELTKAMP, divisor * VELTKAMP];
  const quotientHigh = a - (a - quotient);
  const quotientLow = quotient - quotientHigh;
  const divisorHigh = b - (b - divisor);
  const divisorLow = divisor - divisorHigh;
  const error =
    quotientHigh * divisorHigh -
    product +
    quotientHigh * divisorLow +
    quotientLow * divisorHigh +
    quotientLow * divisorLow;
  return dividend - product - error;
}

/** The number that four ASCII digits make, the first in the lowest byte; -1 if one is no digit. */
function fourDigits(word: number): number {
  const high = word & 0xf0f0f0f0;
  // A digit has the high half 3, also after adding 6.
  if (high !== 0x30303030 || ((word + 0x06060606) & 0xf0f0f0f0) !== 0x30303030) return -1;
  const digits = word & 0x0f0f0f0f;
  const pairs = Math.imul(digits, 10) + (digits >>> 8);
  return Math.imul(pairs & 0xff, 100) + ((pairs >>> 16) & 0xff);
}

/** A growing array of float32. A caller that repeats a step truncates it first. */
export class Float32Builder {
  length = 0;
  #values = new Float32Array(1024);

  push(value: number): void {
    if (this.length === this.#values.length) {
      this.#values = withRoom(this.#values, this.length + 1);
    }
    this.#values[this.length++] = value;
  }

  /** Forgets what lies from `length` on. */
  truncate(length: number): void {
    this.length = length;
  }

  /** A view of the elements, valid until more are added. */
  view(): Float32Array {
    return this.#values.subarray(0, this.length);
  }
}
