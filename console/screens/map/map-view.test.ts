import { expect, test } from "vitest";
import { testRandom } from "../../../test/support/random/seed.ts";
import { boundsOf, fitView, inMap, onScreen, panView, zoomView } from "./map-view.ts";

const SCREEN = { width: 800, height: 400 };

test("the view of everything has all points on the screen, the middle in the middle", () => {
  const bounds = boundsOf(Float32Array.from([-3, 5, 1, 6, 2, -7]));
  expect(bounds).toEqual({ minX: -3, minY: -7, maxX: 2, maxY: 6 });
  const view = fitView(bounds, SCREEN);
  expect(onScreen(view, { x: -0.5, y: -0.5 })).toEqual({ x: 400, y: 200 });
  for (const corner of [
    { x: -3, y: -7 },
    { x: 2, y: 6 },
  ]) {
    const { x, y } = onScreen(view, corner);
    expect(x).toBeGreaterThan(0);
    expect(x).toBeLessThan(800);
    expect(y).toBeGreaterThan(0);
    expect(y).toBeLessThan(400);
  }
});

test("points that are all one, or none, have a finite view", () => {
  for (const positions of [[], [4, 4], [4, 4, 4, 4]]) {
    const view = fitView(boundsOf(Float32Array.from(positions)), SCREEN);
    expect(Number.isFinite(view.scale * view.shiftX * view.shiftY)).toBe(true);
  }
});

test("what is under the pointer stays there while one zooms", () => {
  const random = testRandom();
  const whole = fitView({ minX: -1, minY: -1, maxX: 1, maxY: 1 }, SCREEN);
  let view = whole;
  for (let i = 0; i < 100; i++) {
    const at = { x: random.next() * 800, y: random.next() * 400 };
    const before = inMap(view, at);
    view = zoomView(view, 0.5 + random.next(), at, whole);
    const after = inMap(view, at);
    expect(after.x).toBeCloseTo(before.x, 6);
    expect(after.y).toBeCloseTo(before.y, 6);
  }
});

test("zoom has bounds on both sides", () => {
  const whole = fitView({ minX: 0, minY: 0, maxX: 1, maxY: 1 }, SCREEN);
  const middle = { x: 400, y: 200 };
  expect(zoomView(whole, 1e9, middle, whole).scale).toBe(whole.scale * 2000);
  expect(zoomView(whole, 1e-9, middle, whole).scale).toBe(whole.scale / 4);
});

test("moving shifts every point alike", () => {
  const view = panView({ scale: 2, shiftX: 1, shiftY: 1 }, { x: 10, y: -5 });
  expect(onScreen(view, { x: 3, y: 4 })).toEqual({ x: 17, y: 4 });
});
