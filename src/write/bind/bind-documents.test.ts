import { expect, test } from "vitest";
import {
  Decimal,
  faultOf,
  jsonObject,
  looseRows,
} from "../../../test/support/documents/loose-json.ts";
import { countSteps } from "../../../test/support/queries/count-steps.ts";
import { runSteps } from "../../base/steps.ts";
import { columnValue, idAt } from "../../codec/columns-value.ts";
import { formatAttributeType } from "../../model/attribute-type.ts";
import { ATTRIBUTE_VALUE_BYTES_MAX, DOCUMENT_BYTES_MAX } from "../../model/contract-limits.ts";
import { EMPTY_SCHEMA, type Schema } from "../../model/schema.ts";
import { mergeSchema } from "../schema/merge-schema.ts";
import { type BindOptions, bindFilterPatch, bindPatches, bindUpserts } from "./bind-documents.ts";

const UUID = "0123abcd-0123-4567-89ab-0123456789ab";

function schemaOf(declared: object, metric?: "cosine_distance"): Schema {
  return mergeSchema(EMPTY_SCHEMA, {
    declared: jsonObject(declared),
    path: "schema",
    distanceMetric: metric,
    isNewNamespace: true,
    dimensionsOf: () => undefined,
  });
}

function context(schema: Schema, options: Partial<BindOptions> = {}): BindOptions {
  return { schema, isNewNamespace: true, distanceMetric: "cosine_distance", ...options };
}

function bindRows(rows: Record<string, unknown>[], declared: object = {}) {
  return runSteps(bindUpserts(looseRows(rows), context(schemaOf(declared, "cosine_distance"))));
}

/** All values of one attribute. */
function valuesOf(rows: unknown[], type: string): unknown[] {
  const declared = { a: /^\[\d+\]/.test(type) ? { type, ann: true } : type };
  const { documents } = bindRows(
    rows.map((a, id) => ({ id, a })),
    declared,
  );
  const column = documents.attributes.get("a");
  return rows.map((_, i) => (column ? columnValue(column, i) : null));
}

test.each<[string, unknown[], unknown[]]>([
  ["string", ["a", null, "é🦊", ""], ["a", null, "é🦊", ""]],
  ["int", [1, -5, null, 2 ** 40, -(2 ** 52)], [1n, -5n, null, 2n ** 40n, -(2n ** 52n)]],
  ["int", [2n ** 63n - 1n, -(2n ** 63n)], [2n ** 63n - 1n, -(2n ** 63n)]],
  ["uint", [0, 2n ** 64n - 1n, 2 ** 53], [0n, 2n ** 64n - 1n, 2n ** 53n]],
  ["float", [1, 0.5, null, -0.25], [1, 0.5, null, -0.25]],
  ["float", [1, 2, 3], [1, 2, 3]],
  ["bool", [true, false, null], [true, false, null]],
  ["uuid", [UUID.toUpperCase(), `{${UUID}}`, `urn:uuid:${UUID}`], [UUID, UUID, UUID]],
  [
    "datetime",
    ["1970-01-01", "1970-01-01T01:00:00+01:00", null, "1969-12-31T23:59:59.999Z"],
    [0n, 0n, null, -1n],
  ],
  ["bytes", ["AAEC", "", null], [Uint8Array.of(0, 1, 2), Uint8Array.of(), null]],
  ["[]string", [["a", ""], [], null], [["a", ""], [], null]],
  ["[]int", [[1, -1], [], [2n ** 62n]], [[1n, -1n], [], [2n ** 62n]]],
  ["[]int", [Float64Array.of(1, 2, 3), [4]], [[1n, 2n, 3n], [4n]]],
  ["[]float", [[1, 0.5], Float64Array.of(1, 2), Float64Array.of(0.25)], [[1, 0.5], [1, 2], [0.25]]],
  ["[]bool", [[true], [false, true]], [[true], [false, true]]],
  ["[]uuid", [[UUID.toUpperCase()]], [[UUID]]],
  ["[]datetime", [["1970-01-02"]], [[86_400_000n]]],
  [
    "{}f16",
    [{ b: 0.5, a: 1 }, {}, null],
    [
      { names: ["a", "b"], weights: Float32Array.of(1, 0.5) },
      { names: [], weights: Float32Array.of() },
      null,
    ],
  ],
  [
    "[2]f32",
    [[0.7, 1], Float32Array.of(1, 2), Float64Array.of(3, 4), "AACAPwAAAEA="],
    [Float32Array.of(0.7, 1), Float32Array.of(1, 2), Float32Array.of(3, 4), Float32Array.of(1, 2)],
  ],
  ["[1]f16", [[0.123456789]], [Float32Array.of(0.12347412109375)]],
  [
    "[2]i8",
    [[-128, 127], Float32Array.of(1, -1)],
    [Float32Array.of(-128, 127), Float32Array.of(1, -1)],
  ],
  [
    "[][2]f32",
    [
      [
        [1, 2],
        [3, 4],
      ],
      [Float32Array.of(5, 6)],
      ["AACAPwAAAEA="],
    ],
    [
      [Float32Array.of(1, 2), Float32Array.of(3, 4)],
      [Float32Array.of(5, 6)],
      [Float32Array.of(1, 2)],
    ],
  ],
])("%s values are bound", (type, sent, expected) => {
  expect(valuesOf(sent, type)).toEqual(expected);
});

test.each<[unknown[], string | undefined]>([
  [["a"], "string"],
  [[1], "int"],
  [[2n ** 60n], "int"],
  [[true], "bool"],
  [[null, "a"], "string"],
  [[null], undefined],
  [[["a"]], "[]string"],
  [[[1]], "[]int"],
  [[[true]], "[]bool"],
  [[[]], "[]unknown"],
  [[null, [], ["a"]], "[]string"],
  [[Float64Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9)], "[]int"],
  [[[[1, 2]]], "[][2]f32"],
  [[[Float64Array.of(1, 2, 3)]], "[][3]f32"],
  [[UUID], "string"],
  [["2026-01-01"], "string"],
])("attributes of case %# get their type from the values", (values, expected) => {
  const { schema } = bindRows(values.map((a, id) => ({ id, a })));
  const type = schema.attributes.get("a")?.type;
  expect(type && formatAttributeType(type)).toBe(expected);
});

test("the name vector infers f32 with an index, from any spelling", () => {
  for (const vector of [[1, 2], Float32Array.of(1, 2), "AACAPwAAAEA=", Float64Array.of(1, 2)]) {
    const { schema } = bindRows([{ id: 1, vector }]);
    expect(schema.distanceMetric).toBe("cosine_distance");
    expect(schema.attributes.get("vector")).toEqual({
      type: { kind: "vector", dimensions: 2, element: "f32" },
      filterable: false,
      ann: { distanceMetric: "cosine_distance", lateInteraction: false },
    });
  }
});

test("empty arrays get their element type from the first write that has elements", () => {
  const first = bindRows([{ id: 1, a: [] }]);
  const next = runSteps(bindUpserts(looseRows([{ id: 2, a: [1] }]), context(first.schema)));
  expect(next.schema.attributes.get("a")?.type).toEqual({ kind: "array", of: "int" });
  const same = runSteps(bindUpserts(looseRows([{ id: 2, a: [] }]), context(next.schema)));
  expect(same.schema).toBe(next.schema);
});

test("ids keep the type of the namespace, and an empty list says nothing about it", () => {
  const ids = (rows: Record<string, unknown>[], declared = {}) => {
    const { documents } = bindRows(rows, declared);
    return rows.map((_, i) => idAt(documents.ids, i));
  };
  expect(ids([{ id: 1 }, { id: 2n ** 64n - 1n }])).toEqual([1n, 2n ** 64n - 1n]);
  expect(ids([{ id: "a" }, { id: "" }, { id: UUID }])).toEqual(["a", "", UUID]);
  expect(ids([{ id: UUID.toUpperCase() }], { id: "uuid" })).toEqual([UUID]);
  expect(bindRows([]).schema.idType).toBeUndefined();
  expect(bindRows([{ id: 1 }]).schema.idType).toBe("uint");
});

const HUGE = "x".repeat(8 * 1024 * 1024 + 1);

test.each<[string, Record<string, unknown>, object, string, string]>([
  ["float without a declaration", { a: 0.5 }, {}, "invalid", "signed 64-bit integer"],
  ["whole decimal in int", { a: new Decimal(1) }, { a: "int" }, "invalid", "upsert_rows[1].a"],
  ["floats in an array", { a: [0.5] }, {}, "invalid", "signed 64-bit integer"],
  [
    "string in int",
    { a: "x" },
    { a: "int" },
    "invalid",
    "💔 invalid value for attribute 'a' at upsert_rows[1].a: " +
      'expected int (a signed 64-bit integer), but got string "x"',
  ],
  ["int too large", { a: 2n ** 63n }, { a: "int" }, "invalid", "expected int"],
  ["negative uint", { a: -1 }, { a: "uint" }, "invalid", "expected uint"],
  ["bool in float", { a: true }, { a: "float" }, "invalid", "expected float"],
  ["number in bool", { a: 1 }, { a: "bool" }, "invalid", "expected bool"],
  ["number in string", { a: 1 }, { a: "string" }, "invalid", "expected string"],
  ["bad uuid", { a: "x" }, { a: "uuid" }, "invalid", "expected uuid"],
  ["bad datetime", { a: "tomorrow" }, { a: "datetime" }, "invalid", "ISO 8601"],
  ["number as datetime", { a: 5 }, { a: "datetime" }, "invalid", "ISO 8601"],
  ["bad base64", { a: "a*" }, { a: "bytes" }, "invalid", "base64"],
  ["scalar in array", { a: "x" }, { a: "[]string" }, "invalid", "expected an array"],
  ["null element", { a: ["x", null] }, { a: "[]string" }, "malformed", "must not be null"],
  ["mixed elements", { a: [1, "x"] }, { a: "[]int" }, "malformed", "upsert_rows[1].a[1]"],
  ["element type", { a: ["y", "x"] }, { a: "[]int" }, "invalid", "upsert_rows[1].a[0]"],
  ["array in string", { a: ["x"] }, { a: "string" }, "invalid", "expected string"],
  ["object without a type", { a: { b: 1 } }, {}, "invalid", "{}f16"],
  ["array of objects", { a: [{ b: 1 }] }, {}, "invalid", "array of objects"],
  ["sparse weight", { a: { b: "x" } }, { a: "{}f16" }, "invalid", 'weight of "b" is no number'],
  ["sparse range", { a: { b: 70000 } }, { a: "{}f16" }, "invalid", "out of range of f16"],
  [
    "sparse entries",
    { a: Object.fromEntries(Array.from({ length: 1025 }, (_, i) => [`${i}`, 1])) },
    { a: "{}f16" },
    "invalid",
    "at most 1024",
  ],
  [
    "long filterable string",
    { a: "x".repeat(4097) },
    { a: "string" },
    "invalid",
    "a filterable value has at most 4096",
  ],
  [
    "long filterable element",
    { a: ["x".repeat(4097)] },
    { a: "[]string" },
    "invalid",
    "upsert_rows[1].a[0]",
  ],
  [
    "huge string",
    { a: HUGE },
    { a: { type: "string", filterable: false } },
    "invalid",
    "at most 8388608 bytes",
  ],
  [
    "huge array",
    { a: [HUGE.slice(5), "123456789"] },
    { a: { type: "[]string", filterable: false } },
    "invalid",
    "at most 8388608 bytes",
  ],
  // Its length alone is looked at, not whether it is base64.
  ["huge base64", { a: "*".repeat(11_184_815) }, { a: "bytes" }, "invalid", "8388611 bytes long"],
  ["name with a dollar", { $a: 1 }, {}, "invalid", "must not start with `$`"],
])("%s is refused", (_name, row, declared, code, text) => {
  const fault = faultOf(() => bindRows([{ id: 1 }, { id: 2, ...row }], declared));
  expect(fault.message).toContain(text);
  expect(fault.code).toBe(code);
});

const F32 = { vector: { type: "[2]f32", ann: true } };
const F16 = { vector: { type: "[2]f16", ann: true } };
const I8 = { vector: { type: "[2]i8", ann: true } };

test.each<[string, unknown, object, string]>([
  ["missing", undefined, F32, "must have a vector"],
  ["null", null, F32, "must have a vector"],
  ["empty", [], F32, "must have a vector"],
  ["too long", [1, 2, 3], F32, "the vector has 3 dimensions, the attribute has 2 dimensions"],
  ["no number", [1, "x"], F32, "element 1 of the vector is no number"],
  ["null element", [1, null], F32, "element 1 of the vector is no number"],
  ["out of range", [1, 1e39], F32, "out of range of f32"],
  ["out of f16 range", [1, 65520], F16, "out of range of f16"],
  ["fraction in i8", [1, 0.5], I8, "is 0.5, i8 takes integers from -128 to 127"],
  ["out of i8 range", [1, 128], I8, "is 128, i8 takes integers"],
  ["NaN in base64", "AADAfwAAAEA=", F32, "not a number"],
  ["short base64", "AACAPw==", F32, "1 dimensions"],
  ["odd base64", "AACA", F32, "multiple of the 4 bytes"],
  ["bad base64", "AACAPwAAAE-=", F32, "invalid base64"],
  ["a number", 5, F32, "a vector of 2 numbers"],
])("a vector that is %s is refused", (_name, vector, declared, text) => {
  const rows = [{ id: 1, vector: [1, 2] }, vector === undefined ? { id: 2 } : { id: 2, vector }];
  const fault = faultOf(() => bindRows(rows, declared));
  expect(fault.message).toContain(text);
  expect(fault.message).toContain("upsert_rows[1].vector");
});

test("every upsert needs every vector of the schema", () => {
  expect(faultOf(() => bindRows([{ id: 1, a: 1 }], F32)).message).toContain(
    "vector attribute 'vector'",
  );
  const declared = { m: "[][2]f32" };
  for (const m of [null, [], 5]) {
    expect(faultOf(() => bindRows([{ id: 1, m }], declared)).message).toContain("[][2]f32");
  }
});

test("a namespace without vectors takes none later", () => {
  const schema = schemaOf({ a: "int" });
  const late = context(schema, { isNewNamespace: false });
  for (const value of [{ vector: [1, 2] }, { b: [[1, 2]] }]) {
    expect(
      faultOf(() => runSteps(bindUpserts(looseRows([{ id: 1, ...value }]), late))).message,
    ).toBe("💔 Vector provided for namespace without vector attribute");
  }
});

test("an inferred vector needs a metric", () => {
  const bare = context(EMPTY_SCHEMA, { distanceMetric: undefined });
  expect(
    faultOf(() => runSteps(bindUpserts(looseRows([{ id: 1, vector: [1] }]), bare))).message,
  ).toBe(
    "💔 distance_metric must be specified for write to namespace with a vector; add " +
      '"distance_metric": "cosine_distance" or "euclidean_squared" beside the documents',
  );
});

test.each<[string, unknown, object, string, string]>([
  [
    "string in uint",
    "x",
    { id: "uint" },
    "invalid",
    "💔 namespace ID type is uint, but you sent string; " +
      "you are not allowed to mix ID types in the same namespace",
  ],
  [
    "uint in string",
    5,
    { id: "string" },
    "invalid",
    "💔 namespace ID type is string, but you sent uint;",
  ],
  [
    "uint in uuid",
    5,
    { id: "uuid" },
    "invalid",
    "💔 namespace ID type is uuid, but you sent uint;",
  ],
  [
    "bad uuid",
    "x",
    { id: "uuid" },
    "invalid",
    "💔 namespace ID type is uuid, but a written ID could not be parsed as uuid",
  ],
  [
    "negative",
    -1,
    {},
    "malformed",
    "upsert_rows[0].id: data did not match any variant of untagged enum Id",
  ],
  ["fraction", 0.5, {}, "malformed", "untagged enum Id"],
  ["bool", true, {}, "malformed", "untagged enum Id"],
  ["too large", 2n ** 64n, {}, "malformed", "untagged enum Id"],
  ["too long", "é".repeat(33), {}, "invalid", "66 bytes long"],
])("an id that is %s is refused", (_name, id, declared, code, text) => {
  const fault = faultOf(() => bindRows([{ id }], declared));
  expect(fault.message).toContain(text);
  expect(fault.code).toBe(code);
});

test("patches tell null from absent, and never touch vectors", () => {
  const schema = schemaOf({ ...F32, a: "int", t: "string" }, "cosine_distance");
  const rows = looseRows([{ id: 1, a: null }, { id: 2, t: "x" }, { id: 3 }]);
  const { given, documents } = runSteps(
    bindPatches(rows, context(schema, { isNewNamespace: false })),
  );
  expect(given.get("a")).toEqual(Uint8Array.of(0b001));
  expect(given.get("t")).toEqual(Uint8Array.of(0b010));
  expect(documents.attributes.has("a")).toBe(false);
  for (const [patch, known] of [
    [{ vector: null }, EMPTY_SCHEMA],
    [{ vector: [1, 2] }, schema],
  ] as const) {
    const refused = "💔 patching vectors is currently unsupported";
    const loose = looseRows([{ id: 1, ...patch }]);
    expect(faultOf(() => runSteps(bindPatches(loose, context(known)))).message).toBe(refused);
    const json = jsonObject(patch);
    expect(faultOf(() => runSteps(bindFilterPatch(json, context(known)))).message).toBe(refused);
  }
  const withId = jsonObject({ id: 1 });
  expect(faultOf(() => runSteps(bindFilterPatch(withId, context(schema)))).message).toContain(
    "`id`",
  );
});

test("a patch by filter infers types without saying anything about ids", () => {
  const bound = runSteps(
    bindFilterPatch(jsonObject({ a: 1, b: "x", c: null }), context(EMPTY_SCHEMA)),
  );
  expect(bound.schema.idType).toBeUndefined();
  expect([...bound.schema.attributes.keys()]).toEqual(["a", "b"]);
  expect(bound.documents.count).toBe(1);
  const fault = faultOf(() =>
    runSteps(bindFilterPatch(jsonObject({ a: "x" }), context(schemaOf({ a: "int" })))),
  );
  expect(fault.message).toContain("patch_by_filter.patch.a");
});

test("column layout is named in faults", () => {
  const loose = {
    ...looseRows([
      { id: 1, a: 1 },
      { id: 2, a: "x" },
    ]),
    layout: "columns" as const,
  };
  const fault = faultOf(() => runSteps(bindUpserts(loose, context(EMPTY_SCHEMA))));
  expect(fault.message).toContain("upsert_columns.a[1]");
});

test("a document over 64 MiB is refused", () => {
  const value = HUGE.slice(1);
  const declared: Record<string, unknown> = {};
  const row: Record<string, unknown> = { id: 1 };
  for (let i = 0; i < 9; i++) {
    declared[`a${i}`] = { type: "string", filterable: false };
    row[`a${i}`] = i < 8 ? value : "more";
  }
  expect(faultOf(() => bindRows([row], declared)).message).toContain("at most 67108864 bytes");
});

test("a document has at most 64 MiB", () => {
  const large = "x".repeat(ATTRIBUTE_VALUE_BYTES_MAX);
  const letters = [..."abcdefgh"];
  const full = Object.fromEntries(letters.map((letter) => [letter, large]));
  const declared = Object.fromEntries(
    [...letters, "i"].map((letter) => [letter, { type: "string", filterable: false }]),
  );
  expect(bindRows([{ id: 1, ...full }], declared).documents.count).toBe(1);
  const fault = faultOf(() => bindRows([{ id: 1 }, { id: 2, ...full, i: "x" }], declared));
  expect(fault.message).toContain("upsert_rows[1].id is 67108865 bytes large");
  expect(fault.message).toContain(`at most ${DOCUMENT_BYTES_MAX} bytes`);
});

test("many short columns are bound in steps", () => {
  const names = Array.from({ length: 500 }, (_, a) => `a${a}`);
  const row = Object.fromEntries(names.map((name) => [name, 1]));
  const rows = looseRows(Array.from({ length: 100 }, (_, id) => ({ id, ...row })));
  const { count, result } = countSteps(bindUpserts(rows, context(EMPTY_SCHEMA)));
  expect(result.documents.attributes.size).toBe(500);
  expect(count).toBeGreaterThanOrEqual(12);
});
