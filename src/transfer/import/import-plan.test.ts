import { describe, expect, test } from "vitest";
import { formatAttributeType } from "../../model/attribute-type.ts";
import type { SourceColumn } from "../read/source-row.ts";
import type { SampledFile } from "./column-samples.ts";
import { type ImportPlan, type PlanOptions, planImport } from "./import-plan.ts";
import { COMMAND_WORDS } from "./plan-words.ts";

const OPTIONS: PlanOptions = {
  renames: new Map(),
  schema: {},
  existing: undefined,
  isResumed: false,
  words: COMMAND_WORDS,
};

const AT = { line: 1, next: { rows: 1, line: 2, offset: 0 } };

function objects(...rows: string[]): SampledFile {
  const sampled = rows.map((text) => {
    return { ...AT, content: { kind: "json", text: Buffer.from(text) } as const };
  });
  return { name: "a.jsonl", columns: undefined, rows: sampled };
}

function table(header: string, ...rows: string[][]): SampledFile {
  const sampled = rows.map((texts) => ({ ...AT, content: { kind: "texts", texts } as const }));
  return { name: "a.csv", columns: header.split(",").map((name) => ({ name })), rows: sampled };
}

function typesOf({ columns }: ImportPlan): Record<string, string | undefined> {
  return Object.fromEntries(
    columns.map(({ attribute, type }) => [attribute, type && formatAttributeType(type)]),
  );
}

function plan(files: SampledFile[], options: Partial<PlanOptions> = {}): ImportPlan {
  return planImport(files, { ...OPTIONS, ...options });
}

describe("texts that the server embeds", () => {
  const file = objects('{"id":1,"title":"A walrus"}');

  test("make vectors that no column shows, and small writes", () => {
    const schema = { title: { type: "string", embed: "trawl/static-en" } };
    const { hasVectors, embeds } = plan([file], { schema });
    expect([hasVectors, embeds]).toEqual([true, true]);
  });

  test("are told by the namespace, too, which has its metric already", () => {
    const existing = new Map([["title", "string"]]);
    const { hasVectors, embeds } = plan([file], { existing, embeds: true });
    expect([hasVectors, embeds]).toEqual([false, true]);
    expect(plan([file], { schema: { title: "string" } }).embeds).toBe(false);
  });
});

describe("types of JSON values", () => {
  test.each([
    ["1", "2", "int"],
    ["1", "2.5", "float"],
    ["1e3", "2", "float"],
    ["1", "18446744073709551615", "uint"],
    ["1", "18446744073709551616", "float"],
    ["true", "null", "bool"],
    ['"a"', '"b"', "string"],
    ['"2026-01-31T09:30:00Z"', '"2026-01-31T09:30:00+02:00"', "datetime"],
    ['"2026-01-31"', '"2026-02-01"', "string"],
    ['"2026-01-31T09:30:00Z"', '"soon"', "datetime"],
    ['["a"]', "[]", "[]string"],
    ["[1]", "[2,3]", "[]int"],
    ["[1]", "[2.5]", "[]float"],
    ["[1.5,2]", "[2,3]", "[]float"],
    ["[0.5,1,2,3,4,5,6,7]", "[1,1,2,3,4,5,6,7.5]", "[8]f32"],
    ["[[0.5,1],[1,2]]", "[[1,2]]", "[][2]f32"],
    ['{"a":0.5}', '{"b":1}', "{}f16"],
    ["null", "null", undefined],
    ["[]", "[]", undefined],
    ["NaN", "1", "int"],
  ])("%s and %s are %s", (a, b, type) => {
    const made = plan([objects(`{"id":1,"v":${a}}`, `{"id":2,"v":${b}}`)]);
    expect(typesOf(made)).toEqual({ v: type });
  });

  test("that are of two kinds are told, and the most frequent one counts", () => {
    const made = plan([objects('{"id":1,"v":1}', '{"id":2,"v":2}', '{"id":3,"v":"x"}')]);
    expect(made.columns).toMatchObject([
      { type: { of: "int" }, notes: ["1 of 3 sampled values are of another kind"] },
    ]);
  });

  test("vectors that are named so may be short, or base64", () => {
    const base64 = Buffer.from(new Float32Array([1, 2]).buffer).toString("base64");
    expect(typesOf(plan([objects('{"id":1,"vector":[1,2]}')]))).toEqual({ vector: "[2]f32" });
    const named = plan([objects(`{"id":1,"emb":"${base64}"}`)], { vectorColumn: "emb" });
    expect(typesOf(named)).toEqual({ vector: "[2]f32" });
    expect(named.schema).toEqual({ vector: { type: "[2]f32", ann: true } });
  });
});

describe("types of texts", () => {
  test.each([
    [["1", "-2", ""], "int"],
    [["1", "2.50"], "float"],
    [["01", "2"], "string"],
    [["1", "x"], "string"],
    [["true", "FALSE"], "bool"],
    [["true", "1"], "string"],
    [["[1,2]", "[3]"], "[]int"],
    [["2026-01-31 09:30:00", ""], "datetime"],
    [["-123456789012345", "1"], "int"],
    [["1.50", "-1.5e-05", "1E+20"], "float"],
    [["", ""], undefined],
  ])("%j are %s", (texts, type) => {
    const rows = texts.map((text, i) => [String(i), text]);
    expect(typesOf(plan([table("id,v", ...rows)]))).toEqual({ v: type });
  });

  const notesOf = (texts: readonly string[], options: Partial<PlanOptions> = {}) => {
    const rows = texts.map((one, i) => [`${i}`, one]);
    const [column] = plan([table("id,v", ...rows)], options).columns;
    const type = column.type && formatAttributeType(column.type);
    return [type, ...column.notes];
  };

  test.each([
    [["+14155550100", "5"], 'no plus sign; --schema \'{"v":"int"}\' makes numbers of them'],
    [["0049", "12"], 'stay text, as "0049": a number has no leading zero'],
    [["98765432109876543210"], "numbers have at most 15 digits"],
    [["1234567890123456"], 'at most 15 digits; --schema \'{"v":"int"}\' makes'],
    [["1e5", "0.5"], 'stay text, as "1e5": numbers are written'],
    [["19,99", "1.234,50"], 'stay text, as "19,99": numbers have a decimal point'],
    [["2026-01-31", "2026-02-01"], 'dates alone are no datetimes; --schema \'{"v":"datetime"}\''],
    [["31.01.2026"], 'stay text, as "31.01.2026": dates are written 2026-01-31'],
    [["2026-01-31", "1/31/2026"], 'written differently, as "2026-01-31" and "1/31/2026"'],
    [["2026-01-31 09:30:00", "2026-02-01"], "dates are written differently"],
    [
      ["1", "n/a", "2", "3"],
      'stay text, as "n/a" in a.csv:1 is not a number, and 3 of 4 sampled cells are; ' +
        '--schema \'{"v":"int"}\' rejects such rows instead',
    ],
    [["true", "false", "?"], "is not true or false, and 2 of 3 sampled cells are"],
  ])("%j stay text, which the plan notes with a value", (texts, note) => {
    expect(notesOf(texts)).toEqual(["string", expect.stringContaining(note)]);
  });

  test("names that hold a number here and there are no news", () => {
    expect(notesOf(["Animal Farm", "1984", "Ulysses", "+1"])).toEqual(["string"]);
  });

  test("that are stored in another form are shown in both", () => {
    expect(notesOf(["1.50"])).toEqual(["float", '"1.50" becomes 1.5']);
    expect(notesOf(["0.1234567890123456789"])).toEqual([
      "float",
      '"0.1234567890123456789" becomes 0.12345678901234568',
    ]);
    expect(notesOf(["-0.0"])).toEqual(["float", '"-0.0" becomes -0']);
    expect(notesOf(["TRUE"])).toEqual(["bool", '"TRUE" becomes true']);
    const datetime = [
      "datetime",
      '"2026-01-31T09:30:00.1239+02:00" becomes 2026-01-31T07:30:00.123000000Z',
      "datetimes have milliseconds: what is finer is cut off",
    ];
    expect(notesOf(["2026-01-31T09:30:00.1239+02:00"])).toEqual(datetime);
    const schema = { v: "datetime" };
    expect(notesOf(["2026-01-31T09:30:00.1239+02:00"], { schema })).toEqual(datetime);
  });
});

describe("numbers that no type keeps", () => {
  const wide = "18446744073709551617";

  test("are refused with both ways out where they are most values", () => {
    expect(() => plan([objects(`{"id":1,"v":${wide}}`)])).toThrow(
      `column "v": has integers beyond 64 bits, as ${wide} in a.jsonl:1: take the nearest ` +
        `float64 with --schema '{"v":"float"}'; or leave it out with --map v=`,
    );
    const declared = { name: "v", type: { kind: "scalar", of: "int" } } as const;
    const content = { kind: "values", values: [1n, BigInt(wide)] } as const;
    const columns = [{ name: "id" }, declared];
    expect(() => plan([{ name: "a.parquet", columns, rows: [{ ...AT, content }] }])).toThrow(
      `or all digits as text with --schema '{"v":"string"}'`,
    );
  });

  test("are noted if they are few", () => {
    const made = plan([objects('{"id":1,"v":1}', '{"id":2,"v":2}', `{"id":3,"v":${wide}}`)]);
    expect(made.columns[0]).toMatchObject({
      type: { of: "int" },
      notes: [
        `1 of 3 sampled values are integers beyond 64 bits, as ${wide} in a.jsonl:1: such ` +
          "rows are rejected",
      ],
    });
  });
});

describe("texts longer than filters take", () => {
  const long = "word ".repeat(900);

  test("are full text, those without words are not filtered, and the plan notes it", () => {
    const made = plan([
      objects(`{"id":1,"a":"${long}","b":"${"x".repeat(4097)}","c":["${long}"]}`),
    ]);
    expect(made.schema).toEqual({
      a: { type: "string", full_text_search: true },
      b: { type: "string", filterable: false },
      c: { type: "[]string", full_text_search: true },
    });
    expect(made.columns[0].notes).toEqual([
      "full text, without filters: they take 4096 bytes, a text in a.jsonl:1 has more",
    ]);
  });

  test("stay as the schema or the namespace has them", () => {
    const file = objects(`{"id":1,"a":"${long}"}`);
    expect(plan([file], { schema: { a: "string" } }).schema).toEqual({ a: "string" });
    expect(plan([file], { existing: new Map([["a", "string"]]) }).schema).toEqual({});
  });

  test("may have as many bytes as filters take", () => {
    const made = plan([objects(`{"id":1,"a":"${"x".repeat(4096)}","b":"${"é".repeat(2048)}"}`)]);
    expect(made.schema).toEqual({ a: { type: "string" }, b: { type: "string" } });
  });
});

describe("vectors of several lengths", () => {
  const rows = (lengths: readonly number[]) =>
    lengths.map((length, id) => `{"id":${id},"v":[${Array.from({ length }, () => 0.5).join()}]}`);

  test("have the length of most of them, and the others are noted", () => {
    const lengths = Array.from({ length: 20 }, (_, i) => (i === 7 ? 7 : 8));
    const made = plan([objects(...rows(lengths))]);
    expect(typesOf(made)).toEqual({ v: "[8]f32" });
    expect(made.columns[0].notes).toEqual([
      "1 of 20 sampled vectors have another length, the first in a.jsonl:1: such rows are rejected",
    ]);
    const named = plan([objects(...rows([2, 2, 3]))], { vectorColumn: "v" });
    expect(typesOf(named)).toEqual({ vector: "[2]f32" });
  });

  test("are refused if no length has a majority", () => {
    expect(() => plan([objects(...rows([2, 3]))], { vectorColumn: "v" })).toThrow(
      'column "v": its vectors have 2 to 3 dimensions, and no length has a majority',
    );
  });
});

describe("ids", () => {
  test.each([
    ["1", undefined, "uint"],
    ['"a"', undefined, "string"],
    ['"6f2c1a0e-3b7d-4c58-9a64-0d1e2f3a4b5c"', undefined, "uuid"],
    ['"6f2c1a0e-3b7d-4c58-9a64-0d1e2f3a4b5c"', "string", "string"],
  ])("%s in a namespace of %s are %s", (id, existing, type) => {
    const has = existing === undefined ? undefined : new Map([["id", existing]]);
    expect(plan([objects(`{"id":${id}}`)], { existing: has }).idType).toBe(type);
  });

  test("come from id, else from _id, else from the rows' numbers", () => {
    expect(plan([objects('{"_id":1,"id":2}')], { renames: new Map([["_id", "x"]]) }).idSource).toBe(
      "id",
    );
    expect(plan([objects('{"_id":1,"a":2}')]).idSource).toBe("_id");
    expect(plan([objects('{"a":2}')]).idSource).toBe(undefined);
    const resumed = { existing: new Map([["id", "uint"]]), isResumed: true };
    expect(plan([objects('{"a":2}')], resumed).idSource).toBe(undefined);
  });

  test("of more than 15 digits are numbers, and codes make texts of all", () => {
    const ids = (...texts: string[]) => plan([table("id", ...texts.map((text) => [text]))]);
    expect(ids("1", "9007199254740993", "18446744073709551615").idType).toBe("uint");
    expect(ids("1", "18446744073709551616").idType).toBe("string");
    expect(ids("1", "007")).toMatchObject({
      idType: "string",
      idNotes: [expect.stringContaining('stay text, as "007": a number has no leading zero')],
    });
  });

  test("that are stored in another form are shown in both", () => {
    const uuid = "6F2C1A0E-3B7D-4C58-9A64-0D1E2F3A4B5C";
    expect(plan([objects(`{"id":"${uuid}"}`)]).idNotes).toEqual([
      `"${uuid}" becomes ${uuid.toLowerCase()}`,
    ]);
    expect(plan([objects('{"id":1}', '{"id":"a"}')]).idNotes).toEqual(['1 becomes "1"']);
  });

  test("must have their column in each file", () => {
    const files = [table("id,a", ["1", "2"]), { ...table("a", ["2"]), name: "b.csv" }];
    expect(() => plan(files)).toThrow(
      'b.csv has no column "id", from which the ids of the other files',
    );
  });

  test("with fractions are refused", () => {
    expect(() => plan([objects('{"id":1.5}')])).toThrow(/column "id" has fractions, and ids are/);
  });

  test("with a fraction among integers are integers, and the row is bad", () => {
    expect(plan([objects('{"id":1}', '{"id":1.5}', '{"id":2}')]).idType).toBe("uint");
    expect(() => plan([objects('{"id":1}', '{"id":1.5}')])).toThrow("has fractions");
  });
});

test("only what the namespace lacks is declared, and what the user says goes first", () => {
  const made = plan([objects('{"id":1,"a":1,"b":2,"c":3}')], {
    existing: new Map([
      ["id", "uint"],
      ["a", "float"],
    ]),
    schema: { c: "uint" },
  });
  expect(typesOf(made)).toEqual({ a: "float", b: "int", c: "uint" });
  expect(made.schema).toEqual({ b: { type: "int" }, c: "uint" });
});

describe("columns with a type", () => {
  const column = (more: Omit<SourceColumn, "name">): SourceColumn => ({ name: "v", ...more });
  const file = (name: string, of: SourceColumn): SampledFile => {
    return { name, columns: [{ name: "id" }, of], rows: [] };
  };
  const scalar = (of: "int" | "float" | "string") => column({ type: { kind: "scalar", of } });

  test("of integers here and floats there are floats; others must agree", () => {
    expect(typesOf(plan([file("a", scalar("int")), file("b", scalar("float"))]))).toEqual({
      v: "float",
    });
    expect(() => plan([file("a", scalar("int")), file("b", scalar("string"))])).toThrow(
      /column "v" is string in b and int in a file before/,
    );
  });

  test("that cannot be stored are refused with the way out, and may be left out", () => {
    const faulty = file("a", column({ fault: "a map has no place in a document" }));
    expect(() => plan([faulty])).toThrow(/column "v": a map .*; or leave it out with --map v=$/);
    const left = plan([faulty], { renames: new Map([["v", undefined]]) });
    expect(left.columns).toMatchObject([{ attribute: undefined, notes: ["left out"] }]);
  });
});

test("two columns of one attribute are refused", () => {
  const renames = new Map([["a", "b"]]);
  expect(() => plan([objects('{"id":1,"a":1,"b":2}')], { renames })).toThrow(
    /columns "a" and "b" would both be named "b"/,
  );
});
