import { expect, test } from "vitest";
import { sampleColumns } from "../../../src/transfer/import/column-samples.ts";
import {
  type DraftContext,
  firstDraft,
  type ImportDraft,
  planDraft,
  withCorrection,
} from "./import-draft.ts";

const AT = { line: 1, next: { rows: 1, line: 2, offset: 0 } };

function contextOf(lines: readonly string[], existing?: Record<string, string>): DraftContext {
  const rows = lines.map((text) => {
    return { ...AT, content: { kind: "json", text: new TextEncoder().encode(text) } as const };
  });
  return {
    sampled: sampleColumns([{ name: "a.jsonl", columns: undefined, rows }]),
    existing: existing && new Map(Object.entries(existing)),
    embeds: false,
    isResumed: false,
  };
}

const CONTEXT = contextOf([
  '{"id":1,"title":"A walrus","year":1999,"emb":[0.5,1],"price":1.5,"by":{"name":"x"}}',
  '{"id":2,"title":"A fox","year":2001,"emb":[1,2],"price":2,"by":{"name":"y"}}',
]);

function planned(columns: ImportDraft["columns"], idColumn?: string, context = CONTEXT) {
  return planDraft({ columns, ...(idColumn && { idColumn }) }, context);
}

test("the first draft leaves out what cannot be imported, and says why", () => {
  const draft = firstDraft(CONTEXT);
  expect(draft).toEqual({ columns: { by: { isLeftOut: true } } });
  const { plan, fault, columns, idColumn, idType } = planDraft(draft, CONTEXT);
  expect([plan?.schema, fault, idColumn, idType]).toEqual([
    {
      title: { type: "string" },
      year: { type: "int" },
      emb: { type: "[]float" },
      price: { type: "float" },
    },
    undefined,
    "id",
    "uint",
  ]);
  expect(columns.at(-1)).toMatchObject({
    source: "by",
    attribute: undefined,
    notes: ["left out", expect.stringContaining("has objects {name}, and documents are flat")],
  });
});

test("a column that is taken in though it cannot be is at fault", () => {
  const { plan, fault, columns } = planned({ by: { isLeftOut: false } });
  expect([plan, fault]).toEqual([undefined, undefined]);
  expect(columns.at(-1)?.fault).toMatch(/^column "by": has objects .*; or leave it out$/);
});

test("corrections decide types, names and options, with what the API takes for them", () => {
  const { plan, columns } = planned({
    by: { isLeftOut: true },
    title: { isFullText: true },
    year: { type: "string", isFilterable: false },
    emb: { attribute: "vector" },
    price: { attribute: "cost", type: "float" },
  });
  expect(plan?.schema).toEqual({
    title: { type: "string", full_text_search: true },
    year: { type: "string", filterable: false },
    vector: { type: "[2]f32", ann: true },
    cost: { type: "float" },
  });
  const emb = columns.find(({ source }) => source === "emb");
  expect(emb).toMatchObject({ type: "[2]f32", types: expect.arrayContaining(["[]float"]) });
});

test("full text that is filtered, too, is said so, and types that have none do without", () => {
  const both = { title: { isFullText: true, isFilterable: true }, by: { isLeftOut: true } };
  expect(planned(both).plan?.schema.title).toEqual({
    type: "string",
    full_text_search: true,
    filterable: true,
  });
  const changed = { ...both, title: { ...both.title, type: "int" } };
  expect(planned(changed).plan?.schema.title).toEqual({ type: "int" });
});

test("vectors may be chosen by type where arrays look like any other", () => {
  const { plan } = planned({ emb: { type: "[2]f32" }, by: { isLeftOut: true } });
  expect(plan?.schema.emb).toEqual({ type: "[2]f32", ann: true });
  expect(plan?.hasVectors).toBe(true);
});

test("two columns of one name are at fault, and none of them is left out for it", () => {
  const { plan, columns } = planned({ title: { attribute: "year" }, by: { isLeftOut: true } });
  expect(plan).toBeUndefined();
  expect(columns.find(({ source }) => source === "year")?.fault).toBe(
    'columns "title" and "year" would both be named "year": give its attribute another name',
  );
});

test("what the namespace has keeps its type", () => {
  const context = contextOf(['{"id":1,"title":"x","year":1}'], { id: "uint", year: "float" });
  const { plan, columns } = planned({ year: { type: "string" } }, undefined, context);
  expect(plan?.schema).toEqual({ title: { type: "string" } });
  expect(columns).toMatchObject([
    { source: "title", isFixed: false },
    { source: "year", isFixed: true, type: "float" },
  ]);
});

test("row numbers as ids of a namespace that exists have to be asked for", () => {
  const context = contextOf(['{"title":"x"}'], { id: "uint" });
  expect(planned({}, undefined, context).fault).toMatch(
    /^no column is named id or _id, .*: choose the column of the ids above \(there are "title"\), or/,
  );
  expect(planned({}, "@row", context).plan?.idSource).toBeUndefined();
  expect(planned({}, "title", context)).toMatchObject({ idColumn: "title", idType: "uint" });
});

test("faults of the ids are no column's", () => {
  const context = contextOf(['{"id":1.5,"a":1}']);
  expect(firstDraft(context)).toEqual({ columns: {} });
  expect(planned({}, undefined, context).fault).toMatch(/^column "id" has fractions/);
});

test("texts that are to be found by meaning are embedded, with vectors for them", () => {
  const { plan, columns } = planned({
    by: { isLeftOut: true },
    title: { isFullText: true, isByMeaning: true },
    year: { isByMeaning: true },
  });
  expect(plan?.schema).toMatchObject({
    title: { type: "string", full_text_search: true, embed: "trawl/static-en" },
    year: { type: "int" },
  });
  expect(plan?.schema.year).toEqual({ type: "int" });
  expect([plan?.hasVectors, plan?.embeds]).toEqual([true, true]);
  expect(columns.find(({ source }) => source === "title")?.isByMeaning).toBe(true);
});

test("what is typed is shown before it was planned", () => {
  const [title] = planned({ by: { isLeftOut: true } }).columns;
  expect(withCorrection(title, { attribute: "", type: "uuid", isFullText: true })).toMatchObject({
    attribute: "",
    type: "uuid",
    isFullText: true,
    isFilterable: false,
  });
  expect(withCorrection(title, { isLeftOut: true }).attribute).toBeUndefined();
  expect(withCorrection({ ...title, isFixed: true }, { type: "int" }).type).toBe("string");
});
