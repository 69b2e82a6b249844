import { expect, test } from "vitest";
import { testRandom } from "../../../../test/support/random/seed.ts";
import { isInside } from "../lasso.ts";
import { boundsOf, type Place } from "../map-view.ts";
import { CORNERS_KEPT_MAX, lassoOfText, lassoText } from "./lasso-address.ts";

const BOUNDS = boundsOf(Float32Array.from([-30, -10, 50, 20]));

/** A line as a hand draws it: around a middle, in and out. */
function drawnLine(random: () => number, size: number): Place[] {
  const middle = { x: random() * 60 - 20, y: random() * 20 - 5 };
  const corners = 3 + Math.floor(random() * 1000);
  const waves = Math.floor(random() * 6);
  return Array.from({ length: corners }, (_, i) => {
    const turn = (i / corners) * 2 * Math.PI;
    const radius = size * (1 + 0.3 * Math.sin(turn * waves) + 0.01 * random());
    return { x: middle.x + radius * Math.cos(turn), y: middle.y + radius * Math.sin(turn) };
  });
}

test("a line of any length is a short text, which encloses nearly the same", () => {
  const random = testRandom();
  for (let i = 0; i < 200; i++) {
    const size = Math.exp(random.next() * 9 - 6);
    const line = drawnLine(random.next, size);
    const text = lassoText(line, BOUNDS);
    const again = lassoOfText(text ?? "", BOUNDS);
    if (text === undefined || again === undefined) throw new Error(`no line of ${text}`);
    expect(text.length).toBeLessThanOrEqual(640);
    expect(text).toMatch(/^[-\d._e]+$/);
    expect(again.length).toBeLessThanOrEqual(CORNERS_KEPT_MAX);
    // The slow way: of places all around, few are on another side of the kept line.
    let differs = 0;
    for (let j = 0; j < 300; j++) {
      const [{ x, y }] = line;
      const place = {
        x: x + (random.next() - 0.5) * 4 * size,
        y: y + (random.next() - 0.5) * 4 * size,
      };
      if (isInside(place, line) !== isInside(place, again)) differs++;
    }
    expect(differs).toBeLessThan(300 * 0.04);
    // What it says is what it says when it is said again.
    expect(lassoOfText(lassoText(again, BOUNDS) ?? "", BOUNDS)?.length).toBeGreaterThan(2);
  }
});

test("straight parts need their ends alone", () => {
  const side = Array.from({ length: 50 }, (_, i) => i / 5);
  const square = [
    ...side.map((x) => ({ x, y: 0 })),
    ...side.map((y) => ({ x: 10, y })),
    ...side.map((x) => ({ x: 10 - x, y: 10 })),
    ...side.map((y) => ({ x: 0, y: 10 - y })),
  ];
  expect(lassoText(square, BOUNDS)).toBe("0.375_0.125_0.125_0.0_1000.0_1000.1000_0.1000_0.20");
});

test("what encloses nothing is no line", () => {
  const place = { x: 1, y: 1 };
  expect(lassoText([place, { x: 2, y: 2 }], BOUNDS)).toBeUndefined();
  expect(lassoText([place, place, place], BOUNDS)).toBeUndefined();
  const corner = "_1.1";
  for (const text of ["", "0_0_1", "0_0_1_1.1_2.2", "0_0_1_1.1_2.2_x.1", "0_0_x_1.1_2.2_3.3"]) {
    expect(lassoOfText(text, BOUNDS), text).toBeUndefined();
  }
  expect(lassoOfText(`0_0_1${corner.repeat(CORNERS_KEPT_MAX)}`, BOUNDS)).toBeDefined();
  expect(lassoOfText(`0_0_1${corner.repeat(CORNERS_KEPT_MAX + 1)}`, BOUNDS)).toBeUndefined();
});
