/** Runs plans over a snapshot. */

import type { Steps } from "../../base/steps.ts";
import type { QueryResult } from "../../model/query-result.ts";
import { missedBy } from "../../segment/format/bytes-missing.ts";
import { joinReads, type ReadingSteps, readInPlace } from "../../segment/format/reading-steps.ts";
import type { OrdinalBits } from "../documents/ordinal-bits.ts";
import { copyNodes } from "../operator/copy-nodes.ts";
import type { CountedPlan } from "../operator/counted-plan.ts";
import type { PartOutcome } from "../operator/division.ts";
import { missAllInSteps, together, togetherInSteps, withNeeds } from "../operator/missing-bytes.ts";
import type { Need, PredicateRun } from "../operator/operator.ts";
import type { Plan, Predicate } from "../operator/plan.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { addWorkStats, newWorkStats } from "../operator/work-stats.ts";
import { OPERATORS } from "../operators.ts";
import { findDivided } from "./divide-plan.ts";
import { findAll, finishPlan, type PlanInput } from "./findings.ts";

/** Runs plans to their answers. What all of them read next is one request. */
export function executePlans(
  plans: readonly CountedPlan[],
  input: Omit<PlanInput, "work">,
): ReadingSteps<QueryResult[]> {
  return joinReads(plans.map(({ plan, work }) => executePlan(plan, { ...input, work })));
}

/** Runs a plan to its answer. Threads that idle may take parts of it. */
export function* executePlan(plan: Plan, input: PlanInput): ReadingSteps<QueryResult> {
  const { findings, work } = yield* findInPlace(plan, input);
  addWorkStats(input.work, work);
  return yield* finishPlan(plan, findings, input);
}

/** Finds what the plan is about. Where bytes are missing, only this is done again. */
function findInPlace(plan: Plan, { snapshot, options }: PlanInput): ReadingSteps<PartOutcome> {
  let attempts = 0;
  const find = (): Steps<PartOutcome> => {
    if (attempts++ === 0) return findOnce(plan, { snapshot, options });
    return findAgain(plan, { snapshot, options });
  };
  return readInPlace(find, options.memory);
}

function* findAgain(
  plan: Plan,
  { snapshot, options }: Omit<PlanInput, "work">,
): Steps<PartOutcome> {
  const copy = yield* copyNodes(plan);
  // Until all bytes are known to be there, parts may be run for nothing.
  return yield* findOnce(copy, { snapshot, options: { ...options, division: undefined } });
}

function* findOnce(plan: Plan, { snapshot, options }: Omit<PlanInput, "work">): Steps<PartOutcome> {
  try {
    const divided = yield* findDivided(plan, { snapshot, options });
    if (divided !== undefined) return divided;
    const work = newWorkStats();
    return { findings: yield* findAll(plan, { snapshot, options, work }), work };
  } catch (error) {
    return yield* missAllInSteps(missedBy(error), planNeeds(plan, snapshot));
  }
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
