/** Writes of every kind: what they change, what they answer, and in which order they apply. */

import { expect, test } from "vitest";
import { expectFault, idsOf, testNamespaces, untyped } from "../support/servers/sdk-client.ts";

const namespace = testNamespaces("write");

/** All documents by id, with all attributes. */
async function documents(ns: ReturnType<typeof namespace>) {
  const answer = await ns.query({ rank_by: ["id", "asc"], limit: 1000, include_attributes: true });
  return answer.rows;
}

test("upserts by rows create a namespace and answer with counts, billing and timing", async () => {
  const ns = namespace();
  const answer = await ns.write({
    upsert_rows: [
      { id: 1, name: "one", n: 1 },
      { id: 2, name: "two", n: null },
    ],
  });
  expect(answer).toEqual({
    status: "OK",
    message: expect.any(String),
    rows_affected: 2,
    rows_upserted: 2,
    billing: { billable_logical_bytes_written: expect.any(Number) },
    performance: expect.objectContaining({ server_total_ms: expect.any(Number) }),
  });
  expect(answer.billing.billable_logical_bytes_written).toBeGreaterThan(0);
  expect(await documents(ns)).toEqual([
    { id: 1, name: "one", n: 1 },
    { id: 2, name: "two" },
  ]);
});

test("upserts by columns are the same documents, nulls left out", async () => {
  const ns = namespace();
  await ns.write({
    distance_metric: "cosine_distance",
    upsert_columns: {
      id: [1, 2],
      vector: [
        [1, 0],
        [0, 1],
      ],
      name: ["one", null],
    },
  });
  expect(await documents(ns)).toEqual([
    { id: 1, vector: [1, 0], name: "one" },
    { id: 2, vector: [0, 1] },
  ]);
});

test("columns of unequal lengths or without ids are refused", async () => {
  const ns = namespace();
  await expectFault(ns.write({ upsert_columns: { id: [1, 2], name: ["one"] } }), 400);
  const withoutId = ns.write({ upsert_columns: untyped({ name: ["one"] }) });
  await expect(withoutId).rejects.toMatchObject({
    status: expect.toSatisfy((s) => s === 400 || s === 422),
  });
  expect(await ns.exists()).toBe(false);
});

test("an upsert replaces the whole document, a patch only what it names", async () => {
  const ns = namespace();
  await ns.write({
    upsert_rows: [
      { id: 1, a: 1, b: 1 },
      { id: 2, a: 2, b: 2 },
    ],
  });
  const answer = await ns.write({
    upsert_rows: [{ id: 1, a: 10 }],
    patch_rows: [
      { id: 2, a: 20 },
      { id: 3, a: 30 },
    ],
  });
  expect(answer).toMatchObject({ rows_affected: 2, rows_upserted: 1, rows_patched: 1 });
  expect(await documents(ns)).toEqual([
    { id: 1, a: 10 },
    { id: 2, a: 20, b: 2 },
  ]);
  const columns = await ns.write({ patch_columns: { id: [1, 2], b: [5, null] } });
  expect(columns).toMatchObject({ rows_affected: 2, rows_patched: 2 });
  expect(await documents(ns)).toEqual([
    { id: 1, a: 10, b: 5 },
    { id: 2, a: 20 },
  ]);
});

test("deletes count absent ids too, and an emptied namespace still answers", async () => {
  const ns = namespace();
  await ns.write({ upsert_rows: [{ id: 1 }, { id: 2 }] });
  const answer = await ns.write({ deletes: [1, 2, 3], return_affected_ids: true });
  expect(answer).toMatchObject({ rows_affected: 3, rows_deleted: 3, deleted_ids: [1, 2, 3] });
  expect(await documents(ns)).toEqual([]);
  expect(await ns.exists()).toBe(true);
});

test("affected ids are returned only when asked for", async () => {
  const ns = namespace();
  const first = await ns.write({
    upsert_rows: [
      { id: 1, a: 1 },
      { id: 2, a: 2 },
    ],
  });
  expect(first).not.toHaveProperty("upserted_ids");
  const second = await ns.write({
    return_affected_ids: true,
    upsert_rows: [{ id: 3, a: 3 }],
    patch_rows: [{ id: 1, a: 5 }],
    deletes: [2],
  });
  expect(second).toMatchObject({ upserted_ids: [3], patched_ids: [1], deleted_ids: [2] });
  const third = await ns.write({ return_affected_ids: true, deletes: [3] });
  expect(third).not.toHaveProperty("upserted_ids");
  expect(third).not.toHaveProperty("patched_ids");
});

test("one id twice in a request is refused, and nothing of the request is applied", async () => {
  const ns = namespace();
  await ns.write({ upsert_rows: [{ id: 1, a: 1 }] });
  const text = "This upsert contains duplicate document IDs and was not written";
  await expectFault(
    ns.write({
      upsert_rows: [
        { id: 7, a: 1 },
        { id: 7, a: 2 },
      ],
    }),
    400,
    text,
  );
  await expectFault(
    ns.write({ upsert_rows: [{ id: 7 }], patch_rows: [{ id: 7, a: 1 }] }),
    400,
    text,
  );
  await expectFault(ns.write({ upsert_rows: [{ id: 7 }], deletes: [7] }), 400, text);
  expect(await documents(ns)).toEqual([{ id: 1, a: 1 }]);
});

test("an upsert condition skips documents that fail it and applies to absent ones", async () => {
  const ns = namespace();
  await ns.write({ upsert_rows: [{ id: 1, version: 5 }] });
  const condition = untyped<["version", "Lt", unknown]>(["version", "Lt", { $ref_new: "version" }]);
  const stale = await ns.write({
    upsert_rows: [{ id: 1, version: 4 }],
    upsert_condition: condition,
    return_affected_ids: true,
  });
  expect(stale).toMatchObject({ rows_affected: 0, rows_upserted: 0 });
  expect(stale).not.toHaveProperty("upserted_ids");
  expect(stale.billing.query).toEqual({
    billable_logical_bytes_queried: expect.any(Number),
    billable_logical_bytes_returned: expect.any(Number),
  });
  const mixed = await ns.write({
    upsert_rows: [
      { id: 1, version: 6 },
      { id: 2, version: 1 },
    ],
    upsert_condition: condition,
    return_affected_ids: true,
  });
  expect(mixed).toMatchObject({ rows_upserted: 2, upserted_ids: [1, 2] });
  const insertOnly = await ns.write({
    upsert_rows: [
      { id: 1, version: 9 },
      { id: 3, version: 9 },
    ],
    upsert_condition: ["id", "Eq", null],
    return_affected_ids: true,
  });
  expect(insertOnly).toMatchObject({ rows_upserted: 1, upserted_ids: [3] });
  expect(await documents(ns)).toEqual([
    { id: 1, version: 6 },
    { id: 2, version: 1 },
    { id: 3, version: 9 },
  ]);
});

test("patch and delete conditions skip absent documents", async () => {
  const ns = namespace();
  await ns.write({
    upsert_rows: [
      { id: 1, state: "open" },
      { id: 2, state: "done" },
    ],
  });
  const patched = await ns.write({
    patch_rows: [
      { id: 1, state: "done" },
      { id: 2, state: "open" },
      { id: 9, state: "open" },
    ],
    patch_condition: ["state", "Eq", "open"],
    return_affected_ids: true,
  });
  expect(patched).toMatchObject({ rows_patched: 1, patched_ids: [1] });
  const deleted = await ns.write({
    deletes: [1, 9],
    delete_condition: ["state", "Eq", "done"],
    return_affected_ids: true,
  });
  expect(deleted).toMatchObject({ rows_deleted: 1, deleted_ids: [1] });
  expect(await documents(ns)).toEqual([{ id: 2, state: "done" }]);
});

test("a condition without an operation that it could apply to is refused", async () => {
  const ns = namespace();
  await ns.write({ upsert_rows: [{ id: 1, a: 1 }] });
  const byFilter = { delete_by_filter: ["a", "Eq", 1], delete_condition: ["a", "Eq", 1] } as const;
  await expectFault(ns.write(untyped(byFilter)), 400);
});

test("conditions may compare vectors", async () => {
  const ns = namespace();
  const upsert_rows = [{ id: 1, vector: [1, 2] }];
  await ns.write({ upsert_rows, distance_metric: "euclidean_squared" });
  const upsert_condition = untyped<["vector", "NotEq", unknown]>([
    "vector",
    "NotEq",
    { $ref_new: "vector" },
  ]);
  expect(await ns.write({ upsert_rows, upsert_condition })).toMatchObject({ rows_upserted: 0 });
  const changed = [{ id: 1, vector: [1, 3] }];
  expect(await ns.write({ upsert_rows: changed, upsert_condition })).toMatchObject({
    rows_upserted: 1,
  });
});

test("filters delete first, patch next, and explicit operations come last", async () => {
  const ns = namespace();
  await ns.write({ upsert_rows: [1, 2, 3, 4].map((id) => ({ id, kind: id % 2, note: "old" })) });
  const answer = await ns.write({
    delete_by_filter: ["kind", "Eq", 1],
    patch_by_filter: { filters: ["note", "Eq", "old"], patch: { note: "new" } },
    upsert_rows: [{ id: 1, kind: 7 }],
    patch_rows: [{ id: 3, note: "ignored" }],
    return_affected_ids: true,
  });
  expect(answer).toMatchObject({
    rows_upserted: 1,
    rows_patched: 2,
    rows_deleted: 2,
    upserted_ids: [1],
    patched_ids: [2, 4],
    deleted_ids: [1, 3],
  });
  // One for the deletion, two for the patch by filter, one for the patches: each the least billed.
  expect(answer.billing.query).toEqual({
    billable_logical_bytes_queried: 4 * 1_280_000_000,
    billable_logical_bytes_returned: 0,
  });
  expect(answer).not.toHaveProperty("rows_remaining");
  expect(await documents(ns)).toEqual([
    { id: 1, kind: 7 },
    { id: 2, kind: 0, note: "new" },
    { id: 4, kind: 0, note: "new" },
  ]);
});

test("a filter write that matches nothing reports zero", async () => {
  const ns = namespace();
  await ns.write({ upsert_rows: [{ id: 1, a: 1 }] });
  const answer = await ns.write({
    delete_by_filter: ["a", "Eq", 2],
    delete_by_filter_allow_partial: true,
  });
  expect(answer).toMatchObject({ rows_affected: 0, rows_deleted: 0 });
  expect(answer).not.toHaveProperty("rows_remaining");
});

test("patch_by_filter above its cap fails whole, or in parts if that is allowed", async () => {
  const ns = namespace();
  const count = 50_001;
  const id = Array.from({ length: count }, (_, i) => i);
  await ns.write({ upsert_columns: { id, old: id.map(() => true) } });
  const patch_by_filter = {
    filters: untyped<["old", "Eq", boolean]>(["old", "Eq", true]),
    patch: { old: false },
  };
  await expectFault(ns.write({ patch_by_filter }), 400, "more documents than allowed");
  const first = await ns.write({ patch_by_filter, patch_by_filter_allow_partial: true });
  expect(first).toMatchObject({ rows_patched: 50_000, rows_remaining: true });
  const second = await ns.write({ patch_by_filter, patch_by_filter_allow_partial: true });
  expect(second).toMatchObject({ rows_patched: 1 });
  expect(second).not.toHaveProperty("rows_remaining");
});

test("dense vectors cannot be patched, sparse ones can", async () => {
  const ns = namespace();
  await ns.write({
    distance_metric: "cosine_distance",
    schema: { terms: { type: "{}f16", sparse_knn: { distance_metric: "dot_product" } } },
    upsert_rows: [{ id: 1, vector: [1, 0], terms: { a: 1 } }],
  });
  const text = "patching vectors is currently unsupported";
  await expectFault(ns.write({ patch_rows: [{ id: 1, vector: [0, 1] }] }), 400, text);
  const byFilter = {
    filters: untyped<["id", "Eq", number]>(["id", "Eq", 1]),
    patch: { vector: [1, 1] },
  };
  await expectFault(ns.write({ patch_by_filter: byFilter }), 400);
  await ns.write({ patch_rows: [{ id: 1, terms: { b: 2 } }] });
  expect(await documents(ns)).toEqual([{ id: 1, vector: [1, 0], terms: { b: 2 } }]);
});

test("empty operations are legal, and an empty write to a namespace changes nothing", async () => {
  const ns = namespace();
  await ns.write({ upsert_rows: [{ id: 1, a: 1 }] });
  const answer = await ns.write({ upsert_rows: [], delete_by_filter: ["a", "Eq", 5] });
  expect(answer).toMatchObject({ rows_affected: 0, rows_upserted: 0, rows_deleted: 0 });
  expect(idsOf({ rows: await documents(ns) })).toEqual([1]);
});

test("a failed first write leaves no namespace behind", async () => {
  const ns = namespace();
  await expectFault(
    ns.write({
      upsert_rows: [
        { id: 1, a: 1 },
        { id: 2, a: "text" },
      ],
    }),
    400,
    "a",
  );
  await expectFault(ns.metadata(), 404, "was not found");
  expect(await ns.exists()).toBe(false);
});

test("a write of a schema alone needs an existing namespace", async () => {
  const ns = namespace();
  await expectFault(ns.write({ schema: { a: "string" } }), 404);
  await ns.write({ upsert_rows: [{ id: 1 }] });
  await ns.write({ schema: { a: "uuid" } });
  expect(await ns.schema()).toMatchObject({ a: { type: "uuid" } });
});

test("backpressure can be disabled for plain writes only", async () => {
  const ns = namespace();
  await ns.write({ upsert_rows: [{ id: 1, a: 1 }], disable_backpressure: true });
  await ns.write({ deletes: [1], disable_backpressure: true });
  const patch = { patch_rows: [{ id: 1, a: 1 }], disable_backpressure: true };
  await expectFault(ns.write(patch), 400);
});

test("concurrent conditional writes never lose an update", async () => {
  const ns = namespace();
  await ns.write({ upsert_rows: [{ id: 1, n: 0 }] });
  const upsert_condition = untyped<["n", "Lt", unknown]>(["n", "Lt", { $ref_new: "n" }]);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () =>
      ns.write({ upsert_rows: [{ id: 1, n: 1 }], upsert_condition }),
    ),
  );
  const applied = answers.reduce((sum, answer) => sum + (answer.rows_upserted ?? 0), 0);
  expect(applied).toBe(1);
});
