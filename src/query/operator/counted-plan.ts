import type { Plan } from "./plan.ts";
import type { WorkStats } from "./work-stats.ts";

/** A plan, and where its work is counted. */
export interface CountedPlan {
  readonly plan: Plan;
  readonly work: WorkStats;
}
