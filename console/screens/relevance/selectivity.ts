/**
 * Filters that let a given share of a namespace through, so that the recall of filtered searches
 * can be measured: bounds on an attribute, found by counting, or single values of it.
 */

/** Shares that are looked for; 1 is no filter. */
export const SHARES_WANTED = [0.5, 0.1, 0.01, 0.001] as const;

/** How near a share is near enough, as part of it. */
const TOLERANCE = 0.1;
/** Counts that one bound takes at most; halving finds any float in sensible data before. */
const STEPS_MAX = 32;

/** A bound and how many documents are not above it. */
export interface FoundBound {
  readonly bound: number;
  readonly count: number;
}

/** Values of an attribute, and how many documents are wanted. */
export interface BoundSearch {
  readonly least: number;
  readonly greatest: number;
  /** Documents with a value. */
  readonly total: number;
  readonly wanted: number;
  /** Bounds are whole numbers. */
  readonly isWhole: boolean;
}

/**
 * Halves the values until about as many documents as wanted are not above the bound; the nearest
 * that was seen, where many have the same value. Undefined where no bound leaves fewer than all.
 */
export async function findBound(
  { least, greatest, total, wanted, isWhole }: BoundSearch,
  countUpTo: (bound: number) => Promise<number>,
): Promise<FoundBound | undefined> {
  let [low, high] = [least, greatest];
  let best: FoundBound | undefined;
  for (let step = 0; step < STEPS_MAX && low < high; step++) {
    const middle = low + (high - low) / 2;
    const bound = isWhole ? Math.floor(middle) : middle;
    const count = await countUpTo(bound);
    const isNearer = best === undefined || Math.abs(count - wanted) < Math.abs(best.count - wanted);
    if (count > 0 && count < total && isNearer) best = { bound, count };
    if (Math.abs(count - wanted) <= wanted * TOLERANCE) break;
    if (count > wanted) high = bound;
    else if (isWhole) low = bound + 1;
    else if (bound === low) break;
    else low = bound;
  }
  return best;
}

/** A value of an attribute and how many documents have it. */
export interface ValueCount {
  readonly value: unknown;
  readonly count: number;
}

/** For each wanted share the value that is nearest to it by ratio; none is chosen twice. */
export function nearestValues(
  counts: readonly ValueCount[],
  total: number,
  shares: readonly number[] = SHARES_WANTED,
): ValueCount[] {
  const chosen: ValueCount[] = [];
  for (const share of shares) {
    const distance = ({ count }: ValueCount) => Math.abs(Math.log(count / total / share));
    const nearest = counts
      .filter((each) => each.count > 0 && !chosen.includes(each))
      .sort((a, b) => distance(a) - distance(b))[0];
    if (nearest !== undefined && distance(nearest) < Math.log(4)) chosen.push(nearest);
  }
  return chosen.sort((a, b) => b.count - a.count);
}

/** A share as people read it: 50 %, 0.1 %. */
export function shareText(share: number): string {
  const percent = share * 100;
  return `${percent >= 1 ? Number(percent.toFixed(1)) : Number(percent.toPrecision(2))} %`;
}
