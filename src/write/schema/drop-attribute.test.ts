import { expect, test } from "vitest";
import { faultOf } from "../../../test/support/documents/loose-json.ts";
import { create, merge } from "../../../test/support/documents/schema-changes.ts";
import { runSteps } from "../../base/steps.ts";
import type { Schema } from "../../model/schema.ts";
import { columnOf, columnOwners } from "../../model/stored-columns.ts";
import type { LooseColumn } from "../../model/write-request.ts";
import { bindUpserts } from "../bind/bind-documents.ts";

const FIRST = create(
  {
    id: "uint",
    a: "int",
    t: { type: "string", full_text_search: true },
    vector: { type: "[2]f32", ann: true },
    e: { type: "string", embed: { model: "m", attribute: "v" } },
    v: { type: "[4]f32", ann: true },
  },
  "cosine_distance",
);
const change = (current: Schema, schema: object) => merge(current, { schema, existing: true });

test("a dropped attribute leaves the others as they are", () => {
  const { schema, builds } = change(FIRST, { a: { drop: true }, b: "bool" });
  expect([...schema.attributes.keys()]).toEqual(["t", "vector", "e", "v", "b"]);
  expect(builds).toEqual([]);
  for (const name of ["t", "vector", "e", "v"]) expect(columnOf(schema, name)).toBe(name);
  expect(schema.distanceMetric).toBe("cosine_distance");
});

test("a name that is declared again has a column of its own each time, and keeps it", () => {
  const seen = new Set(["a"]);
  let schema = FIRST;
  for (const type of ["string", "bool", "int"]) {
    schema = change(schema, { a: { drop: true } }).schema;
    const declared = change(schema, { a: type });
    expect(declared.builds).toEqual([]);
    schema = declared.schema;
    const column = columnOf(schema, "a");
    expect(seen.has(column)).toBe(false);
    seen.add(column);
    expect(columnOwners(schema).get(column)?.name).toBe("a");
    expect(change(schema, { a: type }).schema).toBe(schema);
    expect(columnOf(change(schema, { a: { type, filterable: false } }).schema, "a")).toBe(column);
  }
  expect([...seen]).toEqual(["a", "$1:a", "$2:a", "$3:a"]);
});

test("an attribute that documents show has a column of its own, too", () => {
  const { schema } = change(FIRST, {
    a: { drop: true },
    vector: { drop: true },
    e: { drop: true },
  });
  const column = { values: ["x"], integersOnly: false };
  const loose = {
    count: 1,
    layout: "rows",
    ids: { values: [1], integersOnly: true },
    attributes: new Map<string, LooseColumn>([
      ["a", column],
      ["v", { values: [Float32Array.of(1, 2, 3, 4)], integersOnly: false }],
    ]),
  } as const;
  const options = { schema, isNewNamespace: false, distanceMetric: undefined };
  const bound = runSteps(bindUpserts(loose, options));
  expect(columnOf(bound.schema, "a")).toBe("$3:a");
  expect(bound.schema.dropCount).toBe(3);
});

test("without its last vector a namespace has no metric", () => {
  const gone = { vector: { drop: true }, v: { drop: true }, e: { drop: true } };
  expect(change(FIRST, gone).schema.distanceMetric).toBeUndefined();
  expect(change(FIRST, { vector: { drop: true } }).schema.distanceMetric).toBe("cosine_distance");
});

test.each<[string, object, string, string]>([
  ["id", { id: { drop: true } }, "invalid", "`id` cannot be dropped"],
  ["what is not there", { b: { drop: true } }, "invalid", "there is no such attribute to drop"],
  ["a misspelt name", { vectr: { drop: true } }, "invalid", "did you mean 'vector'?"],
  ["false", { a: { drop: false } }, "invalid", "💔 schema.a.drop must be true, was false"],
  ["text", { a: { drop: "yes" } }, "malformed", "schema.a.drop: invalid type: string"],
  ["a type beside it", { a: { drop: true, type: "int" } }, "invalid", "was sent with `type`"],
  ["an option beside it", { a: { filterable: true, drop: true } }, "invalid", "`filterable`"],
  [
    "a vector that is filled",
    { v: { drop: true } },
    "invalid",
    "drop 'e', too, or set its `embed`",
  ],
])("%s cannot be dropped", (_, schema, code, message) => {
  const fault = faultOf(() => change(FIRST, schema));
  expect(fault.code).toBe(code);
  expect(fault.message).toContain(message);
});

test("a vector cannot come back as one, but as anything else", () => {
  const { schema } = change(FIRST, { vector: { drop: true } });
  expect(change(schema, { vector: "string" }).schema.attributes.has("vector")).toBe(true);
  const again = { vector: { type: "[2]f32", ann: true } };
  expect(faultOf(() => change(schema, again)).message).toContain(
    "vector attributes can only be added by the write that creates the namespace",
  );
});
