/** Texts of every kind arrive byte for byte from each format, or are refused. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zstdDecompressSync } from "node:zlib";
import {
  type DataType,
  dictionary,
  largeUtf8,
  list,
  tableFromArrays,
  tableToIPC,
  utf8,
} from "@uwdata/flechette";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, describe, expect, test } from "vitest";
import { oddTexts, UNPAIRED_TEXTS } from "../../../test/support/random/odd-texts.ts";
import { ChunkedBytes } from "../../../test/support/transfer/chunked-bytes.ts";
import { contents, readAll } from "../../../test/support/transfer/read-all.ts";
import { csvCell } from "../../base/csv-cell.ts";
import { seededRandom } from "../../base/random.ts";
import { ArrowReader } from "./arrow/arrow-reader.ts";
import { InvalidText } from "./decode-text.ts";
import { JsonArrayReader } from "./json-array-reader.ts";
import { JsonLinesReader } from "./json-lines-reader.ts";
import { openParquet } from "./parquet/parquet-file.ts";
import { ParquetReader } from "./parquet/parquet-reader.ts";
import { streamParser } from "./record-parser.ts";
import type { RowReader } from "./source-row.ts";
import { TableTextReader } from "./table-text-reader.ts";

const folder = mkdtempSync(join(tmpdir(), "trawl-odd-strings-"));
afterAll(() => rmSync(folder, { recursive: true }));

const SEED = 20_261_128;
const TEXTS = oddTexts(seededRandom(SEED), 300);
/** Bytes that no text has: alone, too long, a surrogate, beyond the last plane, cut off. */
const INVALID = [[0x80], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]];

let count = 0;

function parquetOf(data: readonly unknown[], kind: "UTF8" | "ENUM" | "JSON" = "UTF8"): RowReader {
  const path = join(folder, `${++count}.parquet`);
  const stored = kind === "UTF8" ? data : data.map((text) => Buffer.from(text as string));
  const element = {
    name: "v",
    type: "BYTE_ARRAY" as const,
    repetition_type: "OPTIONAL" as const,
    ...(kind === "UTF8" ? { converted_type: kind } : { logical_type: { type: kind } }),
  };
  const bytes = parquetWriteBuffer({
    schema: [{ name: "root", num_children: 1 }, element],
    columnData: [{ name: "v", data: stored as unknown[] }],
  });
  writeFileSync(path, new Uint8Array(bytes));
  return new ParquetReader(path, openParquet(path));
}

function arrowBytes(data: readonly unknown[], type: DataType): Uint8Array {
  const table = tableFromArrays({ v: [...data] }, { types: { v: type } });
  return tableToIPC(table, { format: "stream" }) ?? new Uint8Array(0);
}

function arrowOf(bytes: Uint8Array): RowReader {
  return new ArrowReader(new ChunkedBytes(bytes, { chunkBytes: () => 1000 }), zstdDecompressSync);
}

function csvOf(text: string | Uint8Array, chunkBytes: () => number): RowReader {
  const source = new ChunkedBytes(text, { chunkBytes });
  return new TableTextReader(source, { format: "csv", parserOf: streamParser });
}

async function firstColumn(reader: RowReader): Promise<unknown[]> {
  return contents(await readAll(reader)).map((cells) => (cells as unknown[])[0]);
}

describe("texts of all planes, marks, controls and line ends", () => {
  test.each(["UTF8", "ENUM", "JSON"] as const)("in Parquet as %s", async (kind) => {
    const reader = parquetOf(TEXTS, kind);
    expect(await reader.columns()).toMatchObject([{ type: { kind: "scalar", of: "string" } }]);
    expect(await firstColumn(reader), `seed ${SEED}`).toEqual(TEXTS);
  });

  test.each([
    ["utf8", utf8()],
    ["large utf8", largeUtf8()],
    ["a dictionary", dictionary(utf8())],
  ])("in Arrow as %s", async (_, type) => {
    expect(await firstColumn(arrowOf(arrowBytes(TEXTS, type))), `seed ${SEED}`).toEqual(TEXTS);
  });

  test("in lists of Arrow", async () => {
    const lists = TEXTS.map((text) => [text, "", text]);
    expect(await firstColumn(arrowOf(arrowBytes(lists, list(utf8()))))).toEqual(lists);
  });

  test.each(["\n", "\r\n"])("in CSV with lines that end with %j", async (lineEnd) => {
    const random = seededRandom(SEED);
    const text = ["v,n", ...TEXTS.map((one, i) => `${csvCell(one)},${i}`)].join(lineEnd);
    const reader = csvOf(text, () => 1 + random.below(50));
    const rows = await readAll(reader);
    expect(contents(rows), `seed ${SEED}`).toEqual(TEXTS.map((one, i) => [one, String(i)]));
    // A row may begin with what is a byte order mark at the start of a file.
    for (const at of Array.from({ length: 20 }, () => random.below(rows.length))) {
      const rest = contents(await readAll(reader, rows[at].next));
      expect(rest, `seed ${SEED}, from row ${at}`).toEqual(
        TEXTS.map((one, i) => [one, String(i)]).slice(at + 1),
      );
    }
  });

  test("in JSON Lines and JSON arrays, which also have surrogates without a pair", async () => {
    const random = seededRandom(SEED);
    const objects = [...TEXTS, ...UNPAIRED_TEXTS].map((v) => JSON.stringify({ v }));
    const chunkBytes = () => 1 + random.below(50);
    const texts = async (reader: RowReader) =>
      (await readAll(reader)).map(({ content }) =>
        content.kind === "json" ? Buffer.from(content.text).toString() : content,
      );
    for (const mark of ["", "\ufeff"]) {
      const lines = new ChunkedBytes(mark + objects.join("\r\n"), { chunkBytes });
      expect(await texts(new JsonLinesReader(lines))).toEqual(objects);
      const array = new ChunkedBytes(`${mark}[${objects.join(" ,\r\n")}]`, { chunkBytes });
      expect(await texts(new JsonArrayReader(array))).toEqual(objects);
    }
  });
});

describe("bytes that are no UTF-8 are not replaced", () => {
  test.each(INVALID.map((bytes) => [bytes]))("%j in Parquet", async (bytes) => {
    const odd = Uint8Array.from([0x61, ...bytes]);
    expect(await firstColumn(parquetOf(["a", odd, "b"]))).toEqual(["a", new InvalidText(odd), "b"]);
  });

  test.each(INVALID.map((bytes) => [bytes]))("%j in Arrow", async (bytes) => {
    const placeholder = "q".repeat(bytes.length);
    const whole = Buffer.from(arrowBytes(["a", placeholder, "b"], utf8()));
    whole.set(bytes, whole.indexOf(`a${placeholder}b`) + 1);
    const values = await firstColumn(arrowOf(whole));
    expect(values).toEqual(["a", new InvalidText(Uint8Array.from(bytes)), "b"]);
  });

  test.each(INVALID.map((bytes) => [bytes]))("%j in CSV, also as its last bytes", async (bytes) => {
    for (const end of ["", "\n"]) {
      const text = Buffer.concat([Buffer.from("v\na"), Buffer.from(bytes), Buffer.from(end)]);
      await expect(readAll(csvOf(text, () => 3))).rejects.toThrow(/^rows is not UTF-8 /);
    }
  });
});
