import type { Steps } from "../../base/steps.ts";
import { PostingBuffer, type PostingLists } from "../postings/posting-section.ts";
import type { TextLists } from "./text-lists.ts";

/** Lists that one step compares. */
const STEP_LISTS = 1024;

/** Tells whether the lists of a segment are those that were built. */
export function* areSameLists(
  stored: TextLists,
  { starts, ordinals, numbers }: PostingLists,
): Steps<boolean> {
  if (stored.listCount !== starts.length - 1) return false;
  const buffer = new PostingBuffer();
  for (let code = 0; code < stored.listCount; code++) {
    if (code % STEP_LISTS === STEP_LISTS - 1) yield;
    const count = stored.decode(code, buffer);
    const start = starts[code];
    if (count !== starts[code + 1] - start) return false;
    for (let i = 0; i < count; i++) {
      if (ordinals[start + i] !== buffer.ordinals[i]) return false;
      if (numbers[start + i] !== buffer.numbers[i]) return false;
    }
  }
  return true;
}
