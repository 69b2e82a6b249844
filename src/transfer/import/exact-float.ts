/**
 * Checks which integers a float64 represents exactly: float attributes get no others unless the
 * user allows it.
 */

/** Digits of an integer that a float64 always keeps. */
const EXACT_DIGITS = 15;

/** Returns true if a float64 represents this integer exactly. */
export function keepsInteger(value: bigint): boolean {
  const nearest = Number(value);
  return Number.isFinite(nearest) && BigInt(nearest) === value;
}

/** Returns true if a text is an integer that a float64 cannot represent exactly. */
export function losesDigits(text: string): boolean {
  return text.length > EXACT_DIGITS && /^[+-]?\d+$/.test(text) && !keepsInteger(BigInt(text));
}

/** Significant digits that distinguish each float64 from its neighbours. */
const TELLING_DIGITS = 17;

/** A decimal as the nearest float64 is written, if it has more digits than that has. */
export function roundedDigits(text: string): string | undefined {
  const digits = text.replace(/[eE].*/, "").replace(/^[-+0.]+|\./g, "");
  return digits.length > TELLING_DIGITS ? String(Number(text)) : undefined;
}
