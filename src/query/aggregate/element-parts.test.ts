import { expect, test } from "vitest";
import { runSteps } from "../../base/steps.ts";
import { ELEMENTS_PER_PART, eachElementPart } from "./element-parts.ts";

/** Elements of each document. */
const SIZES = [0, 3, 2 * ELEMENTS_PER_PART + 5, 1, ELEMENTS_PER_PART, ELEMENTS_PER_PART - 1, 7, 0];
/** Without the last but one, whose elements lie between those of others. */
const MATCHES = [0, 1, 2, 3, 4, 5, 7];

test("no part has more documents and elements than one may have, and all have all", () => {
  const offsets = new Uint32Array(SIZES.length + 1);
  for (const [i, size] of SIZES.entries()) offsets[i + 1] = offsets[i] + size;
  const matching = { form: "list", ordinals: Uint32Array.from(MATCHES) } as const;
  const seen = new Map<number, number[]>(MATCHES.map((ordinal) => [ordinal, []]));
  const sizes: number[] = [];
  const steps = eachElementPart({ matching, offsets, perStep: 4 }, (ordinals, start, end) => {
    let count = ordinals.length;
    for (const ordinal of ordinals) {
      const last = Math.min(end, offsets[ordinal + 1]);
      for (let element = Math.max(start, offsets[ordinal]); element < last; element++) {
        seen.get(ordinal)?.push(element);
        count++;
      }
    }
    sizes.push(count);
  });
  runSteps(steps);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(ELEMENTS_PER_PART + 1);
  // Documents 0 and 1; three parts of the long one; 3; 4, which has one too many; 5; 7.
  expect(sizes.length).toBe(8);
  for (const [ordinal, elements] of seen) {
    const all = Array.from({ length: SIZES[ordinal] }, (_, i) => offsets[ordinal] + i);
    expect(elements, `document ${ordinal}`).toEqual(all);
  }
});
