/** Decimals of Parquet and Arrow, which have up to 76 digits, without losing one. */

/** A decimal that is not an integer; `text` has all its digits. */
export class DecimalCell {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Makes cells of the unscaled integers of a column; what is an integer becomes a bigint. */
export function decimalCells(scale: number): (unscaled: bigint) => bigint | DecimalCell {
  const factor = 10n ** BigInt(Math.abs(scale));
  if (scale <= 0) return (unscaled) => unscaled * factor;
  return (unscaled) => {
    const whole = unscaled / factor;
    const rest = unscaled % factor;
    if (rest === 0n) return whole;
    const sign = unscaled < 0n ? "-" : "";
    const digits = String(rest < 0n ? -rest : rest).padStart(scale, "0");
    return new DecimalCell(`${sign}${whole < 0n ? -whole : whole}.${digits}`);
  };
}

/** A big-endian integer in two's complement, as Parquet stores unscaled values. */
export function signedInteger(bytes: Uint8Array): bigint {
  let value = 0n;
  for (const byte of bytes) value = (value << 8n) | BigInt(byte);
  return BigInt.asIntN(8 * bytes.length, value);
}
