/**
 * The smallest unit that a part of a divided plan may have: ordinals of a segment, where a look at
 * some of them costs their share of the segment; whole segments; or all of the snapshot.
 */
export type Grain = "ordinals" | "segments" | "snapshot";

/** From fine to coarse. */
const GRAINS: readonly Grain[] = ["ordinals", "segments", "snapshot"];

/** The grain that suits all of them; the finest if there are none. */
export function coarsest(grains: readonly Grain[]): Grain {
  return GRAINS[Math.max(0, ...grains.map((grain) => GRAINS.indexOf(grain)))];
}
