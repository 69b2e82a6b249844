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
    [["9223372036854775808"], "uint"],
    [["", ""], undefined],
  ])("%j are %s", (texts, type) => {
    const rows = texts.map((text, i) => [String(i), text]);
    expect(typesOf(plan([table("id,v", ...rows)]))).toEqual({ v: type });
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
