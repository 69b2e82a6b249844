/** Runs plans over a snapshot. */

import type { QueryResult } from "../model/query-result.ts";
import { attemptAll } from "../segment/format/bytes-missing.ts";
import { Aggregation } from "./aggregate/aggregate-documents.ts";
import { matcherOf } from "./matching.ts";
import type { AggregatePlan, Plan } from "./plan.ts";
import { projectDocuments } from "./project-documents.ts";
import { type Execution, rankDocuments } from "./rank-documents.ts";

/** Runs a plan to its answer. */
export function executePlan(plan: Plan, execution: Execution): QueryResult {
  if (plan.kind === "aggregate") return aggregate(plan, execution);
  const ranked = rankDocuments(plan, execution);
  return { kind: "documents", documents: projectDocuments(plan, ranked, execution) };
}

function aggregate(plan: AggregatePlan, { snapshot, work }: Execution): QueryResult {
  const aggregation = new Aggregation(plan);
  const match = matcherOf(plan.predicate, snapshot.schema.idType, work);
  attemptAll(
    snapshot.segments.map((segment) => () => aggregation.add(segment.view, match(segment))),
  );
  return plan.groups.length === 0
    ? { kind: "aggregates", aggregates: aggregation.totals() }
    : { kind: "groups", groups: aggregation.groups() };
}
