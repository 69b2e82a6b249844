/** Limits that take many documents to reach, and an index that takes time to build. */

import { beforeAll, expect, test } from "vitest";
import { contractServer, expectError } from "../support/servers/contract-server.ts";
import { withoutStats } from "../support/servers/contract-table.ts";

const { write, call, query } = contractServer("limits");
const ns = "limits";
/** More than the groups of an answer, and than what is indexed before a write answers. */
const COUNT = 24_000;
const ids = Array.from({ length: COUNT }, (_, id) => id);

beforeAll(async () => {
  const text = ids.map((id) => `document number ${id} of many, group ${id % 10}`);
  const schema = { text: { type: "string", filterable: false } };
  await write(ns, { schema, upsert_columns: { id: ids, n: ids, text } });
});

test("pages of 10,000 ids, each after the last of the one before, are all documents", async () => {
  const found: number[] = [];
  for (;;) {
    const filters = found.length === 0 ? null : ["id", "Gt", found.at(-1)];
    const page = await query(ns, { rank_by: ["id", "asc"], limit: 10_000, filters });
    const rows: { id: number }[] = page.json.rows;
    found.push(...rows.map(({ id }) => id));
    if (rows.length < 10_000) break;
  }
  expect(found).toEqual(ids);
});

test("groups are cut at 10,000, the first by key stay", async () => {
  const { json } = await query(ns, { aggregate_by: { c: ["Count"] }, group_by: ["n"] });
  const groups: { n: number }[] = json.aggregation_groups;
  expect([groups.length, groups[0], groups.at(-1)]).toEqual([
    10_000,
    { n: 0, c: 1 },
    { n: 9999, c: 1 },
  ]);
});

test("the last window that an offset can reach", async () => {
  const last = { rank_by: ["id", "asc"], limit: 1, offset: 9998 };
  expect(withoutStats(await query(ns, last))).toEqual({ rows: [{ id: 9998 }] });
});

test("lists of a filter may be long", async () => {
  const aggregate_by = { c: ["Count"] };
  const even = ids.filter((id) => id % 2 === 0);
  const answer = await query(ns, { aggregate_by, filters: ["id", "In", even] });
  expect(withoutStats(answer)).toEqual({ aggregations: { c: COUNT / 2 } });
  const conditions = Array.from({ length: 65_536 }, (_, id) => ["id", "Eq", id]);
  const refused = await query(ns, { aggregate_by, filters: ["Or", conditions] });
  expectError(refused, 400, "at most 65536 expressions");
});

test("a query that needs an index in the making is told to wait, and then answered", async () => {
  const schema = { text: { type: "string", full_text_search: true } };
  expect((await call("POST", `/v1/namespaces/${ns}/schema`, schema)).status).toBe(200);
  const bm25 = { rank_by: ["text", "BM25", "number 23999"], limit: 1 };
  let waits = 0;
  for (;;) {
    const answer = await query(ns, bm25);
    if (answer.status !== 202) {
      expect(answer.json.rows).toMatchObject([{ id: COUNT - 1 }]);
      break;
    }
    expectError(answer, 202, "text");
    expect(Number(answer.headers.get("retry-after-ms"))).toBeGreaterThan(0);
    expect(answer.headers.get("preference-applied")).toBeNull();
    expect(++waits).toBeLessThan(10_000);
  }
  const other = await query(ns, { rank_by: ["id", "asc"], limit: 1 });
  expect(other.status).toBe(200);
});
