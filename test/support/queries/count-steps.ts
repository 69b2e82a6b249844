import type { Steps } from "../../../src/base/steps.ts";

/** Runs steps to their end and counts them. */
export function countSteps<T>(steps: Steps<T>): { readonly result: T; readonly count: number } {
  for (let count = 1; ; count++) {
    const next = steps.next();
    if (next.done === true) return { result: next.value, count };
  }
}
