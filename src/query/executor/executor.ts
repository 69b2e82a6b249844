/** Runs plans over a snapshot. */

import type { Steps } from "../../base/steps.ts";
import type { QueryResult } from "../../model/query-result.ts";
import type { OrdinalBits } from "../documents/ordinal-bits.ts";
import type { CountedPlan } from "../operator/counted-plan.ts";
import type { PartOutcome } from "../operator/division.ts";
import { together, togetherInSteps, withNeeds } from "../operator/missing-bytes.ts";
import type { Need, PredicateRun } from "../operator/operator.ts";
import type { Plan, Predicate } from "../operator/plan.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { addWorkStats, newWorkStats } from "../operator/work-stats.ts";
import { OPERATORS } from "../operators.ts";
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
  return yield* withNeeds(
    () =>
      togetherInSteps(plans, ({ plan, work }, index) =>
        executePlan(plan, { ...input, work }, index),
      ),
    () => plans.flatMap(({ plan }) => planNeeds(plan, snapshot)),
  );
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

/**
 * Runs a plan to its answer; `index` is its place among those of the request. Threads that idle may
 * take parts of it.
 */
export function* executePlan(plan: Plan, input: PlanInput, index = 0): Steps<QueryResult> {
  const { kept, memory } = input.options;
  // Once a ranking is there, bytes can only be missing of what is returned.
  let outcome = kept?.get(index);
  if (outcome === undefined) {
    const bytesBefore = memory?.bytes ?? 0;
    outcome = yield* findOnce(plan, input);
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
