/** Which integers a float64 keeps: attributes of floats get no others unless the user says so. */

/** Digits of an integer that a float64 always keeps. */
const EXACT_DIGITS = 15;

/** Whether a float64 is this integer. */
export function keepsInteger(value: bigint): boolean {
  const nearest = Number(value);
  return Number.isFinite(nearest) && BigInt(nearest) === value;
}

/** Whether a text is an integer of which a float64 loses digits. */
export function losesDigits(text: string): boolean {
  return text.length > EXACT_DIGITS && /^[+-]?\d+$/.test(text) && !keepsInteger(BigInt(text));
}

/** Significant digits that tell every float64 from its neighbours. */
const TELLING_DIGITS = 17;

/** A decimal as the nearest float64 is written, if it has more digits than that has. */
export function roundedDigits(text: string): string | undefined {
  const digits = text.replace(/[eE].*/, "").replace(/^[-+0.]+|\./g, "");
  return digits.length > TELLING_DIGITS ? String(Number(text)) : undefined;
}
