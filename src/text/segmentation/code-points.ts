/** Code points of UTF-16 strings, and tables over all of them. */

/** Code points that exist; a table over them has as many entries. */
const CODE_POINT_COUNT = 0x110000;

/** Reads the code point at a UTF-16 offset inside `text`; a lone surrogate counts as itself. */
export function codePointAt(text: string, offset: number): number {
  const high = text.charCodeAt(offset);
  if (high < 0xd800 || high > 0xdbff) return high;
  const low = text.charCodeAt(offset + 1);
  if (low >= 0xdc00 && low <= 0xdfff) return (high - 0xd800) * 0x400 + low - 0xdc00 + 0x10000;
  return high;
}

/** UTF-16 units of a code point: 1 or 2. */
export function unitsOf(codePoint: number): number {
  return codePoint < 0x10000 ? 1 : 2;
}

/** Spreads a table of runs (see the *-table files) to one byte per code point. */
export function decodeRuns(runs: string): Uint8Array {
  const classes = new Uint8Array(CODE_POINT_COUNT);
  let start = 0;
  for (const run of runs.split(" ")) {
    const [length, value] = run.split(",");
    const end = start + Number.parseInt(length ?? "", 36);
    classes.fill(Number.parseInt(value ?? "", 36), start, end);
    start = end;
  }
  return classes;
}
