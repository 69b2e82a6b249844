import { describe, expect, test } from "vitest";
import {
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
} from "../../../test/support/queries/query-fixture.ts";
import {
  everyTypeSchema,
  randomFilter,
  randomQuery,
  randomVectorRank,
} from "../../../test/support/random/random-queries.ts";
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import { seededRandom } from "../../base/random.ts";
import type { Filter } from "../../model/filter.ts";
import type { Query } from "../../model/query.ts";
import { runRequest } from "../executor/run-request.ts";
import type { Plan } from "../operator/plan.ts";
import { AGGREGATES, COMPUTED, PLANS, PREDICATES, RANKINGS, SCORES } from "../operators.ts";
import { planOutline } from "./plan-outline.ts";

const SCHEMA = everyTypeSchema("uint", "cosine_distance");
const SNAPSHOT = openSnapshot(SCHEMA, []);

function plansOf(query: Query): readonly Plan[] {
  let plans: readonly Plan[] = [];
  const planned = (all: readonly { readonly plan: Plan }[]) => {
    plans = all.map(({ plan }) => plan);
  };
  runReads(runRequest(SNAPSHOT, requestOf(query), { kernels: KERNELS, planned }));
  return plans;
}

test("an outline names nodes, what they are of, and how they are nested", () => {
  const filter: Filter = {
    kind: "and",
    filters: [
      {
        kind: "condition",
        attribute: "id",
        operator: "In",
        operand: { kind: "value", value: [1n, 2n] },
      },
      {
        kind: "not",
        filter: {
          kind: "condition",
          attribute: "id",
          operator: "Lt",
          operand: { kind: "value", value: 815n },
        },
      },
    ],
  };
  const rankBy = { kind: "order", keys: [{ attribute: "id", direction: "desc" }] } as const;
  const plans = plansOf(documentQuery(rankBy, { filter, limit: 3 }));
  expect(planOutline(plans)).toBe("documents(order(id), and(membership(id), not(range(id))))");
  expect(planOutline([...plans, ...plans])).toMatch(/ ×2$/);
});

describe.each([911, 912, 913])("seed %i", (seed) => {
  test("an outline has nothing but names of the schema and words of the program", () => {
    const random = seededRandom(seed);
    const kinds = [AGGREGATES, COMPUTED, PLANS, PREDICATES, RANKINGS, SCORES].flatMap(
      (operators) => operators.kinds,
    );
    const words = new Set([...kinds, ...SCHEMA.attributes.keys(), "id"]);
    for (const word of ["ANN", "kNN", "scan", "gather", "all", "any"]) words.add(word);
    for (let i = 0; i < 200; i++) {
      const filter = randomFilter(random, SCHEMA, 2);
      const query =
        i % 4 === 0
          ? documentQuery(randomVectorRank(random), { filter, limit: 5 })
          : randomQuery(random, SCHEMA);
      const outline = planOutline(plansOf(query));
      const seen = outline.replaceAll(/ ×\d+/g, "").split(/[(), |]+/);
      expect(seen.filter((word) => word !== "" && !words.has(word))).toEqual([]);
    }
  });
});
