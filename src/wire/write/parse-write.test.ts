import { describe, expect, test } from "vitest";
import { listedDocuments } from "../../../test/support/documents/loose-json.ts";
import { DatabaseError } from "../../base/errors.ts";
import { runSteps } from "../../base/steps.ts";
import { parseAttributeType } from "../../model/attribute-type.ts";
import type { LooseColumn, WriteRequest } from "../../model/write-request.ts";
import { WriteBodyParser } from "./parse-write.ts";

function parse(body: unknown, types: Record<string, string> = {}, chunkBytes = 0): WriteRequest {
  const typeOf = (name: string) =>
    Object.hasOwn(types, name) ? parseAttributeType(types[name]) : undefined;
  const parser = new WriteBodyParser({ typeOf });
  const bytes = new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
  const step = chunkBytes === 0 ? bytes.length : chunkBytes;
  for (let at = 0; at < bytes.length; at += step)
    runSteps(parser.push(bytes.subarray(at, at + step)));
  return runSteps(parser.finish());
}

function fault(body: unknown): string {
  try {
    parse(body);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    return `${error.code}: ${error.message}`;
  }
  return "accepted";
}

const column = (request: WriteRequest, name: string) =>
  listedDocuments(request.upserts)?.attributes.get(name);
const base64 = (...values: number[]) =>
  Buffer.from(Float32Array.from(values).buffer).toString("base64");

const EMPTY: WriteRequest = {
  deleteByFilterAllowPartial: false,
  patchByFilterAllowPartial: false,
  returnAffectedIds: false,
  disableBackpressure: false,
  bodyBytes: 2,
};

describe("documents as rows", () => {
  test("values are gathered by attribute, null where one is missing", () => {
    const request = parse({
      upsert_rows: [
        { id: 1, name: "a", n: 5, vector: [1, 2] },
        { n: null, id: 2, ok: true, vector: base64(3, 4) },
        { id: 3, tags: ["x", "y"], sparse: { a: 1 }, n: 2 ** 53 },
      ],
    });
    expect(listedDocuments(request.upserts)).toEqual({
      count: 3,
      layout: "rows",
      ids: { values: [1, 2, 3], integersOnly: true },
      attributes: new Map<string, LooseColumn>([
        ["name", { values: ["a", null, null], integersOnly: true }],
        ["n", { values: [5, null, 2n ** 53n], integersOnly: true }],
        [
          "vector",
          { values: [Float32Array.of(1, 2), Float32Array.of(3, 4), null], integersOnly: true },
        ],
        ["ok", { values: [null, true, null], integersOnly: true }],
        ["tags", { values: [null, null, ["x", "y"]], integersOnly: true }],
        ["sparse", { values: [null, null, new Map([["a", 1n]])], integersOnly: true }],
      ]),
    });
  });

  test("integers become bigints once a column has a fraction", () => {
    const request = parse('{"upsert_rows":[{"id":1,"n":1},{"id":2,"n":1.0},{"id":3,"n":7}]}');
    expect(column(request, "n")).toEqual({ values: [1n, 1, 7n], integersOnly: false });
  });

  test("a float attribute keeps plain numbers", () => {
    const request = parse('{"upsert_rows":[{"id":1,"n":1},{"id":2,"n":1.5}]}', { n: "float" });
    expect(column(request, "n")).toEqual({ values: [1, 1.5], integersOnly: false });
  });

  test("ids are exact over the whole range of 64 bits, or strings", () => {
    const ids = ["0", "9007199254740993", "18446744073709551615", '"x"', '""'];
    const request = parse(`{"upsert_rows":[${ids.map((id) => `{"id":${id}}`).join(",")}]}`);
    expect(request.upserts?.ids.values).toEqual([
      0,
      9_007_199_254_740_993n,
      18_446_744_073_709_551_615n,
      "x",
      "",
    ]);
  });

  test("arrays of numbers become vectors where the schema says so", () => {
    const long = Array.from({ length: 12 }, (_, i) => i);
    const body = { upsert_rows: [{ id: 1, e: long, f: long, e2: "AAAA" }] };
    const request = parse(body, { e: "[12]f16", e2: "[12]f32" });
    expect(column(request, "e")?.values).toEqual([Float32Array.from(long)]);
    expect(column(request, "f")?.values).toMatchObject([{ values: Float64Array.from(long) }]);
    // No whole number of floats: kept for the binding to refuse.
    expect(column(request, "e2")?.values).toEqual(["AAAA"]);
  });

  test("a schema in the body counts as a hint from where it stands on", () => {
    const rows = [{ id: 1, e: [1, 2] }];
    const before = parse({ schema: { e: { type: "[2]f32", ann: true } }, upsert_rows: rows });
    expect(column(before, "e")?.values).toEqual([Float32Array.of(1, 2)]);
    const after = parse({ upsert_rows: rows, schema: { e: "[2]f32" } });
    expect(column(after, "e")?.values).toEqual([[1n, 2n]]);
  });

  test("base64 may have its slashes escaped", () => {
    const request = parse(
      '{"upsert_rows":[{"id":1,"vector":"AACA\\/w=="},{"id":2,"vector":"a\\""}]}',
    );
    expect(column(request, "vector")?.values).toEqual(["AACA/w==", 'a"']);
  });

  test("nested arrays become several vectors", () => {
    const request = parse({
      upsert_rows: [
        {
          id: 1,
          m: [
            [1, 2],
            [3, 4],
          ],
        },
        { id: 2, m: [] },
      ],
    });
    expect(column(request, "m")?.values).toEqual([
      [Float32Array.of(1, 2), Float32Array.of(3, 4)],
      [],
    ]);
  });

  test("patches tell a null from an attribute that is not named", () => {
    const request = parse({
      patch_rows: [
        { id: 1, a: null, b: 1 },
        { id: 2, b: 2 },
        { id: 3, a: 3, b: 3 },
      ],
    });
    expect(request.patches?.attributes.get("a")).toEqual({
      values: [null, null, 3],
      integersOnly: true,
      given: Uint8Array.of(0b101),
    });
    expect(listedDocuments(request.patches)?.attributes.get("b")).toEqual({
      values: [1, 2, 3],
      integersOnly: true,
    });
  });

  test("names of the prototype chain are names like any other", () => {
    const body = '{"upsert_rows":[{"id":1,"__proto__":1,"constructor":2,"toString":3}]}';
    expect([...(parse(body).upserts?.attributes.keys() ?? [])]).toEqual([
      "__proto__",
      "constructor",
      "toString",
    ]);
  });
});

describe("documents as columns", () => {
  test("columns come in any order", () => {
    const request = parse({ upsert_columns: { n: [1, null], id: ["a", "b"], t: [["x"], []] } });
    expect(request.upserts).toEqual({
      count: 2,
      layout: "columns",
      ids: { values: ["a", "b"], integersOnly: true },
      attributes: new Map<string, LooseColumn>([
        ["n", { values: [1, null], integersOnly: true }],
        ["t", { values: [["x"], []], integersOnly: true }],
      ]),
    });
  });

  const flat = Array.from({ length: 600 }, (_, i) => i / 8);
  test.each<[string, unknown]>([
    ["an array of arrays", [flat.slice(0, 300), flat.slice(300)]],
    ["an array of base64", [base64(...flat.slice(0, 300)), base64(...flat.slice(300))]],
    ["one flat array", flat],
    ["one base64 string", base64(...flat)],
  ])("vectors may be %s", (_, vector) => {
    const expected = [Float32Array.from(flat.slice(0, 300)), Float32Array.from(flat.slice(300))];
    for (const chunkBytes of [0, 37]) {
      const request = parse({ upsert_columns: { vector, id: [1, 2] } }, {}, chunkBytes);
      expect(column(request, "vector")?.values).toEqual(expected);
    }
  });

  test("no columns at all are no documents", () => {
    for (const upsert_columns of [{}, { id: [], vector: [] }]) {
      expect(parse({ upsert_columns, schema: {} }).upserts?.count).toBe(0);
    }
  });
});

describe("other members", () => {
  test("null and unknown members count as absent", () => {
    const names = ["upsert_rows", "patch_columns", "deletes", "schema", "encryption"];
    const body = Object.fromEntries([...names, "upsert_condition"].map((name) => [name, null]));
    const rest = { create_namespace: true, other: [{ a: [1] }] };
    const expected = { ...EMPTY, createNamespace: true };
    expect({ ...parse({ ...body, ...rest }), bodyBytes: 2 }).toEqual(expected);
  });

  test("empty lists are legal beside something to do, and still count as operations", () => {
    const request = parse({ upsert_rows: [], patch_rows: [], deletes: [], schema: {} });
    expect(request.upserts?.count).toBe(0);
    expect(request.patches?.count).toBe(0);
    expect(request.deletes?.values).toEqual([]);
  });

  test("all of a write at once, whatever the order", () => {
    const request = parse({
      upsert_condition: ["v", "Lt", { $ref_new: "v" }],
      patch_condition: ["id", "Eq", null],
      delete_condition: ["a", "Eq", 1],
      deletes: [1, "x"],
      delete_by_filter: ["a", "Eq", 1],
      delete_by_filter_allow_partial: true,
      patch_by_filter: { filters: ["a", "Eq", 2], patch: { b: 3 } },
      patch_by_filter_allow_partial: true,
      return_affected_ids: true,
      upsert_rows: [{ id: 2 }],
      patch_rows: [{ id: 3 }],
      distance_metric: "cosine_distance",
      schema: { a: "uint" },
      sharding: { num_shards: 4 },
      encryption: { mode: "customer-managed", key_name: "k" },
    });
    expect(request).toMatchObject({
      deletes: { values: [1, "x"] },
      upsertCondition: { operand: { kind: "ref_new", attribute: "v" } },
      patchCondition: { attribute: "id" },
      deleteCondition: { attribute: "a" },
      deleteByFilter: { operator: "Eq" },
      deleteByFilterAllowPartial: true,
      patchByFilter: { filter: { attribute: "a" }, patch: new Map([["b", 3n]]) },
      patchByFilterAllowPartial: true,
      returnAffectedIds: true,
      distanceMetric: "cosine_distance",
      schema: new Map([["a", "uint"]]),
      shardCount: 4,
      encryption: { kind: "customer_managed", keyName: "k" },
    });
  });

  test.each<[object, object]>([
    [{ encryption: { mode: "default" } }, { encryption: { kind: "default" } }],
    [
      { encryption: { cmek: { key_name: "k" } } },
      { encryption: { kind: "customer_managed", keyName: "k" } },
    ],
    [{ copy_from_namespace: "src" }, { copyFrom: { kind: "copy", namespace: "src" } }],
    [
      {
        copy_from_namespace: {
          source_namespace: "src",
          source_api_key: "key",
          source_region: "r",
          dest_encryption: { mode: "default" },
        },
        return_affected_ids: false,
      },
      {
        copyFrom: { kind: "copy", namespace: "src", region: "r" },
        encryption: { kind: "default" },
      },
    ],
    [
      { copy_from_namespace: "src", sharding: { num_shards: 256 } },
      { copyFrom: { kind: "copy", namespace: "src" }, shardCount: 256 },
    ],
    [
      { branch_from_namespace: { source_namespace: "src" } },
      { copyFrom: { kind: "branch", namespace: "src" } },
    ],
    [{ branch_from_namespace: "src" }, { copyFrom: { kind: "branch", namespace: "src" } }],
    [
      { disable_backpressure: true, upsert_rows: [{ id: 1 }], deletes: [2] },
      { disableBackpressure: true },
    ],
  ])("%j", (body, expected) => {
    expect(parse(body)).toMatchObject(expected);
  });
});

describe("faults", () => {
  const rows = [{ id: 1 }];
  test.each<[unknown, string]>([
    ["", "invalid: Failed to parse the request body as JSON"],
    ["{", "invalid: Failed to parse the request body as JSON"],
    ["{} x", "invalid: Failed to parse the request body as JSON"],
    ['{"deletes":[1],"deletes":[2]}', "invalid: Failed to parse"],
    ["[]", "malformed: "],
    [{ upsert_rows: {} }, "upsert_rows: invalid type: map, expected a sequence"],
    [{ upsert_rows: [3] }, "upsert_rows[0]: invalid type: integer `3`"],
    [{ upsert_rows: [{ a: 1 }] }, "upsert_rows[0]: missing field `id`"],
    [{ upsert_rows: [...rows, {}] }, "upsert_rows[1]: missing field `id`"],
    ...["-1", "1.0", "1e3", "true", "null", "{}", "[1]", "18446744073709551616"].map(
      (id): [string, string] => [
        `{"upsert_rows":[{"id":${id}}]}`,
        "target type: upsert_rows[0].id: data did not match any variant of untagged enum Id at",
      ],
    ),
    [{ upsert_columns: [] }, "upsert_columns: invalid type: sequence, expected a map"],
    [{ upsert_columns: { id: 1 } }, "data did not match any variant of untagged enum IdVec"],
    [{ upsert_columns: { id: [null] } }, "data did not match any variant of untagged enum IdVec"],
    [{ upsert_columns: { id: [1], a: 1 } }, "upsert_columns.a: invalid type: integer `1`"],
    [{ upsert_columns: { a: [1] } }, "invalid: 💔 upsert_columns: missing column `id`"],
    [
      { upsert_columns: { id: [1, 2], a: [1] } },
      "invalid: 💔 upsert_columns: all columns must have the same length",
    ],
    [{ upsert_columns: { id: [1, 2], vector: [1, 2, 3] } }, "invalid: 💔 upsert_columns.vector"],
    [{ upsert_columns: { id: [1], vector: "*" } }, "invalid: 💔 upsert_columns.vector"],
    [{ upsert_columns: { id: [], vector: [1] } }, "invalid: 💔 upsert_columns.vector"],
    [{ deletes: true }, "deletes: data did not match any variant of untagged enum IdVec"],
    [{ deletes: {} }, "deletes: data did not match any variant of untagged enum IdVec"],
    [{ deletes: [1, -1] }, "data did not match any variant of untagged enum IdVec"],
    [{ upsert_rows: rows, upsert_columns: { id: [1] } }, "invalid: 💔 cannot specify both"],
    [{ upsert_rows: [{ id: 1, m: [[1, "x"]] }] }, "upsert_rows[0].m[0][1]: invalid type"],
    [{ upsert_condition: ["a", "Eq", 1] }, "invalid: 💔 upsert_condition requires upsert_rows"],
    [{ patch_condition: ["a", "Eq", 1], upsert_rows: rows }, "invalid: 💔 patch_condition"],
    [
      { delete_condition: ["a", "Eq", 1], delete_by_filter: ["a", "Eq", 1] },
      "invalid: 💔 delete_condition requires deletes",
    ],
    [{ delete_by_filter: ["a", "Is", 1] }, 'delete_by_filter[1]: unknown operator "Is"'],
    [{ delete_by_filter: ["a", "Eq", { $ref_new: "a" }] }, "invalid: 💔 delete_by_filter[2]"],
    [{ patch_by_filter: {} }, "patch_by_filter: missing field `filters`"],
    [{ patch_by_filter: { filters: ["a", "Eq", 1] } }, "patch_by_filter: missing field `patch`"],
    [
      { patch_by_filter: { filters: ["a", "Eq", 1], patch: { id: 1 } } },
      "invalid: 💔 patch_by_filter.patch: `id` cannot be patched",
    ],
    [{ return_affected_ids: 1 }, "return_affected_ids: invalid type: integer `1`"],
    [{ delete_by_filter_allow_partial: "true" }, "malformed: "],
    [
      { distance_metric: "bad" },
      "distance_metric: unknown variant `bad`, expected one of `Unknown`, `euclidean_squared`, " +
        "`cosine_distance`, `euclidean`, `Query`",
    ],
    [{ distance_metric: "euclidean" }, "invalid: 💔 distance_metric euclidean is not supported"],
    [{ distance_metric: 3 }, "malformed: "],
    [{ schema: [] }, "malformed: "],
    [{ schema: { a: 3 } }, "schema.a: data did not match any variant of untagged enum Attribute"],
    [{ encryption: {} }, "encryption: missing field `mode`"],
    [{ encryption: { mode: "customer-managed" } }, "encryption: missing field `key_name`"],
    [{ encryption: { cmek: {} } }, "encryption.cmek: missing field `key_name`"],
    [{ encryption: { mode: "x" } }, "encryption.mode: unknown variant `x`"],
    [{ sharding: {} }, "sharding: missing field `num_shards`"],
    [{ sharding: { num_shards: 0 } }, "invalid: 💔 sharding.num_shards must be between 1 and 256"],
    [{ sharding: { num_shards: 257 } }, "invalid: "],
    [{ sharding: { num_shards: "4" } }, "malformed: "],
    [{ copy_from_namespace: 3 }, "malformed: "],
    [{ copy_from_namespace: {} }, "copy_from_namespace: missing field `source_namespace`"],
    [{ copy_from_namespace: "a/b" }, "invalid: 💔 copy_from_namespace: Namespace contains"],
    [
      { copy_from_namespace: "src", upsert_rows: rows },
      "invalid: 💔 copy_from_namespace cannot be used with other write request fields",
    ],
    [
      { copy_from_namespace: "src", schema: {} },
      "invalid: 💔 copy_from_namespace cannot be used with other write request fields",
    ],
    [{ branch_from_namespace: "src", encryption: { mode: "default" } }, "invalid: "],
    [{ branch_from_namespace: "src", copy_from_namespace: "src" }, "invalid: "],
    [{ disable_backpressure: true, delete_by_filter: ["a", "Eq", 1] }, "invalid: "],
    [{ disable_backpressure: true, patch_rows: rows }, "invalid: "],
    [
      { disable_backpressure: true, upsert_rows: rows, upsert_condition: ["a", "Eq", 1] },
      "invalid: ",
    ],
    [
      {
        upsert_rows: [
          { id: 1, ...Object.fromEntries(Array.from({ length: 1025 }, (_, i) => [`a${i}`, 1])) },
        ],
      },
      "invalid: 💔 a namespace may have at most 1024 attributes",
    ],
  ])("%.100j is refused", (body, text) => {
    expect(fault(body)).toContain(text);
  });

  test("documents that leave out most attributes are bounded by what they cost", () => {
    const wide = Object.fromEntries(Array.from({ length: 1024 }, (_, i) => [`a${i}`, 1]));
    const rows = Array.from({ length: 100_000 }, (_, id) => ({ id }));
    expect(fault({ upsert_rows: [{ id: 0, ...wide }, ...rows] })).toContain(
      "too_large: 💔 a write may have at most 100000000 values",
    );
  });

  test("a fault says where it is", () => {
    const text = fault('{"upsert_rows":[{"id":1},\n {"id":2,"vector":[1,"x"]}]}');
    expect(text).toContain('upsert_rows[1].vector[1]: invalid type: string "x", expected a number');
    expect(text).toContain("at line 2 column");
  });
});
