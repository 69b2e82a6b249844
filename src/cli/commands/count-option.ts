import { countText } from "../../base/amount-text.ts";
import { UsageError } from "./exit-codes.ts";

/** Makes a parser of an option's whole number from `min` to `max`. */
export function countOption(
  name: string,
  { min, max }: { readonly min: number; readonly max: number },
): (text: string) => number {
  return (text) => {
    const count = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (count >= min && count <= max) return count;
    const range = `${countText(min)} to ${countText(max)}`;
    throw new UsageError(`${name}: ${text} is not a whole number from ${range}`);
  };
}
