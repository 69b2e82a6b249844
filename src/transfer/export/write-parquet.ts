/** A Parquet file of rows, group by group. */

import { MIB } from "../../base/byte-sizes.ts";
import { rowMembers } from "./page-rows.ts";
import { type ParquetColumn, parquetColumn } from "./parquet-column.ts";

/**
 * JSON of a group of rows. Its values are held several times over while it is written: as numbers,
 * with their levels, and as pages.
 */
const GROUP_BYTES = 8 * MIB;

/** What is written, and where. */
export interface ParquetFile {
  readonly path: string;
  /** Types of the columns by their names, in order. */
  readonly types: Readonly<Record<string, string>>;
  /** Each row's JSON. */
  readonly rows: AsyncIterable<Buffer>;
  /** Told of each group that was written. */
  readonly onRows: (count: number) => void;
}

/** Writes the file; what was there is replaced. */
export async function writeParquet({ path, types, rows, onRows }: ParquetFile): Promise<void> {
  const { fileWriter, ParquetWriter } = await import("hyparquet-writer");
  const columns = Object.entries(types).map(([name, type]) => parquetColumn(name, type));
  const root = { name: "root", num_children: columns.length };
  const schema = [root, ...columns.flatMap(({ elements }) => elements)];
  // Unsigned integers have an order that not all readers of statistics know.
  const options = { writer: fileWriter(path), schema, statistics: false, createdBy: "trawl" };
  const writer = new ParquetWriter(options);
  let group: Buffer[] = [];
  let bytes = 0;
  const writeGroup = async () => {
    if (group.length === 0) return;
    const columnData = dataOf(columns, group);
    await writer.write({ columnData, rowGroupSize: group.length });
    onRows(group.length);
    group = [];
    bytes = 0;
  };
  for await (const row of rows) {
    group.push(row);
    bytes += row.length;
    if (bytes >= GROUP_BYTES) await writeGroup();
  }
  await writeGroup();
  await writer.finish();
}

function dataOf(columns: readonly ParquetColumn[], group: readonly Buffer[]) {
  const members = group.map(rowMembers);
  return columns.map(({ name, isDense, value }) => ({
    name,
    data: members.map((row) => {
      const json = row.get(name);
      return json === undefined ? undefined : value(json);
    }),
    ...(isDense && { codec: "UNCOMPRESSED" as const }),
  }));
}
