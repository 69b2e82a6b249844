/** Runs plans over a snapshot. */

import type { Steps } from "../../base/steps.ts";
import type { QueryResult } from "../../model/query-result.ts";
import type { OrdinalBits } from "../documents/ordinal-bits.ts";
import type { CountedPlan } from "../operator/counted-plan.ts";
import type { PartOutcome } from "../operator/division.ts";
import { KeptFindings } from "../operator/kept-findings.ts";
import { together, togetherInSteps, withNeeds } from "../operator/missing-bytes.ts";
import type { Need, PredicateRun } from "../operator/operator.ts";
import type { Plan, Predicate } from "../operator/plan.ts";
import type { QueryOptions } from "../operator/query-options.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { addWorkStats, newWorkStats } from "../operator/work-stats.ts";
import { OPERATORS } from "../operators.ts";
import { planOutline } from "../planner/plan-outline.ts";
import { findConcurrently, timed } from "./concurrent-plans.ts";
import { findDivided } from "./divide-plan.ts";
import { findAll, finishPlan, type PlanInput } from "./findings.ts";

/**
 * Runs plans to their answers. Throws one `BytesMissing` for all of them, with what the plans are
 * known to need beside what they have met: they may be run again from their start.
 */
export function* executePlans(
  plans: readonly CountedPlan[],
  input: Omit<PlanInput, "work">,
): Steps<QueryResult[]> {
  const { snapshot } = input;
  const isSingle = plans.length === 1;
  const options = isSingle ? input.options : yield* keepConcurrent(plans, snapshot, input.options);
  const find = isSingle ? findOnce : findTimed;
  return yield* withNeeds(
    () =>
      togetherInSteps(plans, ({ plan, work }, index) =>
        executePlan(plan, { snapshot, options, work }, { index, find }),
      ),
    () => plans.flatMap(({ plan }) => planNeeds(plan, snapshot)),
  );
}

/** Finds what several plans find at the same time, where that is worth it, and keeps it. */
function* keepConcurrent(
  plans: readonly CountedPlan[],
  snapshot: Snapshot,
  options: QueryOptions,
): Steps<QueryOptions> {
  const { kept = new KeptFindings(), memory } = options;
  if (kept.size > 0) return options;
  const bytesBefore = memory?.bytes ?? 0;
  const all = plans.map(({ plan }) => plan);
  const outcomes = yield* findConcurrently(all, { snapshot, options });
  if (outcomes === undefined) return options;
  const bytes = (memory?.bytes ?? 0) - bytesBefore;
  for (const [index, outcome] of outcomes.entries()) {
    kept.set(index, outcome, index === 0 ? bytes : 0);
  }
  return { ...options, kept };
}

/** All looks of a plan that do not depend on what other looks find. */
export function planNeeds(plan: Plan, { segments }: Pick<Snapshot, "segments">): Need[] {
  const { predicate } = plan;
  return segments.flatMap(({ view }) => {
    const run = { view, operators: OPERATORS, together };
    return [
      ...OPERATORS.predicate(predicate).needs(predicate, run),
      ...OPERATORS.plan(plan).needs(plan, run),
    ];
  });
}

/** How a plan of a request is found. */
interface Subquery {
  /** Among those of the request. */
  readonly index: number;
  readonly find: (plan: Plan, input: PlanInput) => Steps<PartOutcome>;
}

/** Runs a plan to its answer. Threads that idle may take parts of it. */
export function* executePlan(
  plan: Plan,
  input: PlanInput,
  { index, find }: Subquery = { index: 0, find: findOnce },
): Steps<QueryResult> {
  const { kept, memory } = input.options;
  // Once a ranking is there, bytes can only be missing of what is returned.
  let outcome = kept?.get(index);
  if (outcome === undefined) {
    const bytesBefore = memory?.bytes ?? 0;
    outcome = yield* find(plan, input);
    kept?.set(index, outcome, (memory?.bytes ?? 0) - bytesBefore);
  }
  addWorkStats(input.work, outcome.work);
  return yield* finishPlan(plan, outcome.findings, input);
}

function* findOnce(plan: Plan, { snapshot, options }: PlanInput): Steps<PartOutcome> {
  const divided = yield* findDivided(plan, { snapshot, options });
  if (divided !== undefined) return divided;
  const work = newWorkStats();
  return { findings: yield* findAll(plan, { snapshot, options, work }), work };
}

/** Notes how long it takes, for requests to come that have the same plan beside others. */
function findTimed(plan: Plan, input: PlanInput): Steps<PartOutcome> {
  const { division } = input.options;
  const found = findOnce(plan, input);
  if (division === undefined || division.helperCount === 0) return found;
  return timed(division, planOutline([plan]), found);
}

/** The live documents of each segment that match, in the order of the segments. */
export function executePredicate(
  predicate: Predicate,
  { segments }: Pick<Snapshot, "segments">,
): Steps<OrdinalBits[]> {
  const operator = OPERATORS.predicate(predicate);
  const runs = segments.map(
    ({ view, liveBitmap }): PredicateRun => ({
      view,
      within: liveBitmap,
      operators: OPERATORS,
      together,
      togetherInSteps,
      work: newWorkStats(),
    }),
  );
  return withNeeds(
    () => togetherInSteps(runs, (run) => operator.run(predicate, run)),
    () => runs.flatMap((run) => operator.needs(predicate, run)),
  );
}
