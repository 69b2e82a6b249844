import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { DecimalCell, decimalCells, signedInteger } from "./decimal-cell.ts";

/** The digits of a decimal, placed one by one. */
function naiveText(unscaled: bigint, scale: number): string {
  const digits = (unscaled < 0n ? String(-unscaled) : String(unscaled)).padStart(scale + 1, "0");
  const point = digits.length - scale;
  return `${unscaled < 0n ? "-" : ""}${digits.slice(0, point)}.${digits.slice(point)}`;
}

test("random decimals keep every digit, and those without a fraction are integers", () => {
  const seed = 20_261_128;
  const random = seededRandom(seed);
  for (let run = 0; run < 2_000; run++) {
    const scale = random.below(40);
    const digits = Array.from({ length: 1 + random.below(38) }, () => random.below(10)).join("");
    const zeros = random.below(3) === 0 ? "0".repeat(scale) : "";
    const unscaled = BigInt(`${digits}${zeros}`) * (random.below(2) === 0 ? 1n : -1n);
    const cell = decimalCells(scale)(unscaled);
    const factor = 10n ** BigInt(scale);
    const message = `seed ${seed}, run ${run}: ${unscaled} of scale ${scale}`;
    if (unscaled % factor === 0n) expect(cell, message).toBe(unscaled / factor);
    else expect(cell, message).toEqual(new DecimalCell(naiveText(unscaled, scale)));
  }
});

test("a negative scale has zeros behind the digits", () => {
  expect(decimalCells(-3)(-12n)).toBe(-12_000n);
});

test.each([
  [[], 0n],
  [[0x07, 0xcf], 1999n],
  [[0xff], -1n],
  [[0x80, 0x00], -32768n],
  [[0x00, 0x80], 128n],
])("the bytes %j are %s", (bytes, value) => {
  expect(signedInteger(Uint8Array.from(bytes))).toBe(value);
});
