/** How documents move from one ranking to another. */

/** A document that is in at least one of two rankings; ranks are from 1, and absent where it is not. */
export interface RankMove {
  readonly id: string;
  readonly left: number | undefined;
  readonly right: number | undefined;
}

/** What both rankings say of documents: those of the left one in its order, then new ones. */
export function rankMoves(left: readonly string[], right: readonly string[]): RankMove[] {
  const rightRanks = new Map(right.map((id, i) => [id, i + 1]));
  const leftIds = new Set(left);
  return [
    ...left.map((id, i) => ({ id, left: i + 1, right: rightRanks.get(id) })),
    ...right
      .filter((id) => !leftIds.has(id))
      .map((id) => ({ id, left: undefined, right: rightRanks.get(id) })),
  ];
}

/** The move in words, as seen from the right ranking: "up 3, from 5 to 2". */
export function moveText({ left, right }: RankMove): string {
  if (left === undefined) return "only in B";
  if (right === undefined) return "only in A";
  if (left === right) return `same place, ${right}`;
  const direction = right < left ? "up" : "down";
  return `${direction} ${Math.abs(left - right)}, from ${left} to ${right}`;
}

/** The move as a sign for the eye: ▲3, ▼2, =, or new. */
export function moveSign({ left, right }: RankMove): string {
  if (left === undefined || right === undefined) return "new";
  if (left === right) return "=";
  return right < left ? `▲${left - right}` : `▼${right - left}`;
}

/**
 * How much two rankings have in common: the share of the shorter one's documents that are in both;
 * 1 where both are empty.
 */
export function overlapOf(left: readonly string[], right: readonly string[]): number {
  const shorter = Math.min(left.length, right.length);
  if (shorter === 0) return left.length === right.length ? 1 : 0;
  const leftIds = new Set(left);
  return right.filter((id) => leftIds.has(id)).length / shorter;
}
