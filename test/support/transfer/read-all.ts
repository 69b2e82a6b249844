import {
  FILE_START,
  type RowReader,
  type SourceRow,
} from "../../../src/transfer/read/source-row.ts";

/** All rows from a position on. */
export async function readAll(reader: RowReader, from = FILE_START): Promise<SourceRow[]> {
  const rows: SourceRow[] = [];
  for await (const some of reader.rows(from)) rows.push(...some);
  return rows;
}

/** What rows hold, as plain values: JSON parsed, texts and values as they are. */
export function contents(rows: readonly SourceRow[]): unknown[] {
  return rows.map(({ content }) => {
    switch (content.kind) {
      case "json":
        return JSON.parse(Buffer.from(content.text).toString());
      case "texts":
        return content.texts;
      case "values":
        return content.values;
      default:
        return { error: content.error };
    }
  });
}
