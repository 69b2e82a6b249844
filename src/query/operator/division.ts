/**
 * Plans in parts: which documents a part is of, what a plan finds in them, and how threads that run
 * parts are asked for it.
 */

import type { Steps } from "../../base/steps.ts";
import type { Plan } from "./plan.ts";
import type { Snapshot } from "./snapshot.ts";
import type { QueryStats } from "./work-stats.ts";

/** Documents of one segment of a snapshot. */
export interface SegmentRange {
  /** Index among the snapshot's segments. */
  readonly segment: number;
  /** Ordinals from `start` to before `end`. */
  readonly start: number;
  readonly end: number;
}

/** Documents that one thread looks at at a time: ranges of different segments. */
export type PlanPart = readonly SegmentRange[];

/**
 * What a plan finds in some documents, before anything is read of those that it returns. What that
 * is is known to the plan's operator alone.
 */
export interface Findings {
  readonly kind: Plan["kind"];
}

/** The same as data, which can be sent to another thread. */
export interface FindingsData {
  readonly kind: Plan["kind"];
}

/** What was found, and what that cost. */
export interface PartOutcome {
  readonly findings: Findings;
  readonly work: QueryStats;
}

/** A plan and its parts. */
export interface DividedPlan {
  readonly plan: Plan;
  readonly snapshot: Snapshot;
  readonly parts: readonly PlanPart[];
}

/** When and how finely plans are divided. */
export interface DivisionLimits {
  /** Documents of a snapshot that is worth a look at the clock. */
  readonly documentsMin: number;
  /** Ordinals of the smallest range of a segment. */
  readonly rangeDocuments: number;
  /** Milliseconds that are left after the part that is timed, if the rest is divided. */
  readonly restMsMin: number;
}

/** Threads that help the one that runs a query. */
export interface Division {
  /** Absent: `DIVISION_LIMITS`. Tests make them small. */
  readonly limits?: DivisionLimits | undefined;
  /** How many would begin at once. */
  readonly helperCount: number;
  /** Time that the query has worked, without that of others between its steps. */
  workedMs(): number;
  /**
   * Runs every part once, some by `run` and some by what does the same elsewhere, and gives what
   * came out, in the order of the parts. Throws what `run` throws.
   */
  runParts(divided: DividedPlan, run: (part: PlanPart) => Steps<PartOutcome>): Steps<PartOutcome[]>;
}
