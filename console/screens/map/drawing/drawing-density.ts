/** Pixels of a CSS pixel at most: more cost time and show no more. */
const DENSITY_MAX = 2;
/**
 * Points that are drawn sharply in each frame of a motion. At a density of two a point has four
 * times the pixels, so that 50,000 take a whole frame (bench/map-points.bench.ts).
 */
const POINTS_SHARP_MAX = 10_000;

/** How many pixels a CSS pixel of the map has; while it is moved, many points have fewer. */
export function drawingDensity(drawn: {
  /** The screen's own; some browsers tell 0. */
  readonly screen: number;
  readonly points: number;
  readonly isMoving: boolean;
}): number {
  const sharp = Math.min(DENSITY_MAX, drawn.screen || 1);
  return drawn.isMoving && drawn.points > POINTS_SHARP_MAX ? Math.min(1, sharp) : sharp;
}
