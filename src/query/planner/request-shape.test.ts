import { describe, expect, test } from "vitest";
import { wireRequest, wireText } from "../../../test/support/documents/wire-text.ts";
import { requestOf } from "../../../test/support/queries/query-fixture.ts";
import { everyTypeSchema, randomQuery } from "../../../test/support/random/random-queries.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import type { QueryRequest } from "../../model/query.ts";
import { UnknownMembers } from "../../wire/json/unknown-members.ts";
import { parseQueryBody } from "../../wire/query/parse-query.ts";
import { requestShape } from "./request-shape.ts";

const SCHEMA = everyTypeSchema("uint", "cosine_distance");
const [TEXT, NUMBER] = ["title", "year"];
const NAMED = new Map([...SCHEMA.attributes, ...[TEXT, NUMBER, "v", "s"].map((n) => [n, {}])] as [
  string,
  never,
][]);

/** The shape of a body as a client writes it. */
function shapeOf(body: object): string {
  const bytes = Buffer.from(JSON.stringify(body));
  const unknown = new UnknownMembers({ isStrict: true });
  const request = runSteps(parseQueryBody(new Uint8Array(bytes), unknown));
  return requestShape(request, { attributes: NAMED });
}

test.each<[body: object, shape: string]>([
  [
    {
      rank_by: ["v", "ANN", [0.25, 0.5, 0.75]],
      filters: [
        "And",
        [
          [NUMBER, "Lt", 1999],
          [TEXT, "In", ["secret", "hidden"]],
          [TEXT, "Eq", null],
        ],
      ],
      top_k: 10,
      include_attributes: [TEXT, NUMBER],
    },
    "rank_by v ANN <vector of 3>; filters And(year Lt <integer>, title In <2 strings>, " +
      "title Eq <null>); limit 10; include_attributes title, year",
  ],
  [
    {
      rank_by: [
        "Sum",
        [
          ["Product", 2.5, [TEXT, "BM25", "secret words"]],
          ["s", "SparseKNN", { secret: 1 }],
        ],
      ],
      filters: ["Or", Array.from({ length: 40 }, (_, i) => [TEXT, "Regex", `secret${i}`])],
      limit: { total: 5, per: { attributes: [NUMBER], limit: 1 } },
      include_attributes: true,
    },
    "rank_by Sum(Product(<number>, title BM25 <string>), s SparseKNN <1 entries>); " +
      "filters Or(title Regex <string> ×40); limit 5; limit.per year: 1; include_attributes true",
  ],
  [
    {
      rank_by: [
        [NUMBER, "desc"],
        ["id", "asc"],
      ],
      filters: ["secret", "Eq", "x"],
      top_k: 3,
    },
    "rank_by year desc, id asc; filters <unknown attribute> Eq <string>; limit 3",
  ],
  [
    { aggregate_by: { secret: ["Sum", NUMBER], n: ["Count"] }, group_by: [TEXT], top_k: 7 },
    "aggregate_by Sum year, Count; group_by title; limit 7",
  ],
  [
    {
      queries: [
        { rank_by: ["v", "kNN", [1, 2]], top_k: 2, filters: [NUMBER, "Eq", 1] },
        { rank_by: [TEXT, "BM25", ["secret"]], top_k: 2, filters: ["Not", [NUMBER, "Gte", 7]] },
      ],
      consistency: { level: "eventual" },
    },
    "queries [rank_by v kNN <vector of 2>; filters year Eq <integer>; limit 2 | " +
      "rank_by title BM25 <1 strings>; filters Not(year Gte <integer>); limit 2]; " +
      "consistency eventual",
  ],
])("the shape of %j", (body, shape) => {
  expect(shapeOf(body)).toBe(shape);
});

const PLANTED = "planted";
const PLANTED_NUMBER = 8_151_623;
/** Members of requests that are literals, in all of the model. */
const LITERALS = new Set(["value", "query", "text", "origin", "midpoint", "options", "entries"]);

/** The same request with other literals in all places of literals. */
function planted(value: unknown, isLiteral = false): unknown {
  if (typeof value === "string") return isLiteral ? `${PLANTED} ${value}` : value;
  if (typeof value === "bigint") return isLiteral ? BigInt(PLANTED_NUMBER) : value;
  if (typeof value === "number") return isLiteral ? PLANTED_NUMBER : value;
  if (value instanceof Set || ArrayBuffer.isView(value)) return value;
  if (value instanceof Map) {
    const entries = [...value].map(([key, member]) => [
      isLiteral ? `${PLANTED} ${key}` : key,
      planted(member, isLiteral),
    ]);
    return new Map(entries as [string, unknown][]);
  }
  if (Array.isArray(value)) return value.map((item) => planted(item, isLiteral));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [
    name,
    planted(member, isLiteral || LITERALS.has(name)),
  ]);
  return Object.fromEntries(members);
}

describe.each([901, 902, 903])("seed %i", (seed) => {
  test("no literal of a request is in its shape, nor does it depend on one", () => {
    const random = seededRandom(seed);
    for (let i = 0; i < 200; i++) {
      const request = requestOf(randomQuery(random, SCHEMA));
      const shape = requestShape(request, SCHEMA);
      const other = requestShape(planted(request) as QueryRequest, SCHEMA);
      expect(other, wireText(wireRequest(request))).toBe(shape);
      expect(other).not.toMatch(/planted|8151623/);
    }
  });
});

test("shapes of huge requests are short", () => {
  const parts = Array.from({ length: 5000 }, (_, i) => [i % 2 ? TEXT : NUMBER, "Eq", i]);
  const shape = shapeOf({ rank_by: ["id", "asc"], filters: ["Or", parts], top_k: 1 });
  expect(shape.length).toBeLessThanOrEqual(2001);
  expect(shape).toContain("…");
});
