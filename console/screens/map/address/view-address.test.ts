import { expect, test } from "vitest";
import { testRandom } from "../../../../test/support/random/seed.ts";
import { boundsOf, inMap, onScreen, panView, zoomView } from "../map-view.ts";
import { frameOf, viewOfText, viewText } from "./view-address.ts";

const BOUNDS = boundsOf(Float32Array.from([-3, 5, 1, 6, 2, -7]));
const FRAME = frameOf(BOUNDS, { width: 800, height: 400 });

test("the view of everything needs no text", () => {
  expect(viewText(FRAME.whole, FRAME)).toBeUndefined();
  expect(viewText(panView(FRAME.whole, { x: 1, y: 0 }), FRAME)).toBeDefined();
});

test("a view is found again within a pixel, and its text says itself", () => {
  const random = testRandom();
  for (let i = 0; i < 500; i++) {
    const factor = Math.exp((random.next() - 0.2) * 9);
    const at = { x: random.next() * 800, y: random.next() * 400 };
    const view = zoomView(FRAME.whole, factor, at, FRAME.whole);
    const text = viewText(view, FRAME);
    const again = viewOfText(text, FRAME);
    if (text === undefined || again === undefined) throw new Error(`no view of ${text}`);
    expect(text.length).toBeLessThan(40);
    for (const corner of [at, { x: 0, y: 0 }, { x: 800, y: 400 }]) {
      const { x, y } = onScreen(again, inMap(view, corner));
      expect(Math.hypot(x - corner.x, y - corner.y)).toBeLessThan(1);
    }
    expect(viewText(again, FRAME)).toBe(text);
  }
});

test("in another window it shows the same place, as much larger than all", () => {
  const other = frameOf(BOUNDS, { width: 300, height: 900 });
  const view = viewOfText("0.25_0.5_4", other);
  if (view === undefined) throw new Error("no view");
  expect(view.scale / other.whole.scale).toBeCloseTo(4);
  const { x, y } = inMap(view, { x: 150, y: 450 });
  expect([x, y]).toEqual([expect.closeTo(-3 + 0.25 * 13), expect.closeTo(-7 + 0.5 * 13)]);
});

test.each([undefined, "", "1_2", "1_2_3_4", "a_1_1", "1__1", "1_1_0", "1_1_-2", "1_1_Infinity"])(
  "%s is no view",
  (text) => {
    expect(viewOfText(text, FRAME)).toBeUndefined();
  },
);
