/** A division that runs parts in this thread, one after the other. */

import type { Steps } from "../../../src/base/steps.ts";
import type {
  DividedPlan,
  Division,
  PartOutcome,
  PlanPart,
} from "../../../src/query/operator/division.ts";

/** Cuts every plan that may be divided into many parts. */
export class ManyParts implements Division {
  readonly helperCount = 3;
  readonly limits = { documentsMin: 1, rangeDocuments: 64, restMsMin: 0 };
  parts = 0;
  #nowMs = 0;

  workedMs(): number {
    this.#nowMs += 100;
    return this.#nowMs;
  }

  *runParts({ parts }: DividedPlan, run: (part: PlanPart) => Steps<PartOutcome>) {
    this.parts += parts.length;
    const outcomes: PartOutcome[] = [];
    for (const part of parts) outcomes.push(yield* run(part));
    return outcomes;
  }
}
