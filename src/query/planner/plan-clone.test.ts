/** Plans are data: a clone, as another thread would be sent it, does what the plan does. */

import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import {
  documentQuery,
  KERNELS,
  openSnapshot,
  splitDocuments,
} from "../../../test/support/queries/query-fixture.ts";
import { EVERY_TYPE, randomDocuments } from "../../../test/support/random/random-documents.ts";
import {
  everyTypeSchema,
  pick,
  randomFilter,
  randomQuery,
  randomScore,
  randomVectorRank,
} from "../../../test/support/random/random-queries.ts";
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import type { ComputedAttribute, Query, VectorRank } from "../../model/query.ts";
import type { Schema } from "../../model/schema.ts";
import { executePlan } from "../executor/executor.ts";
import { scopeOf } from "../executor/run-request.ts";
import type { Plan } from "../operator/plan.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { newWorkStats } from "../operator/work-stats.ts";
import { AGGREGATES, COMPUTED, PLANS, PREDICATES, RANKINGS, SCORES } from "../operators.ts";
import { planQuery } from "./planner.ts";

const OPTIONS = { kernels: KERNELS };
const QUERIES = effort({ usual: 400, full: 600 });

/** Nodes that only conditions of writes have. */
const OF_CONDITIONS = ["vector_equals", "reference"];
/** All kinds of nodes that plans of queries have, and of tests of strings. */
const KINDS = [
  ...[PLANS, PREDICATES, SCORES, RANKINGS, COMPUTED, AGGREGATES].flatMap(({ kinds }) => kinds),
  ...["expression", "fuzzy"],
].filter((kind) => !OF_CONDITIONS.includes(kind));

function randomSnapshot(random: Random) {
  const idType = pick(random, ["uint", "string", "uuid"] as const);
  const metric = pick(random, ["cosine_distance", "euclidean_squared"] as const);
  const schema = everyTypeSchema(idType, metric);
  const documents = randomDocuments(random, 60, { idType, types: EVERY_TYPE, space: 90 });
  return { schema, snapshot: openSnapshot(schema, splitDocuments(random, documents, 3)) };
}

function randomVectorQuery(random: Random, schema: Schema): Query {
  const rankBy = randomVectorRank(random) as VectorRank;
  const { attribute, operand } = randomVectorRank(random) as VectorRank;
  const distance: ComputedAttribute = { kind: "vector_dist", attribute, operand };
  const filter = random.below(2) === 0 ? undefined : randomFilter(random, schema, 2);
  return documentQuery(rankBy, { filter, limit: 7, computed: new Map([["far", distance]]) });
}

function randomHighlight(random: Random, schema: Schema): Query {
  const text = {
    kind: "bm25",
    attribute: "string",
    query: "quick brown fox",
    lastAsPrefix: random.below(2) === 0,
  } as const;
  const clauses = [text, randomScore(random, schema, 1)];
  const rankFragmentsBy = random.below(2) === 0 ? undefined : text;
  const highlight: ComputedAttribute = {
    kind: "highlight",
    attribute: "string",
    fragmentBy: pick(random, ["word", "sentence", "none"]),
    fragmentLimit: 2,
    offsets: pick(random, ["utf-8", undefined]),
    rankFragmentsBy,
  };
  const expression = { kind: "sum", clauses } as const;
  return documentQuery({ kind: "score", expression }, { computed: new Map([["h", highlight]]) });
}

function run(plan: Plan, snapshot: Snapshot) {
  const work = newWorkStats();
  return { result: runReads(executePlan(plan, { snapshot, options: OPTIONS, work })), work };
}

/** The kinds of all nodes of some data. */
function kindsOf(data: unknown): string[] {
  if (typeof data !== "object" || data === null || ArrayBuffer.isView(data)) return [];
  const own = "kind" in data && typeof data.kind === "string" ? [data.kind] : [];
  return [...own, ...Object.values(data).flatMap(kindsOf)];
}

test("a clone of a plan gives the same answer for the same work, whatever the plan has", () => {
  const random = seededRandom(9102);
  const seen = new Set<string>();
  for (let round = 0; round < 4; round++) {
    const { schema, snapshot } = randomSnapshot(random);
    for (let i = 0; i < QUERIES / 4; i++) {
      const draw = pick(random, [randomQuery, randomQuery, randomVectorQuery, randomHighlight]);
      const plan = runSteps(planQuery(draw(random, schema), scopeOf(snapshot, OPTIONS)));
      const clone = structuredClone(plan);
      expect(clone, `round ${round}, query ${i}`).toEqual(plan);
      expect(run(clone, snapshot), `round ${round}, query ${i}`).toEqual(run(plan, snapshot));
      for (const kind of kindsOf(plan)) seen.add(kind);
    }
  }
  expect(KINDS.filter((kind) => !seen.has(kind))).toEqual([]);
});
