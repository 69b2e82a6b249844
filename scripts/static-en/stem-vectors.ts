/** What becomes of raw vectors: nearer to relations, of one length, without what all share. */

import type { Relation } from "./training-bags.ts";

/** Rows of one length each, one after the other. */
export interface StemVectors {
  readonly dimensions: number;
  readonly rows: Float32Array;
}

/** How much a stem's own vector counts beside the mean of its relations; measured (ADR 43). */
const OWN_WEIGHT = 3;
const RETROFIT_ROUNDS = 5;

/**
 * Draws each stem to its synonyms and to what is more general, and leaves it near to where it was
 * ("retrofitting", Faruqui et al. 2015). Rows have length 1.
 */
export function retrofit(
  { dimensions, rows }: StemVectors,
  relations: readonly Relation[],
  places: ReadonlyMap<string, number>,
): StemVectors {
  const neighbours = neighboursOf(relations, places, rows.length / dimensions);
  const origin = rows.slice();
  normalizeRows(origin, dimensions);
  let current = origin;
  for (let round = 0; round < RETROFIT_ROUNDS; round++) {
    const next = origin.map((value) => OWN_WEIGHT * value);
    neighbours.forEach((weights, row) => {
      const sum = [...weights.values()].reduce((total, weight) => total + weight, 0);
      for (const [other, weight] of weights) {
        const share = weight / Math.max(sum, 1);
        for (let i = 0; i < dimensions; i++) {
          next[row * dimensions + i] += share * current[other * dimensions + i];
        }
      }
    });
    normalizeRows(next, dimensions);
    current = next;
  }
  return { dimensions, rows: current };
}

function neighboursOf(
  relations: readonly Relation[],
  places: ReadonlyMap<string, number>,
  count: number,
): Map<number, number>[] {
  const neighbours: Map<number, number>[] = Array.from({ length: count }, () => new Map());
  for (const { a, b, weight } of relations) {
    const [from, to] = [places.get(a), places.get(b)];
    if (from === undefined || to === undefined || from === to) continue;
    neighbours[from].set(to, Math.max(neighbours[from].get(to) ?? 0, weight));
    neighbours[to].set(from, Math.max(neighbours[to].get(from) ?? 0, weight));
  }
  return neighbours;
}

/**
 * Removes what stems have in common, by `weights`: the direction of their mean (Arora et al. 2017).
 * Rows have length 1.
 */
export function withoutCommon(
  { dimensions, rows }: StemVectors,
  weights: Float64Array,
): StemVectors {
  const left = rows.slice();
  normalizeRows(left, dimensions);
  const common = new Float64Array(dimensions);
  weights.forEach((weight, row) => {
    for (let i = 0; i < dimensions; i++) common[i] += weight * left[row * dimensions + i];
  });
  const length = Math.sqrt(common.reduce((sum, value) => sum + value * value, 0));
  for (let start = 0; start < left.length; start += dimensions) {
    let along = 0;
    for (let i = 0; i < dimensions; i++) along += (left[start + i] * common[i]) / length;
    for (let i = 0; i < dimensions; i++) left[start + i] -= (along * common[i]) / length;
  }
  normalizeRows(left, dimensions);
  return { dimensions, rows: left };
}

function normalizeRows(rows: Float32Array, dimensions: number): void {
  for (let start = 0; start < rows.length; start += dimensions) {
    let squares = 0;
    for (let i = 0; i < dimensions; i++) squares += rows[start + i] ** 2;
    const scale = squares === 0 ? 0 : 1 / Math.sqrt(squares);
    for (let i = 0; i < dimensions; i++) rows[start + i] *= scale;
  }
}
