/** The curves that squeeze numbers into scores between 0 and 1. */

/** Shape of `Saturate` and `Decay`. */
export interface Curve {
  readonly midpoint: number;
  readonly exponent: number;
}

/** x^e / (x^e + m^e), written so that no power overflows; negative values count as 0. */
export function saturate(value: number, { midpoint, exponent }: Curve): number {
  return value > 0 ? 1 / (1 + (midpoint / value) ** exponent) : 0;
}

/** m^e / (x^e + m^e), written so that no power overflows; negative values count as 0. */
export function decay(value: number, { midpoint, exponent }: Curve): number {
  return 1 / (1 + (Math.max(value, 0) / midpoint) ** exponent);
}
