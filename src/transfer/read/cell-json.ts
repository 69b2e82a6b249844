/** Cells as JSON, for values that have no place in a flat document. */

import { DecimalCell } from "./decimal-cell.ts";
import { InvalidText } from "./decode-text.ts";
import type { CellValue } from "./source-row.ts";

/**
 * Thrown for a text within a value that is not UTF-8: the complete value cannot be imported then.
 */
class InvalidPart extends Error {
  readonly text: InvalidText;

  constructor(text: InvalidText) {
    super("a part is no UTF-8");
    this.text = text;
  }
}

/** The JSON of a scalar; decimals and integers keep their digits. Throws `InvalidPart`. */
export function cellJson(value: CellValue): string {
  if (value === undefined || value === null) return "null";
  if (value instanceof InvalidText) throw new InvalidPart(value);
  if (value instanceof DecimalCell) return value.text;
  if (typeof value === "string") return JSON.stringify(value);
  // Not-a-number is a missing value, as elsewhere; JSON has no literal for the infinite ones.
  if (typeof value === "number" && Number.isNaN(value)) return "null";
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) return `"${value}"`;
  return String(value);
}

/** A value that is made of parts as its JSON; undefined for null. */
export function jsonCell(value: unknown, json: (value: unknown) => string): CellValue {
  if (value === null || value === undefined) return undefined;
  try {
    return json(value);
  } catch (error) {
    if (error instanceof InvalidPart) return error.text;
    throw error;
  }
}
