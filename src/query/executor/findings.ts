/**
 * Runs plans over some documents and puts together what was found: the answer is the same, bit for
 * bit, whichever documents were looked at together. What findings are is up to the plan's operator.
 */

import { oneStep, type Steps } from "../../base/steps.ts";
import type { QueryResult } from "../../model/query-result.ts";
import type { ReadingSteps } from "../../segment/format/reading-steps.ts";
import type { SegmentSnapshot } from "../../segment/view/segment-view.ts";
import { addRange, countRange, emptyBits } from "../documents/ordinal-bits.ts";
import type {
  Findings,
  FindingsData,
  PartOutcome,
  PlanPart,
  SegmentRange,
} from "../operator/division.ts";
import { together, togetherInSteps, withNeeds } from "../operator/missing-bytes.ts";
import type { Execution } from "../operator/operator.ts";
import type { Plan } from "../operator/plan.ts";
import { newWorkStats } from "../operator/work-stats.ts";
import { OPERATORS } from "../operators.ts";

/** What plans run on. */
export type PlanInput = Pick<Execution, "snapshot" | "options" | "work">;

/** Runs a plan over the documents of a part. */
export function* runPart(
  plan: Plan,
  part: PlanPart,
  { snapshot, options }: Pick<PlanInput, "snapshot" | "options">,
): Steps<PartOutcome> {
  const work = newWorkStats();
  const segments = part.map((range) => within(snapshot.segments[range.segment], range));
  const findings = yield* findAll(plan, { snapshot: { ...snapshot, segments }, options, work });
  return { findings: OPERATORS.plan(plan).located(findings, part), work };
}

/** Runs a plan over all documents of a snapshot. */
export function findAll(plan: Plan, input: PlanInput): Steps<Findings> {
  return OPERATORS.plan(plan).find(plan, executionOf(input));
}

/** What was found in several parts of a snapshot together; may change the first of them. */
export function mergeFindings(
  plan: Plan,
  parts: readonly Findings[],
  input: PlanInput,
): Steps<Findings> {
  if (parts.length === 1) return oneStep(() => parts[0]);
  return OPERATORS.plan(plan).merge(plan, parts, executionOf(input));
}

/** The answer to a plan. Reads what is returned of the documents that were found. */
export function finishPlan(
  plan: Plan,
  findings: Findings,
  input: PlanInput,
): ReadingSteps<QueryResult> {
  return OPERATORS.plan(plan).finish(plan, findings, executionOf(input));
}

/** Findings as another thread can be sent them. */
export function encodeFindings(findings: Findings): FindingsData {
  return OPERATORS.plan(findings).encode(findings);
}

/** The plan's findings that another thread has sent. */
export function decodeFindings(plan: Plan, data: FindingsData): Findings {
  return OPERATORS.plan(plan).decode(plan, data, OPERATORS);
}

function executionOf(input: PlanInput): Execution {
  return { ...input, operators: OPERATORS, together, togetherInSteps, withNeeds };
}

/** The segment as if only the documents of the range were live. */
function within(segment: SegmentSnapshot, { start, end }: SegmentRange): SegmentSnapshot {
  const { view, liveBitmap } = segment;
  if (start === 0 && end === view.documentCount) return segment;
  const bits = emptyBits(view.documentCount);
  addRange(bits, liveBitmap, start, end);
  // Not a number: what is known of the whole segment at some version is not known of its part.
  return {
    view,
    liveBitmap: bits,
    liveCount: countRange(liveBitmap, start, end),
    liveVersion: Number.NaN,
  };
}
