/** Cells of CSV (RFC 4180). */

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$|^$/;
/**
 * Beginnings of cells that spreadsheets read as a formula, with or without quotes; some also read
 * the full-width forms (OWASP, "CSV Injection").
 */
const FORMULA_START = /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/;

/** A text as a cell; an empty one has quotes, since a cell of nothing is no value. */
export function csvCell(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** Whether a spreadsheet runs the text, where it opens it in a file of CSV. */
export function isFormulaText(text: string): boolean {
  return FORMULA_START.test(text);
}
