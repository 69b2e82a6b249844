/**
 * Texts of tables that look like numbers or dates but are not read as such: telephone numbers,
 * postal and article codes, decimal commas, dates without a time. They stay texts, unchanged,
 * unless a schema declares another type.
 */

/** Kinds of such texts. */
export type TextLook =
  | "plus"
  | "zero"
  | "long"
  | "exponent"
  | "comma"
  | "iso date"
  | "other date"
  | "datetime";

/** Digits that a number may have: of more, spreadsheets and float64 lose some. */
const NUMBER_DIGITS_MAX = 15;

const LOOKS: readonly (readonly [look: TextLook, pattern: RegExp])[] = [
  ["plus", /^\+(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/],
  ["zero", /^-?0\d+(?:\.\d*)?(?:[eE][+-]?\d+)?$/],
  ["exponent", /^-?\d+[eE]\d+$/],
  ["comma", /^[+-]?(?:\d{1,3}(?:[.' ]\d{3})+|\d+),\d+$/],
  ["iso date", /^\d{4}-\d\d-\d\d$/],
  ["other date", /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}$/],
  ["datetime", /^\d{1,4}[./-]\d{1,2}[./-]\d{1,4}[T ]\d{1,2}:\d\d/],
];

/** Returns the kind of a text; undefined for any other. */
export function lookOf(text: string): TextLook | undefined {
  if (hasManyDigits(text)) return "long";
  return LOOKS.find(([, pattern]) => pattern.test(text))?.[0];
}

/** Returns true if a text that looks like a number is a code. */
export function isCode(text: string): boolean {
  const look = lookOf(text);
  return look === "plus" || look === "zero" || look === "long" || look === "exponent";
}

/** Counts digits before the decimal point; digits after it are the precision of a measure. */
function hasManyDigits(text: string): boolean {
  const whole = /^-?(\d+)(?:\.\d*)?$/.exec(text)?.[1];
  return whole !== undefined && whole.length > NUMBER_DIGITS_MAX;
}
