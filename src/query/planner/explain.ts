import type { Plan } from "../operator/plan.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { OPERATORS } from "../operators.ts";

/**
 * Describes a plan over a snapshot for people, one step a line, what is done first at the bottom.
 * The text may change between versions.
 */
export function explainPlan(plan: Plan, snapshot: Snapshot): string {
  const { predicate } = plan;
  const { segments } = snapshot;
  const live = segments.reduce((sum, segment) => sum + segment.liveCount, 0);
  const lines = [
    ...OPERATORS.plan(plan).explain(plan, snapshot, OPERATORS),
    ...OPERATORS.predicate(predicate).explain(predicate, "Filter", OPERATORS),
    `Scan: ${live} live documents in ${segments.length} segments`,
  ];
  return lines.join("\n");
}
