import type { Random } from "../../../src/base/random.ts";

/** Ascending ordinals: few or many, all over the segment or close together. */
export function drawOrdinals(random: Random, documentCount: number): number[] {
  const isClose = random.below(2) === 0;
  const first = isClose ? random.below(documentCount) : 0;
  const span = isClose ? Math.min(documentCount - first, 1 + random.below(500)) : documentCount;
  const count = Math.min(span, 1 + random.below(random.below(3) === 0 ? 400 : 6));
  const drawn = new Set<number>();
  while (drawn.size < count) drawn.add(first + random.below(span));
  return [...drawn].sort((a, b) => a - b);
}
