/** How finely queries are cut that have much of something: by counts, since time is no measure. */

import { expect, test } from "vitest";
import { countSteps } from "../../../test/support/queries/count-steps.ts";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  BY_ID,
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import type { Query, QueryRequest } from "../../model/query.ts";
import { runRequest } from "./run-request.ts";

const COUNT = 20_000;
const documents = Array.from({ length: COUNT }, (_, i) =>
  documentOf(BigInt(i), { tag: `tag ${i}`, n: BigInt(i) }),
);
const schema = schemaOf({ tag: "string", n: "int", absent: "int" });
const snapshot = openSnapshot(schema, [{ documents }]);
const few = openSnapshot(schema, [{ documents: documents.slice(0, 10) }]);

const stepsOf = (request: QueryRequest, of = snapshot): number =>
  countSteps(runRequest(of, request, { kernels: KERNELS })).count;
const where = (filter: unknown[]): QueryRequest =>
  requestOf(documentQuery(BY_ID, { limit: 10, filter: filterOf(filter) }));

test("filters of many parts pause after each", () => {
  const parts = Array.from({ length: 2000 }, (_, i) => ["tag", "Eq", `tag ${i}`]);
  expect(stepsOf(where(["Or", parts]), few)).toBeGreaterThan(2000);
  const others = parts.map(([name, , value]) => [name, "NotEq", `no ${value}`]);
  expect(stepsOf(where(["And", others]), few)).toBeGreaterThan(2000);
});

test("long lists of ids are hashed, looked up, and visited in parts", () => {
  const filter = filterOf(["id", "In", documents.map((_, i) => i)]);
  // No document has a value of it, so that there is no order to walk through.
  const keys = [{ attribute: "absent", direction: "asc" }] as const;
  const request = requestOf(documentQuery({ kind: "order", keys }, { limit: 10, filter }));
  expect(stepsOf(request)).toBeGreaterThan(COUNT / 4096 + COUNT / 512);
});

test.each([
  ["n", documents.map((_, i) => COUNT - i)],
  ["tag", documents.map((_, i) => `no tag ${i}`)],
])("lists of %s are bound, and looked for, in parts", (attribute, values) => {
  expect(stepsOf(where([attribute, "In", values]), few)).toBeGreaterThan(COUNT / 2048);
});

test.each(["tag", "n"])("groups by %s are sorted and returned in parts", (attribute) => {
  const groups = (groupLimit: number): Query => ({
    kind: "aggregate",
    filter: undefined,
    aggregates: new Map([["n", { kind: "count" }]]),
    groupBy: [{ kind: "attribute", attribute }],
    groupLimit,
  });
  const more = stepsOf(requestOf(groups(10_000))) - stepsOf(requestOf(groups(0)));
  expect(more).toBeGreaterThan(10_000 / 64 + 10_000 / 256 - 2);
});

test("rankings are made into one in parts", () => {
  const query = documentQuery(BY_ID, { limit: 10_000 });
  const both = { ...requestOf(query, query), kind: "multi" } as const;
  const fusion = { rankConstant: 60, weights: [1, 1], limit: 10_000, offset: 0 };
  const more = stepsOf({ ...both, fusion }) - stepsOf(both);
  expect(more).toBeGreaterThan(20_000 / 256 + 20_000 / 512 + 10_000 / 64);
});
