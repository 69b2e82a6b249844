import { flattenObject } from "./flatten-object.ts";
import type { ReadPosition, RowReader, SourceColumn, SourceRow } from "./source-row.ts";

/** Rows of another reader with their objects flattened. */
export class FlatObjects implements RowReader {
  readonly #rows: RowReader;
  readonly #isKept: (name: string) => boolean;

  /** `isKept` returns true for members that stay objects, such as sparse vectors. */
  constructor(rows: RowReader, isKept: (name: string) => boolean) {
    this.#rows = rows;
    this.#isKept = isKept;
  }

  columns(): Promise<readonly SourceColumn[] | undefined> {
    return this.#rows.columns();
  }

  async *rows(from: ReadPosition): AsyncGenerator<readonly SourceRow[]> {
    for await (const rows of this.#rows.rows(from)) yield rows.map((row) => this.#flat(row));
  }

  #flat(row: SourceRow): SourceRow {
    if (row.content.kind !== "json") return row;
    const { text } = row.content;
    const flat = flattenObject(text, this.#isKept);
    if (typeof flat !== "string") return { ...row, content: { kind: "json", text: flat } };
    const raw = Buffer.from(text).toString();
    return { ...row, content: { kind: "fault", error: flat, raw } };
  }
}
