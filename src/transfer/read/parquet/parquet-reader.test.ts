import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, expect, test } from "vitest";
import { LZ4_PARQUET, LZ4_ROWS } from "../../../../test/support/transfer/lz4-files.ts";
import { contents, readAll } from "../../../../test/support/transfer/read-all.ts";
import { formatAttributeType } from "../../../model/attribute-type.ts";
import { DecimalCell } from "../decimal-cell.ts";
import { openParquet } from "./parquet-file.ts";
import { ParquetReader } from "./parquet-reader.ts";

const folder = mkdtempSync(join(tmpdir(), "trawl-parquet-"));
afterAll(() => rmSync(folder, { recursive: true }));

type WriteOptions = Parameters<typeof parquetWriteBuffer>[0];
let count = 0;

function written(options: WriteOptions): ParquetReader {
  const path = join(folder, `${++count}.parquet`);
  writeFileSync(path, new Uint8Array(parquetWriteBuffer(options)));
  return new ParquetReader(path, openParquet(path));
}

/** The elements of a schema for a list of `type`. */
function list(name: string, type: string, more = {}) {
  return [
    { name, converted_type: "LIST", repetition_type: "OPTIONAL", num_children: 1 },
    { name: "list", repetition_type: "REPEATED", num_children: 1 },
    { name: "element", type, repetition_type: "OPTIONAL", ...more },
  ];
}

function one(elements: readonly object[], data: readonly unknown[]): ParquetReader {
  const [{ name }] = elements as { name: string }[];
  return written({
    schema: [{ name: "root", num_children: 1 }, ...elements] as WriteOptions["schema"] & object,
    columnData: [{ name, data: data as unknown[] }],
  });
}

const optional = { repetition_type: "OPTIONAL" };

const NANOS = { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "NANOS" };

function decimal(type: string, more: object): object {
  return { name: "v", type, converted_type: "DECIMAL", ...optional, ...more };
}

type Case = [string, readonly object[], readonly unknown[], string, readonly unknown[]];

test.each<Case>([
  [
    "int64",
    [{ name: "v", type: "INT64", ...optional }],
    [2n ** 62n + 1n, null],
    "int",
    [2n ** 62n + 1n, undefined],
  ],
  [
    "uint64",
    [{ name: "v", type: "INT64", converted_type: "UINT_64", ...optional }],
    [1n, 2n ** 63n],
    "uint",
    [1n, 2n ** 63n],
  ],
  ["int32", [{ name: "v", type: "INT32", ...optional }], [-1, 7], "int", [-1, 7]],
  ["double", [{ name: "v", type: "DOUBLE", ...optional }], [0.1, null], "float", [0.1, undefined]],
  ["bool", [{ name: "v", type: "BOOLEAN", ...optional }], [true, null], "bool", [true, undefined]],
  [
    "string",
    [{ name: "v", type: "BYTE_ARRAY", converted_type: "UTF8", ...optional }],
    ["é", null],
    "string",
    ["é", undefined],
  ],
  [
    "binary",
    [{ name: "v", type: "BYTE_ARRAY", ...optional }],
    [new Uint8Array([1, 255]), null],
    "bytes",
    ["Af8=", undefined],
  ],
  [
    "timestamps of milliseconds",
    [{ name: "v", type: "INT64", converted_type: "TIMESTAMP_MILLIS", ...optional }],
    [new Date(-1), null],
    "datetime",
    ["1969-12-31T23:59:59.999000000Z", undefined],
  ],
  [
    "timestamps of microseconds, which are cut",
    [{ name: "v", type: "INT64", converted_type: "TIMESTAMP_MICROS", ...optional }],
    [new Date(1500), new Date(-1)],
    "datetime",
    ["1970-01-01T00:00:01.500000000Z", "1969-12-31T23:59:59.999000000Z"],
  ],
  [
    "dates",
    [{ name: "v", type: "INT32", converted_type: "DATE", ...optional }],
    [new Date("2026-01-31"), null],
    "datetime",
    ["2026-01-31T00:00:00.000000000Z", undefined],
  ],
  [
    "decimals without fractions, as warehouses unload keys",
    [decimal("FIXED_LEN_BYTE_ARRAY", { scale: 0, precision: 38, type_length: 16 })],
    [9007199254740992n, 9007199254740993n, -(10n ** 37n)],
    "int",
    [9007199254740992n, 9007199254740993n, -(10n ** 37n)],
  ],
  ...(["INT32", "INT64", "BYTE_ARRAY"] as const).map(
    (type): Case => [
      `decimals of ${type}`,
      [decimal(type, { scale: 2, precision: 9 })],
      [1999n, -35n, 500n, null],
      "float",
      [new DecimalCell("19.99"), new DecimalCell("-0.35"), 5n, undefined],
    ],
  ),
  [
    "lists of decimals",
    list("v", "INT64", { converted_type: "DECIMAL", scale: 1, precision: 18 }),
    [[15n, 20n], []],
    "[]float",
    [[new DecimalCell("1.5"), 2n], []],
  ],
  [
    "timestamps of nanoseconds, which are cut towards the past",
    [{ name: "v", type: "INT64", logical_type: NANOS, ...optional }],
    [9_223_372_036_854_775_807n, -1n, 1_999_999n],
    "datetime",
    [
      "2262-04-11T23:47:16.854000000Z",
      "1969-12-31T23:59:59.999000000Z",
      "1970-01-01T00:00:00.001000000Z",
    ],
  ],
  [
    "lists of floats",
    list("v", "FLOAT"),
    [[1, 2], [], null],
    "[]float",
    [Float32Array.of(1, 2), new Float32Array(0), undefined],
  ],
  [
    "lists of doubles",
    list("v", "DOUBLE"),
    [[0.1], [0.2, null]],
    "[]float",
    [Float64Array.of(0.1), [0.2, null]],
  ],
  [
    "lists of strings",
    list("v", "BYTE_ARRAY", { converted_type: "UTF8" }),
    [["a"], ["b", "c"]],
    "[]string",
    [["a"], ["b", "c"]],
  ],
])("%s", async (_, elements, data, type, values) => {
  const reader = one(elements, data);
  const [column] = await reader.columns();
  expect(column.type && formatAttributeType(column.type)).toBe(type);
  expect(contents(await readAll(reader)).map((cells) => (cells as unknown[])[0])).toEqual(values);
});

test("structs are told with the way out, and not read", async () => {
  const reader = written({
    schema: [
      { name: "root", num_children: 1 },
      { name: "meta", repetition_type: "OPTIONAL", num_children: 1 },
      { name: "lang", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" },
    ],
    columnData: [{ name: "meta", data: [{ lang: "de" }] }],
  });
  const [{ fault }] = await reader.columns();
  expect(fault).toMatch(/^a struct \{lang\} has no place in a document, which is flat/);
  expect(contents(await readAll(reader))).toEqual([[undefined]]);
});

test("structs are taken apart if that is asked for, and lists of them are their JSON", async () => {
  const path = join(folder, "nested.parquet");
  const cents = { converted_type: "DECIMAL" as const, scale: 2, precision: 9 };
  const bytes = parquetWriteBuffer({
    schema: [
      { name: "root", num_children: 2 },
      { name: "m", repetition_type: "OPTIONAL", num_children: 2 },
      { name: "a", type: "INT64", repetition_type: "OPTIONAL" },
      { name: "b", repetition_type: "OPTIONAL", num_children: 1 },
      { name: "c", type: "INT64", repetition_type: "OPTIONAL", ...cents },
      { name: "l", converted_type: "LIST", repetition_type: "OPTIONAL", num_children: 1 },
      { name: "list", repetition_type: "REPEATED", num_children: 1 },
      { name: "element", repetition_type: "OPTIONAL", num_children: 2 },
      { name: "t", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" },
      { name: "p", type: "INT64", repetition_type: "OPTIONAL", ...cents },
    ],
    columnData: [
      { name: "m", data: [{ a: 2n ** 62n + 1n, b: { c: 1999n } }, null, { a: null, b: null }] },
      {
        name: "l",
        data: [
          [
            { t: '"é', p: 150n },
            { t: null, p: 5n },
          ],
          [],
          null,
        ],
      },
    ],
  });
  writeFileSync(path, new Uint8Array(bytes));
  const reader = new ParquetReader(path, openParquet(path), { flattens: true });
  expect(await reader.columns()).toMatchObject([
    { name: "m.a", type: { of: "int" } },
    { name: "m.b.c", type: { of: "float" } },
    { name: "l", type: { of: "string" } },
  ]);
  expect(contents(await readAll(reader))).toEqual([
    [2n ** 62n + 1n, new DecimalCell("19.99"), '[{"t":"\\"é","p":1.50},{"t":null,"p":0.05}]'],
    [undefined, undefined, "[]"],
    [undefined, undefined, undefined],
  ]);
});

test.each([
  ["SNAPPY", undefined],
  ["GZIP", (bytes: Uint8Array) => gzipSync(bytes)],
  ["ZSTD", (bytes: Uint8Array) => zstdCompressSync(bytes)],
  ["BROTLI", (bytes: Uint8Array) => brotliCompressSync(bytes)],
] as const)("pages packed by %s are read", async (codec, compress) => {
  const data = Array.from({ length: 3_000 }, (_, i) => `text ${i % 50}`);
  const reader = written({
    columnData: [{ name: "v", data }],
    codec,
    ...(compress && { compressors: { [codec]: compress } }),
  });
  expect(contents(await readAll(reader)).flat()).toEqual(data);
});

test("a file as pyarrow writes it, packed by LZ4, is read", async () => {
  const path = join(folder, "lz4.parquet");
  writeFileSync(path, Buffer.from(LZ4_PARQUET, "base64"));
  const reader = new ParquetReader(path, openParquet(path));
  expect(contents(await readAll(reader))).toEqual(LZ4_ROWS);
});

test("rows are read on from every position, over several groups", async () => {
  const data = Array.from({ length: 40 }, (_, i) => i);
  const reader = written({ columnData: [{ name: "v", data, type: "INT32" }], rowGroupSize: 7 });
  const rows = await readAll(reader);
  expect(contents(rows).flat()).toEqual(data);
  expect(rows.map(({ line }) => line)).toEqual(data.map((i) => i + 1));
  for (const [i, { next }] of rows.entries()) {
    expect(contents(await readAll(reader, next)).flat()).toEqual(data.slice(i + 1));
  }
  const { size } = statSync(join(folder, `${count}.parquet`));
  expect([0, 20, 40].map((row) => reader.bytesAt(row))).toEqual([0, Math.round(size / 2), size]);
});

test("a file that is cut off, or none, is refused by name", async () => {
  const path = join(folder, "cut.parquet");
  const whole = new Uint8Array(parquetWriteBuffer({ columnData: [{ name: "v", data: ["a"] }] }));
  writeFileSync(path, whole.subarray(0, whole.length - 9));
  await expect(new ParquetReader(path, openParquet(path)).columns()).rejects.toThrow(
    `${path} is damaged or cut off: its footer cannot be read`,
  );
});
