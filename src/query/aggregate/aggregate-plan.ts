import { runSteps } from "../../base/steps.ts";
import type { Findings, FindingsData } from "../executor/division.ts";
import { attributeNeeds } from "../filter/attribute-source.ts";
import { matcherOf } from "../filter/matcher.ts";
import { explainFilter } from "../plan/explain-filter.ts";
import type { Operators, PlanOperator } from "../plan/operator.ts";
import type { AggregatePlan } from "../plan/plan.ts";
import { Aggregation, type AggregationTotals } from "./aggregate-documents.ts";

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

  // Each part of a grouping finds its keys anew.
  grain: ({ groups }) => (groups.length > 0 ? "segments" : "ordinals"),

  *find(plan, execution) {
    const { snapshot, operators, togetherInSteps } = execution;
    const { enter, memory } = execution.options;
    const filterStep = (): string => explainFilter(plan.predicate, operators);
    const aggregateStep = (): string => explainAggregation(plan, operators).join("; ");
    const aggregation = new Aggregation(plan, operators, memory);
    const match = matcherOf(plan.predicate, { ...execution, idType: snapshot.schema.idType });
    yield* togetherInSteps(
      snapshot.segments.map(
        (segment) =>
          function* () {
            enter?.(filterStep);
            const matching = yield* match(segment);
            enter?.(aggregateStep);
            yield* aggregation.add(segment.view, matching);
          },
      ),
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
