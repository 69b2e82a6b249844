/**
 * Runs the plans of one request at the same time, on threads that idle, where that is worth its
 * cost by what such plans took lately. Plans that are long are divided by themselves
 * (`divide-plan.ts`), which fills the threads better.
 */

import type { Steps } from "../../base/steps.ts";
import { BytesMissing } from "../../segment/format/bytes-missing.ts";
import type { Division, PartOutcome, PlannedPart, PlanPart } from "../operator/division.ts";
import type { Plan } from "../operator/plan.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { planOutline } from "../planner/plan-outline.ts";
import { DIVISION_LIMITS } from "./divide-plan.ts";
import { type PlanInput, runPart } from "./findings.ts";

/** Another thread begins so many milliseconds after it was asked (ADR 17). */
const HELP_BEGINS_MS = 0.6;
/** A plan that takes longer is not handed over: its thread does nothing else before its end. */
const PLAN_MS_MAX = 8;

type RunInput = Pick<PlanInput, "snapshot" | "options">;

/**
 * What each plan finds, in their order; undefined if they have to be run one after the other, as
 * where nobody would help, or bytes are missing: then all of them are asked for together.
 */
export function* findConcurrently(
  plans: readonly Plan[],
  { snapshot, options }: RunInput,
): Steps<PartOutcome[] | undefined> {
  const { division, kernels, enter, memory } = options;
  if (division === undefined || division.helperCount === 0) return undefined;
  const outlines = plans.map((plan) => planOutline([plan]));
  const times = outlines.map((outline) => division.planMs(outline));
  const { savedMsMin } = division.limits ?? DIVISION_LIMITS;
  const saved = savedMs(times, division.helperCount);
  if (saved === undefined || saved < savedMsMin) return undefined;
  const bytesBefore = memory?.bytes ?? 0;
  // Without a division of its own, nor progress: nothing of it is taken up again.
  const alone = { snapshot, options: { kernels, enter, memory } };
  const run = ({ plan, ranges }: PlannedPart) =>
    timed(division, outlines[plan], runPart(plans[plan], ranges, alone));
  const parts = longestFirst(times).map((plan) => ({ plan, ranges: allOf(snapshot) }));
  try {
    const ran = yield* division.runParts({ plans, snapshot, parts }, run);
    const found: PartOutcome[] = [];
    for (const [i, { plan }] of parts.entries()) {
      const { elsewhereMs } = ran[i];
      if (elsewhereMs !== undefined) division.notePlan(outlines[plan], elsewhereMs);
      found[plan] = ran[i];
    }
    return found;
  } catch (error) {
    if (!(error instanceof BytesMissing)) throw error;
    memory?.giveBackTo(bytesBefore);
    return undefined;
  }
}

/** Notes what finding took for plans of the outline. */
export function* timed(
  division: Division,
  outline: string,
  find: Steps<PartOutcome>,
): Steps<PartOutcome> {
  const startMs = division.workedMs();
  const outcome = yield* find;
  division.notePlan(outline, division.workedMs() - startMs);
  return outcome;
}

/**
 * Milliseconds by which plans that take so long are found sooner if each is run by the first thread
 * that is free, the longest plan first; undefined where nothing is known of one, or one is too
 * long.
 */
export function savedMs(
  times: readonly (number | undefined)[],
  helperCount: number,
): number | undefined {
  const known = times.filter((ms) => ms !== undefined && ms <= PLAN_MS_MAX);
  if (known.length < times.length) return undefined;
  const freeAtMs = [0, ...Array.from({ length: helperCount }, () => HELP_BEGINS_MS)];
  let sumMs = 0;
  for (const i of longestFirst(times)) {
    const ms = times[i] ?? 0;
    const first = freeAtMs.indexOf(Math.min(...freeAtMs));
    freeAtMs[first] += ms;
    sumMs += ms;
  }
  const busy = freeAtMs.filter((ms, thread) => thread === 0 || ms > HELP_BEGINS_MS);
  return sumMs - Math.max(...busy);
}

/** Indexes of plans: a long one that is begun last would keep one thread while the others idle. */
function longestFirst(times: readonly (number | undefined)[]): number[] {
  return [...times.keys()].sort((a, b) => (times[b] ?? 0) - (times[a] ?? 0));
}

function allOf({ segments }: Snapshot): PlanPart {
  return segments.map(({ view }, segment) => ({ segment, start: 0, end: view.documentCount }));
}
