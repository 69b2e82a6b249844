import { runSteps, type Steps } from "../../base/steps.ts";
import type { SegmentSnapshot } from "../../segment/view/segment-view.ts";
import { attributeNeeds } from "../filter/attribute-source.ts";
import { type Matcher, matcherOf } from "../filter/matcher.ts";
import type { Findings, FindingsData } from "../operator/division.ts";
import { explainFilter } from "../operator/explain-filter.ts";
import type { Execution, Operators, PlanOperator } from "../operator/operator.ts";
import type { AggregatePlan } from "../operator/plan.ts";
import { Aggregation, type AggregationTotals } from "./aggregate-documents.ts";
import { COUNT } from "./count.ts";

/** What was aggregated. */
interface AggregateFindings extends Findings {
  readonly kind: "aggregate";
  readonly aggregation: Aggregation;
}

interface AggregateData extends FindingsData {
  readonly kind: "aggregate";
  readonly totals: AggregationTotals;
}

/** Queries for aggregates, in total or by group. */
export const AGGREGATE_PLAN: PlanOperator<AggregatePlan, AggregateFindings, AggregateData> = {
  kind: "aggregate",

  grain: (plan, { segments }, operators) => {
    // Each part of a grouping finds its keys anew, each part of a count all matches of a segment.
    if (plan.groups.length > 0) return "segments";
    const counts = countsAlone(plan);
    const { predicate } = plan;
    const { isOrdered } = operators.predicate(predicate);
    const isWhole = segments.every(({ view }) => isOrdered?.(predicate, view, operators) === true);
    return counts && isWhole ? "segments" : "ordinals";
  },

  *find(plan, execution) {
    const { snapshot, operators, togetherInSteps } = execution;
    const { memory } = execution.options;
    const aggregation = new Aggregation(plan, operators, memory);
    const match = matcherOf(plan.predicate, {
      ...execution,
      idType: snapshot.schema.idType,
      memory,
    });
    const steps = {
      filter: () => explainFilter(plan.predicate, operators),
      aggregate: () => explainAggregation(plan, operators).join("; "),
    };
    yield* togetherInSteps(snapshot.segments, (segment) =>
      aggregateSegment(segment, { plan, aggregation, match, steps, execution }),
    );
    return { kind: "aggregate", aggregation };
  },

  located: (findings) => findings,

  *merge(_plan, [first, ...others]) {
    for (const { aggregation } of others) {
      yield* first.aggregation.absorb(yield* aggregation.totals());
      yield;
    }
    return first;
  },

  *finish({ groups }, { aggregation }) {
    if (groups.length > 0) return { kind: "groups", groups: yield* aggregation.groups() };
    return { kind: "aggregates", aggregates: aggregation.aggregates() };
  },

  encode: ({ aggregation }) => ({ kind: "aggregate", totals: runSteps(aggregation.totals()) }),

  decode: (plan, { totals }, operators) => {
    const aggregation = new Aggregation(plan, operators);
    runSteps(aggregation.absorb(totals));
    return { kind: "aggregate", aggregation };
  },

  needs: ({ groups, aggregates }, run) => [
    ...groups.flatMap(({ attribute }) => attributeNeeds(attribute, run.view)),
    ...aggregates.flatMap(([, node]) => run.operators.aggregate(node).needs(node, run)),
  ],

  explain: (plan, _snapshot, operators) => explainAggregation(plan, operators),
};

/** What one segment is aggregated with. */
interface Aggregating {
  readonly plan: AggregatePlan;
  readonly aggregation: Aggregation;
  readonly match: Matcher;
  /** What is done, for whoever asks where the time went. */
  readonly steps: { readonly filter: () => string; readonly aggregate: () => string };
  readonly execution: Execution;
}

function* aggregateSegment(
  segment: SegmentSnapshot,
  { plan, aggregation, match, steps, execution }: Aggregating,
): Steps<void> {
  const { options } = execution;
  options.enter?.(steps.filter, "filter");
  const count = countOf(plan, segment, execution);
  if (count !== undefined) return aggregation.addCount(count);
  const matching = yield* match(segment);
  options.enter?.(steps.aggregate, "aggregate");
  yield* aggregation.add(segment.view, matching);
}

/** The matches of a segment of which nothing is deleted, where they need not be found. */
function countOf(
  plan: AggregatePlan,
  { view, liveCount }: SegmentSnapshot,
  { operators, together, work }: Execution,
): number | undefined {
  if (plan.groups.length > 0 || !countsAlone(plan) || liveCount < view.documentCount) {
    return undefined;
  }
  const { predicate } = plan;
  const count = operators.predicate(predicate).count?.(predicate, { view, operators, together });
  if (count !== undefined) work.documentsScanned += liveCount;
  return count;
}

function countsAlone({ aggregates }: AggregatePlan): boolean {
  return aggregates.every(([, { kind }]) => kind === COUNT.kind);
}

function explainAggregation(
  { aggregates, groups, groupLimit }: AggregatePlan,
  operators: Operators,
): string[] {
  const functions = aggregates.map(
    ([label, node]) => `${label} = ${operators.aggregate(node).explain(node)}`,
  );
  const keys = groups.map(({ name, attribute, each }) =>
    each === "value" ? name : `${name} = each element of ${attribute}`,
  );
  const steps = [`Aggregate: ${functions.join(", ")}`];
  if (keys.length > 0) steps.push(`Group: ${keys.join(", ")}, at most ${groupLimit} groups`);
  return steps;
}
