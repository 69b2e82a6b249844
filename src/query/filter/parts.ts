/** What conjunctions and disjunctions have in common. */

import type { SegmentView } from "../../segment/view/segment-view.ts";
import { coarsest, type Grain } from "../operator/grain.ts";
import type { Need, Operators, SegmentRun } from "../operator/operator.ts";
import type { Predicate } from "../operator/plan.ts";
import { indent } from "../operator/plan-text.ts";

/** A predicate of several parts. */
export interface PartsNode extends Predicate {
  readonly predicates: readonly Predicate[];
}

/** That of the costliest part. */
export function costOfParts({ predicates }: PartsNode, operators: Operators): number {
  return predicates.reduce(
    (cost, part) => Math.max(cost, operators.predicate(part).cost(part, operators)),
    0,
  );
}

/** That of the part which needs the most. */
export function grainOfParts({ predicates }: PartsNode, operators: Operators): Grain {
  return coarsest(predicates.map((part) => operators.predicate(part).grain(part, operators)));
}

/** Whether all parts are. */
export function arePartsOrdered(
  { predicates }: PartsNode,
  view: SegmentView,
  operators: Operators,
): boolean {
  return predicates.every((part) => {
    return operators.predicate(part).isOrdered?.(part, view, operators) === true;
  });
}

/** The parts, each arranged. */
export function arrangedParts({ predicates }: PartsNode, operators: Operators): Predicate[] {
  return predicates.map((part) => operators.predicate(part).arranged?.(part, operators) ?? part);
}

/** The needs of all parts. */
export function partsNeeds({ predicates }: PartsNode, run: SegmentRun): Need[] {
  return predicates.flatMap((part) => run.operators.predicate(part).needs(part, run));
}

/**
 * Lines of parts that are shown: there may be 65,536 parts, whose lines kept a query's thread for
 * 130 ms, at its time-out, too.
 */
const EXPLAINED_LINES_MAX = 1000;

/** A line or more for each part; parts beyond some thousand lines are counted. */
export function explainParts({ predicates }: PartsNode, operators: Operators): string[] {
  const lines: string[] = [];
  for (const [i, part] of predicates.entries()) {
    if (lines.length >= EXPLAINED_LINES_MAX) {
      lines.push(indent(`and ${predicates.length - i} more parts`));
      break;
    }
    lines.push(...operators.predicate(part).explain(part, "part", operators).map(indent));
  }
  return lines;
}
