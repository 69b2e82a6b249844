import { expect, test } from "vitest";
import { testRandom } from "../../../../test/support/random/seed.ts";
import { plainShades, shadesOf } from "../drawing/point-shades.ts";
import { isInside } from "../lasso.ts";
import { boundsOf } from "../map-view.ts";
import { lassoOfText } from "./lasso-address.ts";
import {
  colorSelection,
  type DrawnPlaces,
  drawnPlaces,
  isOfColor,
  lassoSelection,
  selectedPoints,
} from "./selection-address.ts";

const COUNT = 1000;
const LAST = { method: "umap", round: undefined } as const;
const LONG = "x".repeat(500);

function mapOf(random: () => number) {
  const positions = Float32Array.from({ length: COUNT * 2 }, random);
  const values = Array.from({ length: COUNT }, (_, i) => (i % 3 === 0 ? LONG : `group ${i % 3}`));
  const shades = shadesOf(values, "light");
  return { positions, shades, count: COUNT };
}

test("a selection by a line is the points within the line that its text says", () => {
  const { positions, ...map } = mapOf(testRandom().next);
  const line = [
    { x: 0.2, y: 0.1 },
    { x: 0.9, y: 0.4 },
    { x: 0.4, y: 0.8 },
  ];
  const text = lassoSelection(line, positions, LAST) ?? "";
  const again = lassoOfText(text.slice("umap.".length), boundsOf(positions)) ?? [];
  const slow = Array.from({ length: COUNT }, (_, i) => i).filter((i) =>
    isInside({ x: positions[i * 2], y: positions[i * 2 + 1] }, again),
  );
  const of = { ...map, positionsOf: () => positions };
  expect(slow.length).toBeGreaterThan(100);
  expect(selectedPoints(text, of)).toEqual(slow);
  // A map of UMAP that is not drawn has no places for it.
  const byPca = {
    ...map,
    positionsOf: ({ method }: DrawnPlaces) => (method === "pca" ? positions : undefined),
  };
  expect(selectedPoints(text, byPca)).toBeUndefined();
  expect(lassoSelection(line.slice(1), positions, LAST)).toBeUndefined();
});

test("a line over an unfinished map says the round, and is found in no other", () => {
  const { positions, ...map } = mapOf(testRandom().next);
  const line = [
    { x: 0, y: 0 },
    { x: 1, y: 0 },
    { x: 0, y: 1 },
  ];
  const text = lassoSelection(line, positions, { method: "umap", round: 120 }) ?? "";
  expect(drawnPlaces(text)).toEqual({ method: "umap", round: 120 });
  const inRound = (drawn: number) => ({
    ...map,
    positionsOf: ({ round }: DrawnPlaces) => (round === drawn ? positions : undefined),
  });
  expect(selectedPoints(text, inRound(120))?.length).toBeGreaterThan(100);
  expect(selectedPoints(text, inRound(130))).toBeUndefined();
  expect(drawnPlaces(lassoSelection(line, positions, LAST) ?? "")).toEqual(LAST);
});

test("a selection by colour names the value, within a bound", () => {
  const { positions, ...map } = mapOf(testRandom().next);
  const of = { ...map, positionsOf: () => positions };
  for (const entry of map.shades.legend) {
    const text = colorSelection(entry);
    expect(text.length).toBeLessThanOrEqual(206);
    expect(isOfColor(text)).toBe(true);
    expect(selectedPoints(text, of)).toHaveLength(entry.count);
  }
  expect(selectedPoints("color.none of them", of)).toBeUndefined();
  const plain = { ...of, shades: plainShades(COUNT, "light") };
  expect(selectedPoints("color.group 1", plain)).toBeUndefined();
});

test("all are all, and what says nothing selects nothing", () => {
  const { positions, ...map } = mapOf(testRandom().next);
  const of = { ...map, positionsOf: () => positions };
  expect(selectedPoints("all", of)).toHaveLength(COUNT);
  for (const text of [
    "",
    "pca",
    "pca.",
    "pca.1_2_3",
    "tsne.0_0_1_1.1_2.2_3.1",
    "umap-0.x",
    "pca-1.x",
  ]) {
    expect(selectedPoints(text, of), text).toBeUndefined();
  }
});
