import { gunzipSync, gzipSync } from "node:zlib";
import { type Encoding, parquetMetadata, parquetReadObjects, parquetSchema } from "hyparquet";
import { parquetWriteBuffer } from "hyparquet-writer";
import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writePageHeader } from "hyparquet-writer/src/datapage.js";
import { writeRleBitPackedHybrid } from "hyparquet-writer/src/encoding.js";
import { writePlain } from "hyparquet-writer/src/plain.js";
import { expect, test } from "vitest";
import { effort } from "../../../../test/support/effort.ts";
import { type Random, seededRandom } from "../../../base/random.ts";
import { type FloatListColumn, floatListColumn } from "./float-lists.ts";
import { floatListsOf, readFloatLists } from "./parquet-float-pages.ts";

type FloatList = readonly (number | null)[] | null;

const SEED = 20_261_125;
const COMPRESSORS = { GZIP: (input: Uint8Array) => new Uint8Array(gunzipSync(input)) };
const VALUES = [0, -0, 1.5, -2.25, 3e38, Number.NaN, Number.POSITIVE_INFINITY, 0.1];

function pick<T>(random: Random, values: readonly T[]): T {
  return values[random.below(values.length)];
}

interface ListForm {
  readonly type: "FLOAT" | "DOUBLE";
  readonly hasNullLists: boolean;
  readonly hasNullElements: boolean;
}

/** Vectors of one length, or lists of any length with what the form allows. */
function randomLists(random: Random, form: ListForm): FloatList[] {
  const isVectors = random.next() < 0.4;
  const isFew = random.next() < 0.5;
  const dimensions = 1 + random.below(20);
  const value = () => {
    if (!isVectors && form.hasNullElements && random.next() < 0.1) return null;
    const number = isFew ? pick(random, VALUES) : random.next() * 2 - 1;
    return form.type === "FLOAT" ? Math.fround(number) : number;
  };
  return Array.from({ length: 1 + random.below(120) }, () => {
    if (!isVectors && form.hasNullLists && random.next() < 0.2) return null;
    const length = isVectors ? dimensions : random.below(12);
    return Array.from({ length }, value);
  });
}

function schemaOf({ type, hasNullLists, hasNullElements }: ListForm) {
  const repetition = (isOptional: boolean) => (isOptional ? "OPTIONAL" : "REQUIRED");
  const list = { name: "v", converted_type: "LIST", num_children: 1 } as const;
  return [
    { name: "root", num_children: 1 },
    { ...list, repetition_type: repetition(hasNullLists) },
    { name: "list", repetition_type: "REPEATED", num_children: 1 },
    { name: "element", type, repetition_type: repetition(hasNullElements) },
  ] satisfies Parameters<typeof parquetWriteBuffer>[0]["schema"];
}

function written(random: Random, form: ListForm, data: readonly FloatList[]): ArrayBuffer {
  const encodings: Encoding[] = ["PLAIN", "RLE_DICTIONARY", "BYTE_STREAM_SPLIT"];
  return parquetWriteBuffer({
    schema: schemaOf(form),
    columnData: [{ name: "v", data: [...data], encoding: pick(random, encodings) }],
    codec: pick(random, ["SNAPPY", "UNCOMPRESSED", "GZIP"] as const),
    compressors: { GZIP: (input) => new Uint8Array(gzipSync(input)) },
    rowGroupSize: 1 + random.below(80),
    pageSize: pick(random, [16, 200, 100_000]),
  });
}

/** Lists as arrays, whatever they are held in. */
function asArrays(lists: readonly unknown[] | undefined): unknown[] | undefined {
  return lists?.map((list) => (list == null ? undefined : Array.from(list as Iterable<unknown>)));
}

function columnOf(form: ListForm): FloatListColumn {
  const options = { schema: schemaOf(form), columnData: [{ name: "v", data: [[1]] }] };
  return floatColumn(parquetWriteBuffer(options));
}

function floatColumn(file: ArrayBuffer): FloatListColumn {
  const [child] = parquetSchema(parquetMetadata(file)).children;
  const column = floatListColumn(child);
  if (column === undefined) throw new Error("the column is none of floats");
  return column;
}

test("any rows of any file are those of the general reader", async () => {
  for (let run = 0; run < effort({ usual: 30, full: 150 }); run++) {
    const seed = SEED + run;
    const random = seededRandom(seed);
    const form: ListForm = {
      type: pick(random, ["FLOAT", "DOUBLE"]),
      hasNullLists: random.next() < 0.5,
      hasNullElements: random.next() < 0.5,
    };
    const file = written(random, form, randomLists(random, form));
    const column = floatColumn(file);
    const whole = await parquetReadObjects({ file, compressors: COMPRESSORS });
    let groupStart = 0;
    for (const group of parquetMetadata(file).row_groups) {
      const rows = Number(group.num_rows);
      const start = random.below(rows);
      const end = start + 1 + random.below(rows - start);
      for (const range of [
        { group, start: 0, end: rows },
        { group, start, end },
      ]) {
        const lists = await readFloatLists({ file, compressors: COMPRESSORS }, column, range);
        const general = whole.slice(groupStart + range.start, groupStart + range.end);
        expect(asArrays(lists), `seed ${seed}`).toEqual(asArrays(general.map(({ v }) => v)));
      }
      groupStart += rows;
    }
  }
});

test("lists without nulls are views of floats", async () => {
  const form: ListForm = { type: "FLOAT", hasNullLists: true, hasNullElements: true };
  const data = [[1, 2], [3, null], null, [], [4]];
  const file = parquetWriteBuffer({ schema: schemaOf(form), columnData: [{ name: "v", data }] });
  const [group] = parquetMetadata(file).row_groups;
  const source = { file, compressors: {} };
  const rows = { group, start: 0, end: data.length };
  expect(await readFloatLists(source, floatColumn(file), rows)).toEqual([
    Float32Array.of(1, 2),
    [3, null],
    undefined,
    new Float32Array(0),
    Float32Array.of(4),
  ]);
});

interface Levels {
  readonly repetition: number[];
  readonly definition: number[];
  readonly values: (number | null)[];
}

/** Levels of lists as the format defines them, element by element. */
function levelsOf(lists: readonly FloatList[], column: FloatListColumn): Levels {
  const levels: Levels = { repetition: [], definition: [], values: [] };
  const add = (repetition: number, definition: number, value: number | null) => {
    levels.repetition.push(repetition);
    levels.definition.push(definition);
    levels.values.push(value);
  };
  for (const list of lists) {
    if (list === null) add(0, column.listLevel - 1, null);
    else if (list.length === 0) add(0, column.listLevel, null);
    else {
      for (const [i, value] of list.entries()) {
        add(i === 0 ? 0 : 1, value === null ? column.valueLevel - 1 : column.valueLevel, value);
      }
    }
  }
  return levels;
}

/** Pages of the first version, which may end within a row. */
function firstVersionPages(
  { repetition, definition, values }: Levels,
  column: FloatListColumn,
  { ends, encoding = "PLAIN" }: { readonly ends: readonly number[]; readonly encoding?: Encoding },
): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  let start = 0;
  for (const end of ends) {
    const page = new ByteWriter();
    for (const [levels, width] of [
      [repetition, 1],
      [definition, 32 - Math.clz32(column.valueLevel)],
    ] as const) {
      const packed = new ByteWriter();
      writeRleBitPackedHybrid(packed, levels.slice(start, end), width);
      page.appendUint32(packed.offset);
      page.appendBytes(packed.getBytes());
    }
    const stored = values.slice(start, end).filter((value) => value !== null);
    writePlain(page, stored, column.type, undefined);
    writePageHeader(writer, {
      type: "DATA_PAGE",
      uncompressed_page_size: page.offset,
      compressed_page_size: page.offset,
      data_page_header: {
        num_values: end - start,
        encoding,
        definition_level_encoding: "RLE",
        repetition_level_encoding: "RLE",
      },
    });
    writer.appendBytes(page.getBytes());
    start = end;
  }
  return new Uint8Array(writer.getBytes());
}

test("pages of the first version may end within a row", () => {
  for (let run = 0; run < effort({ usual: 40, full: 200 }); run++) {
    const seed = SEED + run;
    const random = seededRandom(seed);
    const form: ListForm = {
      type: pick(random, ["FLOAT", "DOUBLE"]),
      hasNullLists: random.next() < 0.5,
      hasNullElements: random.next() < 0.5,
    };
    const lists = randomLists(random, form);
    const column = columnOf(form);
    const levels = levelsOf(lists, column);
    const count = levels.repetition.length;
    const ends = levels.repetition.map((_, i) => i + 1).filter(() => random.next() < 0.1);
    if (ends.at(-1) !== count) ends.push(count);
    const bytes = firstVersionPages(levels, column, { ends });
    const read = floatListsOf(bytes, { column, codec: "UNCOMPRESSED", compressors: {} });
    expect(asArrays(read), `seed ${seed}`).toEqual(asArrays(lists));
  }
});

test("what is unusual is left to the general reader", () => {
  const column = columnOf({ type: "FLOAT", hasNullLists: false, hasNullElements: false });
  const chunk = { column, codec: "UNCOMPRESSED", compressors: {} } as const;
  const levels = levelsOf([[1, 2, 3]], column);
  const whole = { ends: [3] };
  expect(asArrays(floatListsOf(firstVersionPages(levels, column, whole), chunk))).toEqual([
    [1, 2, 3],
  ]);
  const unbegun = { ...levels, repetition: [1, 1, 1] };
  expect(floatListsOf(firstVersionPages(unbegun, column, whole), chunk)).toBeUndefined();
  // An encoding that floats do not have, and a dictionary that is not there.
  for (const encoding of ["DELTA_BINARY_PACKED", "RLE_DICTIONARY"] as const) {
    const bytes = firstVersionPages(levels, column, { ...whole, encoding });
    expect(floatListsOf(bytes, chunk)).toBeUndefined();
  }
});
