/** A column of a table. */
export interface TableColumn {
  readonly title: string;
  /** Numbers stand under each other by their ends. */
  readonly align?: "left" | "right";
}

/** What separates columns. */
const GAP = "  ";

/**
 * A table for people: titles, then rows, in columns as wide as their widest cell. Characters that
 * would move a terminal's cursor, or more, are shown as escapes.
 */
export function tableText(
  columns: readonly TableColumn[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [columns.map(({ title }) => title), ...rows.map((row) => row.map(printable))];
  const widths = columns.map((_, i) => Math.max(...lines.map((line) => charCount(line[i] ?? ""))));
  return lines.map((line) => `${lineText(line, { columns, widths })}\n`).join("");
}

/** Names and values below each other, for one thing that has many. */
export function pairsText(pairs: readonly (readonly [name: string, value: string])[]): string {
  const width = Math.max(0, ...pairs.map(([name]) => charCount(name)));
  const line = ([name, value]: readonly [string, string]) =>
    `${name.padEnd(width)}${GAP}${printable(value)}`.trimEnd();
  return pairs.map((pair) => `${line(pair)}\n`).join("");
}

/** `text` with escapes for control characters, which may do anything to a terminal. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is escaped.
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e]/g, (char) =>
    char === "\n" ? "⏎" : `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** `text`, or its beginning and `…`, in at most `charsMax` characters. */
export function clippedText(text: string, charsMax: number): string {
  const chars = [...text.slice(0, 2 * charsMax + 2)];
  return chars.length <= charsMax ? text : `${chars.slice(0, charsMax - 1).join("")}…`;
}

function lineText(
  cells: readonly string[],
  shape: { readonly columns: readonly TableColumn[]; readonly widths: readonly number[] },
): string {
  const padded = shape.columns.map(({ align }, i) => {
    const cell = cells[i] ?? "";
    const fill = " ".repeat(shape.widths[i] - charCount(cell));
    return align === "right" ? fill + cell : cell + fill;
  });
  return padded.join(GAP).trimEnd();
}

function charCount(text: string): number {
  return [...text].length;
}
