import type { Steps } from "../../base/steps.ts";

/** Postings that are scored between two pauses, in some nanoseconds each. */
const POSTINGS_PER_STEP = 32_768;

/** Calls `visit` with ranges of postings, from `start` to before `end`, that cover `count`. */
export function* eachPostingRange(
  count: number,
  visit: (start: number, end: number) => void,
): Steps<void> {
  for (let start = 0; start < count; start += POSTINGS_PER_STEP) {
    visit(start, Math.min(start + POSTINGS_PER_STEP, count));
    yield;
  }
}
