import type { Grain } from "./operator.ts";

const GRAINS: readonly Grain[] = ["ordinals", "segments", "snapshot"];

/** The grain that suits all of them; the smallest if there are none. */
export function coarsest(grains: readonly Grain[]): Grain {
  return GRAINS[Math.max(0, ...grains.map((grain) => GRAINS.indexOf(grain)))];
}
