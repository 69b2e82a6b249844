/** Small files of each format, with a column of each type and rows that are bad in each way. */

import { gzipSync, constants as ZLIB, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import {
  binary,
  bool,
  CompressionType,
  type CompressionType_,
  type DataType,
  dateDay,
  dictionary,
  fixedSizeList,
  float32,
  float64,
  int64,
  list as listOf,
  setCompressionCodec,
  TimeUnit,
  tableFromArrays,
  tableToIPC,
  timestamp,
  uint64,
  utf8 as utf8Type,
} from "@uwdata/flechette";
import { parquetWriteBuffer } from "hyparquet-writer";

type WriteOptions = Parameters<typeof parquetWriteBuffer>[0];

const LINES = [
  '{"id":1,"int":9007199254740993,"uint":18446744073709551615,"float":1.5,"bool":true,' +
    '"text":"é \\"quoted\\"\\n","when":"2026-01-31T09:30:00Z","tags":["a","b"],"counts":[1,2],' +
    '"vector":[0.5,1,2],"late":[[0.5,1],[2,3]],"sparse":{"a":0.5},"nested":{"a":{"b":1}}}',
  '{"id":2,"int":-1,"uint":0,"float":2,"bool":false,"text":"","when":null,"tags":[],' +
    '"counts":[],"vector":[1,2,3],"late":[[1,2]],"sparse":{"b":1,"c":2},"nested":null}',
  '{"id":3,"int":0}',
  '{"id":4,"int":',
  '{"int":5}',
  "[1]",
  '{ "id" : 6 , "text" : "spaced" }',
];

const TABLE = [
  ["id", "int", "uint", "float", "bool", "text", "when", "tags", "vector", "code"],
  ["1", "-7", "18446744073709551615", "1.50", "true", 'é, "quoted"', "2026-01-31 09:30:00"],
  ["2", "9007199254740993", "1", "1e3", "FALSE", "two\nlines", "", "", "[1,2,3]", "007"],
  ["3", "x", "1", "1", "true", "a bad int", "", "", "[1,2,3]", "008"],
  ["4", "5"],
  ["5", "6", "7", "8.25", "", "", "", '["b","c"]', "[0.5,1,2]", ""],
  // Quoted cells without a text, in columns of texts and of others.
  ["6", '""', "8", '""', "", '""', '""', '""', "[0.5,1,2]", '""'],
];
TABLE[1].push('["a"]', "[1,2,3]", "012");

function tableText(delimiter: string, lineEnd: string): string {
  const rows = TABLE.map((cells) =>
    cells
      .map((cell) => {
        const isPlain = cell === '""' || (!/["\n]/.test(cell) && !cell.includes(delimiter));
        return isPlain ? cell : `"${cell.replaceAll('"', '""')}"`;
      })
      .join(delimiter),
  );
  return `${rows.join(lineEnd)}${lineEnd}`;
}

const optional = { repetition_type: "OPTIONAL" };

function list(name: string, type: string, more = {}) {
  return [
    { name, converted_type: "LIST", repetition_type: "OPTIONAL", num_children: 1 },
    { name: "list", repetition_type: "REPEATED", num_children: 1 },
    { name: "element", type, repetition_type: "OPTIONAL", ...more },
  ];
}

const ELEMENTS: readonly object[] = [
  { name: "id", type: "INT64", ...optional },
  { name: "uint", type: "INT64", converted_type: "UINT_64", ...optional },
  { name: "small", type: "INT32", ...optional },
  { name: "float", type: "DOUBLE", ...optional },
  { name: "bool", type: "BOOLEAN", ...optional },
  { name: "text", type: "BYTE_ARRAY", converted_type: "UTF8", ...optional },
  { name: "bytes", type: "BYTE_ARRAY", ...optional },
  { name: "when", type: "INT64", converted_type: "TIMESTAMP_MICROS", ...optional },
  { name: "day", type: "INT32", converted_type: "DATE", ...optional },
  ...list("tags", "BYTE_ARRAY", { converted_type: "UTF8" }),
  ...list("embedding", "FLOAT"),
];

const COLUMNS: readonly { readonly name: string; readonly data: readonly unknown[] }[] = [
  { name: "id", data: [1n, 2n, 2n ** 62n + 1n, null] },
  { name: "uint", data: [0n, 2n ** 64n - 1n, null, 1n] },
  { name: "small", data: [-1, 7, null, 0] },
  { name: "float", data: [0.1, Number.NaN, 1e300, null] },
  { name: "bool", data: [true, false, null, true] },
  { name: "text", data: ["é", "", null, "x".repeat(3000)] },
  { name: "bytes", data: [new Uint8Array([1, 255]), new Uint8Array(0), null, null] },
  { name: "when", data: [new Date(1500), new Date(-1), null, null] },
  { name: "day", data: [new Date("2026-01-31"), null, null, null] },
  { name: "tags", data: [["a"], [], null, ["b", "c"]] },
  {
    name: "embedding",
    data: [0, 1, 2, 3].map((i) => Array.from({ length: 8 }, (_, j) => i + j / 8)),
  },
];

function parquet(codec: WriteOptions["codec"]): Uint8Array {
  const options = {
    schema: [{ name: "root", num_children: COLUMNS.length }, ...ELEMENTS],
    columnData: COLUMNS,
    codec,
    compressors: {
      GZIP: (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes)),
      ZSTD: (bytes: Uint8Array) => new Uint8Array(zstdCompressSync(bytes)),
    },
  };
  return new Uint8Array(parquetWriteBuffer(options as unknown as WriteOptions));
}

const ARROW_TYPES: Readonly<Record<string, DataType>> = {
  id: int64(),
  uint: uint64(),
  float: float64(),
  bool: bool(),
  text: dictionary(utf8Type()),
  bytes: binary(),
  when: timestamp(TimeUnit.MICROSECOND),
  day: dateDay(),
  tags: listOf(utf8Type()),
  embedding: fixedSizeList(float32(), 8),
};

/** The same columns, of those types that Arrow has. */
function arrow(format: "file" | "stream", codec: CompressionType_ | null = null): Uint8Array {
  // The library keeps one for all who read and write.
  setCompressionCodec(CompressionType.ZSTD, {
    encode: (bytes) => zstdCompressSync(bytes),
    decode: (bytes) => zstdDecompressSync(bytes),
  });
  const named = COLUMNS.filter(({ name }) => name in ARROW_TYPES);
  const columns = Object.fromEntries(named.map(({ name, data }) => [name, [...data]]));
  const bytes = tableToIPC(tableFromArrays(columns, { types: ARROW_TYPES }), { format, codec });
  return new Uint8Array(bytes ?? []);
}

const WITH_SUM = { params: { [ZLIB.ZSTD_c_checksumFlag]: 1 } };

const utf8 = (text: string) => new TextEncoder().encode(text);

/** By name, whose ending is the format's. */
export const EVERY_TYPE_FILES: Readonly<Record<string, () => Uint8Array>> = {
  "types.jsonl": () => utf8(`${LINES.join("\n")}\n`),
  "types.jsonl.gz": () => gzipSync(`${LINES.join("\r\n\r\n")}`),
  "types.json": () => utf8(`[${LINES.filter((line) => line.endsWith("}")).join(",\n")}]`),
  "types.csv": () => utf8(`\ufeff${tableText(",", "\r\n")}`),
  "types.csv.gz": () => {
    const text = tableText(";", "\n");
    return Buffer.concat([gzipSync(text.slice(0, 99)), gzipSync(text.slice(99))]);
  },
  "types.csv.zst": () => {
    const text = tableText(",", "\n");
    const frames = [text.slice(0, 99), text.slice(99)].map((part) => Buffer.from(part));
    return Buffer.concat(frames.map((part) => zstdCompressSync(part, WITH_SUM)));
  },
  "types.arrow": () => arrow("file"),
  "types.arrows": () => arrow("stream"),
  "types-zstd.arrow": () => arrow("file", CompressionType.ZSTD),
  "types.arrow.zst": () => zstdCompressSync(arrow("stream"), WITH_SUM),
  "types.tsv": () => utf8(tableText("\t", "\n")),
  "types.parquet": () => parquet("SNAPPY"),
  "types-gzip.parquet": () => parquet("GZIP"),
  "types-zstd.parquet": () => parquet("ZSTD"),
};
