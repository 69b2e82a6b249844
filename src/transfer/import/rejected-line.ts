import type { RejectedRow } from "./settle-batch.ts";

/** A row that is not imported as a line of JSON: `{"file", "line", "error", "row"}`. */
export function rejectedLine({ row: { file, line, raw }, error }: RejectedRow): string {
  const head = JSON.stringify({ file, line, error }).slice(0, -1);
  return `${head},"row":${raw()}}\n`;
}
