import { beforeEach, expect, test } from "vitest";
import { faultOf } from "../../../test/support/documents/loose-json.ts";
import { StoredDocuments, where } from "../../../test/support/documents/stored-documents.ts";
import { type Row, requestOf, type Sent } from "../../../test/support/documents/write-requests.ts";
import { countSteps } from "../../../test/support/queries/count-steps.ts";
import { oneStep, runSteps } from "../../base/steps.ts";
import { DELETE_BY_FILTER_MAX, PATCH_BY_FILTER_MAX } from "../../model/contract-limits.ts";
import { EMPTY_SCHEMA, type Schema } from "../../model/schema.ts";
import type { DocumentId } from "../../model/value.ts";
import type { WriteRequest } from "../../model/write-request.ts";
import { bindBatch, insertsDocuments } from "../bind/bind-batch.ts";
import { GroupFootprint } from "./group-footprint.ts";
import { type ResolvedBatch, resolveBatch } from "./resolve-batch.ts";

let stored: StoredDocuments;
let schema: Schema;

beforeEach(() => {
  stored = new StoredDocuments();
  schema = EMPTY_SCHEMA;
});

function bind(sent: Sent, rest?: Partial<WriteRequest>) {
  const isNewNamespace = schema === EMPTY_SCHEMA;
  return runSteps(
    bindBatch(requestOf(sent, rest), {
      schema,
      isNewNamespace,
      dimensionsOf: () => undefined,
    }),
  );
}

function write(sent: Sent, rest?: Partial<WriteRequest>): ResolvedBatch["outcome"] {
  const resolved = runSteps(resolveBatch(bind(sent, rest), stored));
  schema = resolved.schema ?? schema;
  stored.apply(resolved);
  return resolved.outcome;
}

/** Stored documents as plain objects by id. */
function contents(): Record<string, Row> {
  const all = stored.contents([...schema.attributes.keys()]);
  return Object.fromEntries(
    [...all].map(([id, values]) => [String(id), Object.fromEntries(values)]),
  );
}

test("an upsert replaces the whole document", () => {
  write({ upserts: [{ id: 1, a: 1, b: "x" }] });
  const outcome = write({
    upserts: [
      { id: 1, b: "y" },
      { id: 2, a: 5 },
    ],
  });
  expect(contents()).toEqual({ 1: { b: "y" }, 2: { a: 5n } });
  expect(outcome).toMatchObject({ upserted: 2, patched: undefined, deleted: undefined });
  expect(outcome.affected?.upserted).toEqual([1n, 2n]);
  expect(outcome.queries).toBe(0);
});

test("a patch changes only what it names, and absent documents are ignored", () => {
  write({
    upserts: [
      { id: 1, a: 1, b: "x", c: [1, 2] },
      { id: 2, a: 2, b: "y" },
    ],
  });
  const patches = [
    { id: 1, a: null, d: true },
    { id: 2, b: "z" },
    { id: 9, a: 1 },
  ];
  const outcome = write({ patches });
  expect(contents()).toEqual({ 1: { b: "x", c: [1n, 2n], d: true }, 2: { a: 2n, b: "z" } });
  expect(outcome).toMatchObject({ patched: 2, queries: 1 });
  expect(outcome.affected?.patched).toEqual([1n, 2n]);
});

test("a patch keeps vectors", () => {
  const metric = { distanceMetric: "cosine_distance" } as const;
  write({ upserts: [{ id: 1, vector: [1, 2], a: 1 }] }, metric);
  write({ patches: [{ id: 1, a: 2 }] });
  expect(contents()).toEqual({ 1: { vector: Float32Array.of(1, 2), a: 2n } });
});

test("plain deletes count absent documents too", () => {
  write({ upserts: [{ id: 1 }, { id: 2 }] });
  const outcome = write({ deletes: [2, 7] });
  expect(contents()).toEqual({ 1: {} });
  expect(outcome).toMatchObject({ deleted: 2, queries: 0 });
  expect(outcome.affected?.deleted).toEqual([2n, 7n]);
});

test("counts are there for the kinds of the request, also when nothing was done", () => {
  const outcome = write({ upserts: [], patches: [{ id: 1, a: 1 }], deletes: [] });
  expect(outcome).toMatchObject({ upserted: 0, patched: 0, deleted: 0 });
  expect(insertsDocuments(bind({ upserts: [] }))).toBe(false);
  expect(insertsDocuments(bind({ upserts: [{ id: 1 }] }))).toBe(true);
});

test("conditions let upserts of absent documents through and skip patches and deletes", () => {
  write({
    upserts: [
      { id: 1, v: 5 },
      { id: 2, v: 7 },
    ],
  });
  const upsertCondition = where("v", "Lt", { ref: "v" });
  const upserts = [
    { id: 1, v: 6 },
    { id: 2, v: 6 },
    { id: 3, v: 0 },
  ];
  const upserted = write({ upserts }, { upsertCondition });
  expect(upserted).toMatchObject({ upserted: 2, queries: 1 });
  expect(upserted.affected?.upserted).toEqual([1n, 3n]);
  expect(contents()).toEqual({ 1: { v: 6n }, 2: { v: 7n }, 3: { v: 0n } });

  const patches = [
    { id: 1, v: 1 },
    { id: 2, v: 8 },
    { id: 9, v: 1 },
  ];
  const patched = write({ patches }, { patchCondition: where("v", "Lt", { ref: "v" }) });
  expect(patched.affected?.patched).toEqual([2n]);

  const deleted = write({ deletes: [1, 2, 9] }, { deleteCondition: where("v", "Gt", 6n) });
  expect(deleted).toMatchObject({ deleted: 1 });
  expect(deleted.affected?.deleted).toEqual([2n]);
});

test("a new value is null in the condition of a delete", () => {
  write({ upserts: [{ id: 1, v: 5 }, { id: 2 }] });
  const outcome = write({ deletes: [1, 2] }, { deleteCondition: where("v", "Eq", { ref: "v" }) });
  expect(outcome.affected?.deleted).toEqual([2n]);
});

test("id Eq null inserts only what is absent", () => {
  write({ upserts: [{ id: 1, v: 5 }] });
  const upserts = [
    { id: 1, v: 6 },
    { id: 2, v: 6 },
  ];
  const outcome = write({ upserts }, { upsertCondition: where("id", "Eq", null) });
  expect(outcome.affected?.upserted).toEqual([2n]);
  const none = write({ upserts: [{ id: 1, v: 9 }] }, { upsertCondition: where("id", "Eq", null) });
  expect(none).toMatchObject({ upserted: 0, billedBytes: 0, queries: 1 });
});

test("filters apply before everything else: deletes, then patches, then the rest", () => {
  write({ upserts: [1, 2, 3, 4, 5].map((id) => ({ id, a: id, b: "old" })) });
  const outcome = write(
    {
      patchByFilter: { filter: where("a", "Gt", 1n), patch: { b: "filter" } },
      patches: [
        { id: 1, a: 10 },
        { id: 2, a: 20 },
        { id: 5, a: 50 },
      ],
      upserts: [{ id: 4, b: "new" }],
      deletes: [3],
    },
    { deleteByFilter: where("a", "Gt", 3n) },
  );
  expect(contents()).toEqual({
    1: { a: 10n, b: "old" },
    2: { a: 20n, b: "filter" },
    4: { b: "new" },
  });
  expect(outcome.affected).toEqual({
    upserted: [4n],
    patched: [2n, 3n, 1n],
    deleted: [4n, 5n, 3n],
  });
  expect(outcome).toMatchObject({ upserted: 1, patched: 3, deleted: 3, queries: 4 });
});

test("conditions see the documents as the filters left them", () => {
  write({ upserts: [1, 2, 3].map((id) => ({ id, a: id })) });
  const outcome = write(
    {
      patchByFilter: { filter: where("a", "Eq", 2n), patch: { a: 9 } },
      upserts: [
        { id: 1, a: 5 },
        { id: 2, a: 5 },
        { id: 3, a: 5 },
      ],
    },
    { deleteByFilter: where("a", "Eq", 3n), upsertCondition: where("a", "Eq", 9n) },
  );
  expect(outcome.affected).toEqual({ upserted: [2n, 3n], patched: [2n], deleted: [3n] });
  expect(contents()).toEqual({ 1: { a: 1n }, 2: { a: 5n }, 3: { a: 5n } });
});

test("what one request deletes by filter and upserts by id is only upserted", () => {
  write({ upserts: [{ id: 1, a: 1 }] });
  const batch = bind({ upserts: [{ id: 1, a: 2 }] }, { deleteByFilter: where("a", "Eq", 1n) });
  const resolved = runSteps(resolveBatch(batch, stored));
  expect(resolved.deletes).toBeUndefined();
  expect(resolved.documents?.count).toBe(1);
  expect(resolved.outcome).toMatchObject({ upserted: 1, deleted: 1 });
});

test("more matches than allowed change nothing, unless partial changes are asked for", () => {
  write({
    upserts: [
      { id: 1, a: 1 },
      { id: 2, a: 2 },
    ],
  });
  const filter = where("a", "Gt", 0n);
  const caps: number[] = [];
  const many = new StoredDocuments();
  many.locate = (id) => stored.locate(id);
  many.matchIds = (_filter, cap) =>
    oneStep(() => {
      caps.push(cap);
      return { ids: [1n] as DocumentId[], more: true };
    });
  const deletes = { deleteByFilter: filter };
  const fault = faultOf(() => runSteps(resolveBatch(bind({}, deletes), many)));
  expect(fault.message).toContain("more documents than allowed");
  expect(fault.code).toBe("invalid");
  const patch = { patchByFilter: { filter, patch: { a: 5 } } };
  expect(faultOf(() => runSteps(resolveBatch(bind(patch), many))).message).toContain(
    "more documents than allowed",
  );
  const partial = runSteps(
    resolveBatch(bind({}, { ...deletes, deleteByFilterAllowPartial: true }), many),
  );
  expect(partial.outcome).toMatchObject({ deleted: 1, remaining: true });
  const patched = runSteps(resolveBatch(bind(patch, { patchByFilterAllowPartial: true }), many));
  expect(patched.outcome).toMatchObject({ patched: 1, remaining: true });
  expect(caps).toEqual([
    DELETE_BY_FILTER_MAX,
    PATCH_BY_FILTER_MAX,
    DELETE_BY_FILTER_MAX,
    PATCH_BY_FILTER_MAX,
  ]);
});

test("an id may be named once across upserts, patches and deletes", () => {
  const text =
    "💔 This upsert contains duplicate document IDs and was not written. You should ensure that " +
    "individual upserts do not include duplicate documents. The duplicated IDs in this batch " +
    "were the following: 2";
  for (const sent of [
    { upserts: [{ id: 1 }, { id: 2 }, { id: 2 }] },
    { upserts: [{ id: 2 }], patches: [{ id: 2, a: 1 }] },
    { upserts: [{ id: 2 }], deletes: [2] },
    { deletes: [1, 2, 2] },
  ]) {
    expect(faultOf(() => bind(sent)).message).toBe(text);
  }
  const uuid = "0123abcd-0123-4567-89ab-0123456789ab";
  const spellings = [{ id: uuid }, { id: `{${uuid.toUpperCase()}}` }];
  const fault = faultOf(() => bind({ schema: { id: "uuid" }, upserts: spellings }));
  expect(fault.message.endsWith(uuid)).toBe(true);
});

test("billing counts what was applied, and unindexed attributes half", () => {
  const declared = { t: { type: "string", filterable: false }, s: "string" };
  const first = write({ schema: declared, upserts: [{ id: 1, t: "abcd", s: "abcd" }] });
  expect(first.billedBytes).toBe(8 + 2 + 4);
  expect(
    write({
      patches: [
        { id: 1, s: "ab" },
        { id: 9, s: "x" },
      ],
    }).billedBytes,
  ).toBe(8 + 2);
  expect(write({ deletes: [1, 2] }).billedBytes).toBe(16);
});

test("a batch that reads what an earlier one of its group wrote must wait", () => {
  write({
    upserts: [
      { id: 1, a: 1 },
      { id: 2, a: 1 },
    ],
  });
  const group = new GroupFootprint();
  const patchTwo = bind({ patches: [{ id: 2, a: 5 }] });
  expect(runSteps(group.conflictsWith(patchTwo))).toBe(false);
  runSteps(group.add(runSteps(resolveBatch(bind({ upserts: [{ id: 1, a: 2 }] }), stored))));
  expect(runSteps(group.conflictsWith(patchTwo))).toBe(false);
  expect(runSteps(group.conflictsWith(bind({ patches: [{ id: 1, a: 5 }] })))).toBe(true);
  expect(runSteps(group.conflictsWith(bind({ upserts: [{ id: 1 }], deletes: [2] })))).toBe(false);
  const condition = where("a", "Eq", 1n);
  const upsert = { upserts: [{ id: 1, a: 3 }] };
  expect(runSteps(group.conflictsWith(bind(upsert, { upsertCondition: condition })))).toBe(true);
  expect(
    runSteps(group.conflictsWith(bind({ deletes: [1] }, { deleteCondition: condition }))),
  ).toBe(true);
  expect(runSteps(group.conflictsWith(bind({}, { deleteByFilter: condition })))).toBe(true);
  runSteps(group.add(runSteps(resolveBatch(bind({ deletes: [2] }), stored))));
  expect(runSteps(group.conflictsWith(patchTwo))).toBe(true);
});

test("a patch of documents with many attributes is resolved in steps", () => {
  const row = Object.fromEntries(Array.from({ length: 500 }, (_, a) => [`a${a}`, a]));
  write({ upserts: Array.from({ length: 100 }, (_, id) => ({ id, ...row })) });
  const batch = bind({ patches: Array.from({ length: 100 }, (_, id) => ({ id, a0: -1 })) });
  const { count, result } = countSteps(resolveBatch(batch, stored));
  expect(result.documents?.attributes.size).toBe(500);
  expect(count).toBeGreaterThanOrEqual(6);
});
