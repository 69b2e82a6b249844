import { zstdDecompressSync } from "node:zlib";
import {
  binary,
  bool,
  type DataType,
  dateDay,
  decimal,
  dictionary,
  field,
  fixedSizeList,
  float16,
  float32,
  float64,
  int8,
  int64,
  list,
  struct,
  TimeUnit,
  tableFromArrays,
  tableToIPC,
  timeSecond,
  timestamp,
  uint64,
  utf8,
} from "@uwdata/flechette";
import { expect, test } from "vitest";
import { ChunkedBytes } from "../../../../test/support/transfer/chunked-bytes.ts";
import { LZ4_FEATHER, LZ4_ROWS } from "../../../../test/support/transfer/lz4-files.ts";
import { contents, readAll } from "../../../../test/support/transfer/read-all.ts";
import { formatAttributeType } from "../../../model/attribute-type.ts";
import type { ByteSource } from "../byte-source.ts";
import { DecimalCell } from "../decimal-cell.ts";
import { ArrowReader } from "./arrow-reader.ts";

const readerOf = (source: ByteSource) => new ArrowReader(source, zstdDecompressSync);

function written(type: DataType, values: readonly unknown[], format: "file" | "stream" = "stream") {
  const table = tableFromArrays({ v: [...values] }, { types: { v: type } });
  const bytes = tableToIPC(table, { format }) ?? new Uint8Array(0);
  return readerOf(new ChunkedBytes(bytes, { chunkBytes: () => 13 }));
}

type Case = [string, DataType, readonly unknown[], string, readonly unknown[]];

test.each<Case>([
  ["int64", int64(), [2n ** 62n + 1n, null], "int", [2n ** 62n + 1n, undefined]],
  ["uint64", uint64(), [2n ** 64n - 1n, null], "uint", [2n ** 64n - 1n, undefined]],
  ["int8", int8(), [-1, 7], "int", [-1, 7]],
  ["float64", float64(), [0.1, null], "float", [0.1, undefined]],
  ["bool", bool(), [true, null], "bool", [true, undefined]],
  ["utf8", utf8(), ["é", null], "string", ["é", undefined]],
  ["dictionary", dictionary(utf8()), ["a", "b", "a"], "string", ["a", "b", "a"]],
  ["binary", binary(), [new Uint8Array([1, 255]), null], "bytes", ["Af8=", undefined]],
  [
    "date",
    dateDay(),
    [new Date("2026-01-31"), null],
    "datetime",
    ["2026-01-31T00:00:00.000000000Z", undefined],
  ],
  [
    "timestamp",
    timestamp(TimeUnit.MICROSECOND),
    [new Date(1500), new Date(-1)],
    "datetime",
    ["1970-01-01T00:00:01.500000000Z", "1969-12-31T23:59:59.999000000Z"],
  ],
  [
    "nanoseconds, which are cut towards the past",
    timestamp(TimeUnit.NANOSECOND),
    [1_999_999, -1, 86_399_999_999_999, null].map((nanos) => nanos && nanos / 1e6),
    "datetime",
    [
      "1970-01-01T00:00:00.001000000Z",
      "1969-12-31T23:59:59.999000000Z",
      "1970-01-01T23:59:59.999000000Z",
      undefined,
    ],
  ],
  [
    "seconds beyond the range of JavaScript's dates",
    timestamp(TimeUnit.SECOND),
    [253_402_300_800_000, -62_167_219_201_000],
    "datetime",
    ["+010000-01-01T00:00:00.000000000Z", "-000001-12-31T23:59:59.000000000Z"],
  ],
  [
    "decimals without fractions",
    decimal(38, 0),
    [9007199254740992n, 9007199254740993n, -(10n ** 37n)],
    "int",
    [9007199254740992n, 9007199254740993n, -(10n ** 37n)],
  ],
  ...[32, 64, 128, 256].map(
    (bits): Case => [
      `decimals of ${bits} bits`,
      decimal(9, 2, bits as 32),
      [1999n, -35n, 500n, null],
      "float",
      [new DecimalCell("19.99"), new DecimalCell("-0.35"), 5n, undefined],
    ],
  ),
  ["list", list(utf8()), [["a"], [], null], "[]string", [["a"], [], undefined]],
  [
    "vector",
    fixedSizeList(float32(), 2),
    [
      [1, 2],
      [3, 4],
    ],
    "[2]f32",
    [new Float32Array([1, 2]), new Float32Array([3, 4])],
  ],
  ["half vector", fixedSizeList(float16(), 2), [[1, 2]], "[2]f16", [[1, 2]]],
  [
    "list of vectors",
    list(list(float32())),
    [
      [
        [1, 2],
        [3, 4],
      ],
    ],
    "[][0]f32",
    [[new Float32Array([1, 2]), new Float32Array([3, 4])]],
  ],
])("%s", async (_, type, data, spelled, values) => {
  for (const format of ["file", "stream"] as const) {
    const reader = written(type, data, format);
    const [column] = await reader.columns();
    expect(column.type && formatAttributeType(column.type)).toBe(spelled);
    expect(contents(await readAll(reader)).map((cells) => (cells as unknown[])[0])).toEqual(values);
  }
});

test.each([
  [struct([field("lang", utf8())]), [{ lang: "de" }], /^a struct \{lang\} has no place/],
  [timeSecond(), [1], /^a time of day, a duration or a union cannot be stored/],
])("what has no counterpart is told", async (type, values, message) => {
  const [{ fault }] = await written(type, values).columns();
  expect(fault).toMatch(message);
});

test("structs are taken apart if that is asked for, and lists of them are their JSON", async () => {
  const inner = struct([field("c", decimal(9, 2, 64))]);
  const type = struct([field("a", int64()), field("b", inner)]);
  const of = list(struct([field("t", utf8()), field("p", decimal(9, 2, 64))]));
  const data = {
    m: [{ a: 2n ** 62n + 1n, b: { c: 1999n } }, null, { a: null, b: null }],
    l: [
      [
        { t: '"é', p: 150n },
        { t: null, p: 5n },
      ],
      [],
      null,
    ],
  };
  const bytes = tableToIPC(tableFromArrays(data, { types: { m: type, l: of } }), {});
  const source = new ChunkedBytes(bytes ?? new Uint8Array(0), { chunkBytes: () => 50 });
  const reader = new ArrowReader(source, zstdDecompressSync, { flattens: true });
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

test("rows are read on from every position, over several batches", async () => {
  const values = Array.from({ length: 30 }, (_, i) => i);
  const table = tableFromArrays({ v: values }, { types: { v: int8() }, maxBatchRows: 7 });
  const bytes = tableToIPC(table, { format: "stream" }) ?? new Uint8Array(0);
  const reader = readerOf(new ChunkedBytes(bytes, { chunkBytes: () => 50 }));
  const rows = await readAll(reader);
  expect(contents(rows).flat()).toEqual(values);
  const done = [0, 7, 10, 14, 30].map((row) => reader.bytesAt(row));
  expect(done).toEqual(done.toSorted((a, b) => a - b));
  expect([done[0], new Set(done).size]).toEqual([0, done.length]);
  for (const [i, { next }] of rows.entries()) {
    expect(contents(await readAll(reader, next)).flat()).toEqual(values.slice(i + 1));
  }
});

test("Feather as pyarrow writes it, packed by LZ4, is read", async () => {
  const source = new ChunkedBytes(Buffer.from(LZ4_FEATHER, "base64"), { chunkBytes: () => 100 });
  expect(contents(await readAll(readerOf(source)))).toEqual(LZ4_ROWS);
});

test("a file that is cut off is refused", async () => {
  const bytes = tableToIPC(tableFromArrays({ v: ["a", "b"] }), { format: "stream" });
  const whole = bytes ?? new Uint8Array(0);
  const cut = readerOf(new ChunkedBytes(whole.subarray(0, whole.length - 30)));
  await expect(readAll(cut)).rejects.toThrow("rows is cut off: it ends inside of a record batch");
  await expect(readAll(readerOf(new ChunkedBytes("not an arrow file")))).rejects.toThrow(
    "rows is no Arrow IPC of version 0.15 or newer",
  );
});
