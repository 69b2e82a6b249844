/** Small tables for a terminal. */

const CELL_WIDTH_MAX = 46;

/** Renders lines under column heads; long cells are cut, numbers stand right. */
export function formatTable(
  columns: readonly string[],
  lines: readonly (readonly unknown[])[],
): string {
  const cells = lines.map((line) => line.map(formatCell));
  const widths = columns.map((head, i) =>
    Math.max(widthOf(head), ...cells.map((line) => widthOf(line[i]))),
  );
  const isNumeric = columns.map((_, i) => lines.every((line) => typeof line[i] === "number"));
  const render = (line: readonly string[]) =>
    `  ${line
      .map((cell, i) => {
        const gap = " ".repeat(widths[i] - widthOf(cell));
        return isNumeric[i] ? gap + cell : cell + gap;
      })
      .join("  ")
      .trimEnd()}`;
  const rule = widths.map((width) => "-".repeat(width));
  return [render(columns), render(rule), ...cells.map(render)].join("\n");
}

function formatCell(value: unknown): string {
  if (value === undefined || value === null) return "–";
  if (typeof value === "number" && !Number.isInteger(value)) return value.toFixed(4);
  const text = Array.isArray(value) ? value.join(", ") : String(value);
  const line = text.replaceAll(/\s+/g, " ");
  const characters = [...line];
  if (characters.length <= CELL_WIDTH_MAX) return line;
  return `${characters.slice(0, CELL_WIDTH_MAX - 1).join("")}…`;
}

function widthOf(text: string): number {
  return [...text].length;
}
