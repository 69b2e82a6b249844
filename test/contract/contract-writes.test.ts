/** Write requests on the wire: fields, conditions, counts, order of application, refusals. */

import { beforeAll, describe, expect, test } from "vitest";
import { contractServer, expectError } from "../support/servers/contract-server.ts";

const { write, call, documents, fresh } = contractServer("writes");

const COSINE = { distance_metric: "cosine_distance" };

/** Sends writes one after the other to a new namespace, and returns the last answer. */
async function writeAll(...bodies: unknown[]) {
  const name = fresh();
  let answer = await write(name, bodies[0]);
  for (const body of bodies.slice(1)) {
    expect(answer.status, answer.text).toBe(200);
    answer = await write(name, body);
  }
  return { name, answer };
}

const row = { upsert_rows: [{ id: 1 }] };
const key = (encryption_context: unknown) => {
  return { mode: "customer-managed", key_name: "mine", encryption_context };
};

describe("shapes", () => {
  const SHAPE = "Failed to deserialize the JSON body into the target type: ";
  const refusals: [name: string, body: unknown, status: number, ...parts: string[]][] = [
    ["no body", "", 400, "Failed to parse the request body as JSON: "],
    ["no JSON", "{x", 400, "Failed to parse the request body as JSON: ", "line 1 column 2"],
    ["trailing data", "{} x", 400, "Failed to parse the request body as JSON: ", "trailing"],
    ["a member twice", '{"deletes":[1],"deletes":[2]}', 400, "deletes: duplicate key"],
    ["an attribute twice", '{"upsert_rows":[{"id":1,"a":1,"a":2}]}', 400, "upsert_rows[0].a"],
    ["null", "null", 422, `${SHAPE}invalid type: null`],
    ["an array", [], 422, `${SHAPE}invalid type: sequence`],
    [
      "rows in an object",
      { upsert_rows: {} },
      422,
      `${SHAPE}upsert_rows: invalid type: map, expected a sequence at line 1 column `,
    ],
    ["a row that is a number", { upsert_rows: [1] }, 422, "upsert_rows[0]: invalid type: integer"],
    ["a row that is null", { patch_rows: [null] }, 422, "patch_rows[0]: invalid type: null"],
    ["columns in an array", { upsert_columns: [] }, 422, "upsert_columns: invalid type: sequence"],
    ["a column that is a number", { upsert_columns: { id: [1], a: 1 } }, 422, "upsert_columns.a"],
    ["unequal columns", { upsert_columns: { id: [1, 2], a: [1] } }, 400, "the same length"],
    ["rows and columns", { ...row, upsert_columns: { id: [2] } }, 400, "cannot specify both"],
    ["a flag that is text", { ...row, return_affected_ids: "yes" }, 422, "return_affected_ids: "],
    ["a flag that is a number", { ...row, disable_backpressure: 1 }, 422, "disable_backpressure"],
    [
      "an unknown metric",
      { ...row, distance_metric: "bad" },
      422,
      "distance_metric: unknown variant `bad`, expected one of `Unknown`, `euclidean_squared`, " +
        "`cosine_distance`, `euclidean`, `Query` at line 1 column ",
    ],
    ["euclidean", { ...row, distance_metric: "euclidean" }, 400, "euclidean_squared"],
    ["a metric that is a number", { ...row, distance_metric: 1 }, 422, "distance_metric: "],
    ["nothing but unknown fields", { upserts: [] }, 400, '"upserts"', '"upsert_rows"'],
    ["no filters to patch by", { patch_by_filter: { patch: {} } }, 422, "missing field `filters`"],
    [
      "no patch",
      { patch_by_filter: { filters: ["a", "Eq", 1] } },
      422,
      "patch_by_filter: missing field `patch`",
    ],
    ["shards that are no map", { ...row, sharding: 4 }, 422, "sharding: invalid type"],
    ["no number of shards", { ...row, sharding: {} }, 422, "sharding: missing field `num_shards`"],
    ["no shard", { ...row, sharding: { num_shards: 0 } }, 400, "between 1 and 256"],
    ["257 shards", { ...row, sharding: { num_shards: 257 } }, 400, "between 1 and 256"],
    ["an unknown mode", { ...row, encryption: { mode: "x" } }, 422, "encryption.mode: unknown"],
    ["no key's name", { ...row, encryption: { mode: "customer-managed" } }, 422, "`key_name`"],
    ["a context that is no map", { ...row, encryption: key(["a"]) }, 422, "encryption_context"],
    [
      "a context with a number",
      { ...row, encryption: key({ a: 1 }) },
      422,
      "encryption.encryption_context.a: invalid type",
    ],
    ["a reserved key", { ...row, encryption: key({ "tpuf:x": "1" }) }, 400, "`tpuf:`"],
    ["another one", { ...row, encryption: key({ a: "1", "aws:y": "2" }) }, 400, "`aws:`"],
    ["a long context", { ...row, encryption: key({ a: "x".repeat(505) }) }, 400, "at most 512"],
    [
      "a context without a key",
      { ...row, encryption: { mode: "default", encryption_context: { a: "b" } } },
      400,
      "`customer-managed`",
    ],
    ["no key's name in cmek", { ...row, encryption: { cmek: {} } }, 422, "`key_name`"],
    [
      "an unknown key",
      { ...row, encryption: { cmek: { key_name: "mykey" } } },
      400,
      "Malformed Cloud KMS crypto key: mykey",
    ],
    ["no source", { copy_from_namespace: {} }, 422, "missing field `source_namespace`"],
    ["a source that is a number", { branch_from_namespace: 1 }, 422, "branch_from_namespace: "],
    ["a source with a bad name", { copy_from_namespace: "a b" }, 400, "[A-Za-z0-9-_.]"],
    ["an absent source", { branch_from_namespace: "nope" }, 404, "🤷 namespace 'nope'"],
    ["a schema alone", { schema: { a: "string" } }, 404, "🤷 namespace "],
  ];
  test.each(refusals)("%s is refused", async (_name, body, status, ...parts) => {
    const name = fresh();
    expectError(await write(name, body), status, ...parts);
    expect((await call("GET", `/v1/namespaces/${name}/metadata`)).status).toBe(404);
  });

  test("every field may be null, which means absent", async () => {
    const nulls = Object.fromEntries(
      [
        ...["upsert_columns", "patch_rows", "patch_columns", "deletes", "upsert_condition"],
        ...["patch_condition", "delete_condition", "delete_by_filter", "patch_by_filter"],
        ...["delete_by_filter_allow_partial", "patch_by_filter_allow_partial"],
        ...["return_affected_ids", "distance_metric", "schema", "copy_from_namespace"],
        ...["branch_from_namespace", "encryption", "sharding", "disable_backpressure"],
      ].map((name) => [name, null]),
    );
    const { name, answer } = await writeAll({ ...nulls, ...row });
    expect(answer.json).toMatchObject({ rows_affected: 1, rows_upserted: 1 });
    const copy = await write(fresh(), { ...nulls, copy_from_namespace: name });
    expect(copy.json.message).toBe("namespace cloned successfully");
  });

  test("unknown fields beside known ones are passed over", async () => {
    const { answer } = await writeAll({ ...row, novelty: { a: [1] } });
    expect(answer.status).toBe(200);
  });

  test("an empty operation is counted and creates nothing", async () => {
    for (const [body, kind] of [
      [{ schema: { a: "int" }, upsert_rows: [] }, "rows_upserted"],
      [{ delete_by_filter: ["id", "Eq", 1], upsert_columns: { id: [] } }, "rows_upserted"],
      [{ patch_rows: [{ id: 1, a: 1 }] }, "rows_patched"],
      [{ deletes: [], upsert_rows: [], schema: {} }, "rows_deleted"],
      [{ deletes: [1], delete_condition: ["a", "Eq", 1] }, "rows_deleted"],
      [{ delete_by_filter: ["a", "Eq", 1] }, "rows_deleted"],
    ] as const) {
      const { name, answer } = await writeAll(body);
      expect(answer.json).toMatchObject({ status: "OK", rows_affected: 0, [kind]: 0 });
      expect((await call("GET", `/v1/namespaces/${name}/metadata`)).status).toBe(404);
    }
  });
});

describe("requests without anything to do", () => {
  test.each([
    [{ upsert_rows: [] }],
    [{ upsert_columns: { id: [] } }],
    [{ upsert_rows: [], patch_rows: [], deletes: [] }],
    [{ deletes: [], upsert_condition: null, return_affected_ids: true }],
    [{ distance_metric: "cosine_distance", create_namespace: false }],
    [{}],
  ])("%j is refused", async (body) => {
    const { name } = await writeAll(row);
    for (const target of [name, fresh()]) {
      expectError(await write(target, body), 400, "no writes provided");
    }
    expect(await documents(name)).toEqual([{ id: 1 }]);
  });
});

describe("create_namespace", () => {
  const metadata = (name: string) => call("GET", `/v2/namespaces/${name}/metadata`);

  test("true creates an empty namespace, which is there in every way", async () => {
    const name = fresh();
    const schema = { id: "string", vector: { type: "[2]f32", ann: true }, t: "string" };
    const metric = { distance_metric: "cosine_distance" };
    const created = await write(name, { create_namespace: true, schema, ...metric });
    expect(created.json).toMatchObject({ status: "OK", rows_affected: 0 });
    expect((await metadata(name)).json).toMatchObject({
      approx_row_count: 0,
      schema: { id: { type: "string" }, vector: { type: "[2]f32" }, t: { type: "string" } },
    });
    const list = await call("GET", `/v1/namespaces?prefix=${name}`);
    expect(list.json.namespaces).toEqual([{ id: name }]);
    expect(await documents(name)).toEqual([]);
    expectError(await write(name, { upsert_rows: [{ id: 1 }] }), 400, "ID type is string");
    expectError(await write(name, { upsert_rows: [{ id: "a" }] }), 400, "vector");
    await write(name, { upsert_rows: [{ id: "a", vector: [1, 2] }] });
    expect(await documents(name)).toEqual([{ id: "a", vector: [1, 2] }]);
  });

  test("true beside documents, or where the namespace exists, changes nothing", async () => {
    const { name, answer } = await writeAll({ ...row, create_namespace: true });
    expect(answer.json).toMatchObject({ rows_upserted: 1 });
    const { updated_at, ...before } = (await metadata(name)).json;
    const again = await write(name, { create_namespace: true });
    expect(again.json).toMatchObject({ status: "OK", rows_affected: 0 });
    expect((await metadata(name)).json).toEqual({ ...before, updated_at });
  });

  test("an empty namespace needs the type of its ids", async () => {
    for (const rest of [{}, { schema: { a: "int" } }, { deletes: [1] }]) {
      const name = fresh();
      const answer = await write(name, { create_namespace: true, ...rest });
      expectError(answer, 400, "create_namespace", "`id` in `schema`");
      expect((await metadata(name)).status).toBe(404);
    }
  });

  test("false never creates", async () => {
    const name = fresh();
    const text = `namespace '${name}' was not found`;
    for (const body of [row, { deletes: [1] }, { schema: { id: "uint" }, upsert_rows: [] }]) {
      expectError(await write(name, { ...body, create_namespace: false }), 404, text);
    }
    expect((await metadata(name)).status).toBe(404);
    await write(name, row);
    const { json } = await write(name, { ...row, create_namespace: false });
    expect(json).toMatchObject({ rows_upserted: 1 });
  });

  test("other values, and copies, are refused", async () => {
    expectError(await write(fresh(), { ...row, create_namespace: 1 }), 422, "create_namespace");
    const { name } = await writeAll(row);
    for (const create_namespace of [true, false]) {
      const copy = { copy_from_namespace: name, create_namespace };
      expectError(await write(fresh(), copy), 400, "`create_namespace`");
    }
  });
});

describe("rules", () => {
  let name: string;

  beforeAll(async () => {
    name = fresh();
    await write(name, { ...COSINE, upsert_rows: [{ id: 1, vector: [1, 2], a: "x" }] });
  });

  const row = { id: 2, vector: [1, 2] };
  const upsert = { upsert_rows: [row] };
  const patching = "💔 patching vectors is currently unsupported";
  const refusals: [name: string, body: object, status: number, ...parts: string[]][] = [
    ["a null vector in a patch", { patch_rows: [{ id: 1, vector: null }] }, 400, patching],
    ["a vector in patch columns", { patch_columns: { id: [1], vector: [[1, 2]] } }, 400, patching],
    [
      "a vector in a patch by filter",
      { patch_by_filter: { filters: ["a", "Eq", "x"], patch: { vector: [1, 1] } } },
      400,
      patching,
    ],
    [
      "an id in a patch by filter",
      { patch_by_filter: { filters: ["a", "Eq", "x"], patch: { id: 4 } } },
      400,
      "patch_by_filter.patch: `id` cannot be patched",
    ],
    [
      "another metric",
      { distance_metric: "euclidean_squared", deletes: [9] },
      400,
      "💔 distance metric mismatch, expected cosine_distance, got euclidean_squared",
    ],
    ["an empty filter", { delete_by_filter: [] }, 422, "delete_by_filter: "],
    ["a filter that is a map", { delete_by_filter: { a: 1 } }, 422, "delete_by_filter: "],
    ["an unknown operator", { delete_by_filter: ["a", "Equals", 1] }, 422, 'did you mean "Eq"?'],
    ["an unknown attribute", { delete_by_filter: ["aa", "Eq", 1] }, 400, '"aa"', '"a"'],
    [
      "an operand of another type",
      { delete_by_filter: ["a", "Eq", 1] },
      400,
      "filter error in key `a`: type mismatch, Eq expects string, but got '1'",
    ],
    ["$ref_new in a filter", { delete_by_filter: ["a", "Eq", { $ref_new: "a" }] }, 400, "$ref_new"],
    [
      "$ref_new of an unknown attribute",
      { ...upsert, upsert_condition: ["a", "Eq", { $ref_new: "b" }] },
      400,
      '"b"',
    ],
    [
      "$ref_new of another type",
      { ...upsert, upsert_condition: ["id", "Eq", { $ref_new: "a" }] },
      400,
      "filter error in key `id`: type mismatch",
    ],
    [
      "$ref_new of a number",
      { ...upsert, upsert_condition: ["a", "Eq", { $ref_new: 1 }] },
      422,
      "upsert_condition",
    ],
    ["a patch condition alone", { ...upsert, patch_condition: ["a", "Eq", "x"] }, 400, "requires"],
    [
      "an upsert condition alone",
      { deletes: [1], upsert_condition: ["a", "Eq", "x"] },
      400,
      "requ",
    ],
    [
      "backpressure with a condition",
      { deletes: [5], delete_condition: ["a", "Eq", "x"], disable_backpressure: true },
      400,
      "disable_backpressure",
    ],
    [
      "backpressure with a filter",
      { delete_by_filter: ["a", "Eq", "y"], disable_backpressure: true },
      400,
      "disable_backpressure",
    ],
    ["shards for what is there", { deletes: [9], sharding: { num_shards: 2 } }, 400, "sharding"],
  ];
  test.each(refusals)("%s is refused", async (_name, body, status, ...parts) => {
    expectError(await write(name, body), status, ...parts);
    expect(await documents(name)).toEqual([{ id: 1, vector: [1, 2], a: "x" }]);
  });

  test("a vector in a patch is refused where there are no vectors too", async () => {
    const { answer } = await writeAll(
      { upsert_rows: [{ id: 1 }] },
      { patch_rows: [{ id: 1, vector: [1] }] },
    );
    expectError(answer, 400, patching);
  });

  test("a copy may have encryption and shards beside it, and nothing else", async () => {
    const text = "💔 copy_from_namespace cannot be used with other write request fields";
    for (const extra of [{ schema: {} }, { upsert_rows: [] }, { branch_from_namespace: name }]) {
      expectError(await write(fresh(), { copy_from_namespace: name, ...extra }), 400, text);
    }
    const key = { mode: "customer-managed", key_name: "mine" };
    for (const body of [
      { copy_from_namespace: name, encryption: key, sharding: { num_shards: 2 } },
      { copy_from_namespace: name, encryption: { cmek: { key_name: "mine" } } },
      { copy_from_namespace: { source_namespace: name, dest_encryption: key, unknown: 1 } },
    ]) {
      const copy = fresh();
      const answer = await write(copy, body);
      expect(answer.json, answer.text).toMatchObject({ status: "OK", rows_affected: 1 });
      expect(answer.json).not.toHaveProperty("rows_upserted");
      const { json } = await call("GET", `/v2/namespaces/${copy}/metadata`);
      expect(json.encryption).toEqual(key);
    }
    const region = { source_namespace: name, source_region: "gcp-us-east4" };
    expectError(await write(fresh(), { copy_from_namespace: region }), 400, "gcp-us-east4");
  });
});

test("a context of a key is kept, shown, and taken over by copies", async () => {
  const context = { z: "last", a: "first", "": "é" };
  const { name } = await writeAll({ ...row, encryption: key(context) });
  const copy = fresh();
  await write(copy, { copy_from_namespace: name });
  for (const one of [name, copy]) {
    const { json } = await call("GET", `/v2/namespaces/${one}/metadata`);
    expect(json.encryption).toEqual(key(context));
  }
  await write(name, { ...row, encryption: key({}) });
  const { json } = await call("GET", `/v2/namespaces/${name}/metadata`);
  expect(json.encryption).toEqual({ mode: "customer-managed", key_name: "mine" });
  expect(await documents(name)).toEqual([{ id: 1 }]);
});

test("copies are encrypted like their source unless they ask otherwise", async () => {
  const encryption = { mode: "customer-managed", key_name: "mine" };
  const { name } = await writeAll({ upsert_rows: [{ id: 1 }], encryption });
  for (const [body, expected] of [
    [{ copy_from_namespace: name }, encryption],
    [{ branch_from_namespace: name }, encryption],
    [{ copy_from_namespace: name, encryption: { mode: "default" } }, { mode: "default" }],
  ] as const) {
    const copy = fresh();
    await write(copy, body);
    const { json } = await call("GET", `/v2/namespaces/${copy}/metadata`);
    expect(json.encryption).toEqual(expected);
  }
});

describe("effects", () => {
  const rows = [5, 3, 9, 1].map((id) => ({ id, k: 1, note: "old" }));
  const ids = { return_affected_ids: true };

  test("ids by filter come first and ascending; explicit patches win", async () => {
    const { name, answer } = await writeAll(
      { upsert_rows: rows },
      {
        ...ids,
        patch_by_filter: { filters: ["k", "Eq", 1], patch: { note: "all" } },
        patch_rows: [
          { id: 9, note: "one" },
          { id: 77, note: "absent" },
        ],
        deletes: [5],
      },
    );
    const { patched_ids, deleted_ids } = answer.json;
    expect(patched_ids.slice(0, 3)).toEqual([1, 3, 5]);
    expect(deleted_ids).toEqual([5]);
    expect(await documents(name)).toEqual([
      { id: 1, k: 1, note: "all" },
      { id: 3, k: 1, note: "all" },
      { id: 9, k: 1, note: "one" },
    ]);
    const deleted = await write(name, {
      ...ids,
      delete_by_filter: ["k", "Eq", 1],
      upsert_rows: [{ id: 3, k: 2 }],
      deletes: [100],
    });
    expect(deleted.json).toMatchObject({ deleted_ids: [1, 3, 9, 100], upserted_ids: [3] });
    expect(await documents(name)).toEqual([{ id: 3, k: 2 }]);
  });

  test("$ref_new is null for deletes, and for what the new document lacks", async () => {
    const { name, answer } = await writeAll(
      { upsert_rows: [{ id: 1, k: 1 }, { id: 2 }], schema: { k: "int" } },
      { ...ids, deletes: [1, 2, 3], delete_condition: ["k", "Eq", { $ref_new: "k" }] },
    );
    expect(answer.json).toMatchObject({ rows_deleted: 1, deleted_ids: [2] });
    const upsert = { upsert_rows: [{ id: 1 }], upsert_condition: ["k", "Lt", { $ref_new: "k" }] };
    expect((await write(name, upsert)).json).toMatchObject({ rows_affected: 0, rows_upserted: 0 });
  });

  test("$ref_new stands anywhere in a condition", async () => {
    const { answer } = await writeAll(
      { upsert_rows: [{ id: 1, k: 1, s: "a" }] },
      {
        patch_rows: [{ id: 1, k: 2, s: "a" }],
        patch_condition: [
          "And",
          [
            ["k", "Lt", { $ref_new: "k" }],
            ["Not", ["s", "NotEq", { $ref_new: "s" }]],
          ],
        ],
      },
    );
    expect(answer.json).toMatchObject({ rows_patched: 1 });
  });

  test("absent documents are upserted whatever the condition says", async () => {
    const { answer } = await writeAll(
      { upsert_rows: [{ id: 1, k: 1 }] },
      { ...ids, upsert_rows: [{ id: 2, k: 1 }], upsert_condition: ["k", "Eq", 12345] },
    );
    expect(answer.json).toMatchObject({ rows_upserted: 1, upserted_ids: [2] });
  });

  test("billing counts patched bytes, halves unfilterable ones, skips the skipped", async () => {
    const written = (answer: { json: { billing: Record<string, unknown> } }) => answer.json.billing;
    const create = await writeAll({
      schema: { kept: { type: "string", filterable: false } },
      upsert_rows: [{ id: 1, k: 1, kept: "12345678" }],
    });
    expect(written(create.answer)).toEqual({ billable_logical_bytes_written: 8 + 8 + 4 });
    const query = {
      billable_logical_bytes_queried: 1_280_000_000,
      billable_logical_bytes_returned: 0,
    };
    const patch = await write(create.name, { patch_rows: [{ id: 1, k: 2 }] });
    expect(written(patch)).toEqual({ billable_logical_bytes_written: 16, query });
    const skipped = await write(create.name, {
      upsert_rows: [{ id: 1, k: 3 }],
      upsert_condition: ["k", "Eq", 1],
    });
    expect(written(skipped)).toEqual({ billable_logical_bytes_written: 0, query });
    const byFilter = await write(create.name, {
      patch_by_filter: { filters: ["k", "Eq", 2], patch: { k: 5 } },
    });
    expect(written(byFilter)).toMatchObject({
      query: { ...query, billable_logical_bytes_queried: 2_560_000_000 },
    });
  });

  test("counts appear for the kinds of operations that were sent", async () => {
    const { name, answer } = await writeAll({ upsert_rows: rows }, { schema: { k: "int" } });
    const counts = ["rows_upserted", "rows_patched", "rows_deleted", "rows_remaining"];
    for (const count of counts) expect(answer.json).not.toHaveProperty(count);
    const lists = { upsert_rows: [], patch_rows: [], deletes: [] };
    const all = await write(name, { ...lists, schema: { k: "int" } });
    expect(all.json).toMatchObject({ rows_upserted: 0, rows_patched: 0, rows_deleted: 0 });
    expect(all.json).not.toHaveProperty("rows_remaining");
  });
});
