import { expect, test } from "vitest";
import { fullText } from "../../../test/support/queries/query-fixture.ts";
import { pick } from "../../../test/support/random/random-queries.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { runSteps } from "../../base/steps.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import type { TermPositions } from "../../segment/text/term-positions.ts";
import { SequenceFinder } from "./sequence-finder.ts";
import { SequenceScan, type SequenceTerm } from "./sequence-scan.ts";
import { visitTokens } from "./stored-tokens.ts";

const OPTIONS: FullTextOptions = fullText();

/** The positions of a term in the only document that there is. */
function positionsIn(tokens: readonly (string | undefined)[]): (term: string) => TermPositions {
  return (term) => {
    const positions = Int32Array.from(tokens.flatMap((token, i) => (token === term ? [i] : [])));
    const found = { documentCount: 1, count: positions.length, positions, read: () => undefined };
    return found as unknown as TermPositions;
  };
}

test("sequences are found as by trying each start, also across more than a word of bits", () => {
  const random = testRandom();
  let foundCount = 0;
  for (let i = 0; i < 2000; i++) {
    const letters = pick(random, ["ab", "abc"]);
    const draw = () => (random.below(8) === 0 ? undefined : pick(random, [...letters]));
    const tokens = Array.from({ length: random.below(120) }, draw);
    // Some are taken from the text, so that they are found.
    const length = 1 + random.below(pick(random, [4, 40, 70]));
    const start = random.below(Math.max(1, tokens.length - length));
    const isTaken = random.below(2) === 0;
    const wanted = isTaken ? tokens.slice(start, start + length) : Array.from({ length }, draw);
    const first = wanted.findIndex((term) => term !== undefined);
    if (first < 0) continue;
    const sequence = wanted.slice(first).flatMap((term, distance): SequenceTerm[] => {
      return term === undefined ? [] : [{ term, distance }];
    });
    const expected = tokens.some((_, at) =>
      sequence.every(({ term, distance }) => tokens[at + distance] === term),
    );
    const scan = new SequenceScan(sequence);
    for (const [position, term] of tokens.entries()) {
      if (term !== undefined) scan.add(term, position);
    }
    expect(scan.isFound).toBe(expected);
    const found = new SequenceFinder(sequence, positionsIn(tokens)).has(0);
    expect(typeof found === "boolean" ? found : runSteps(found)).toBe(expected);
    if (expected) foundCount++;
  }
  expect(foundCount).toBeGreaterThan(500);
});

test("a long text that almost has a long sequence takes many steps, not one", () => {
  const sequence = Array.from({ length: 4096 }, (_, distance) => {
    return { term: distance === 4095 ? "b" : "a", distance };
  });
  const text = "a ".repeat(20_000);
  const scan = new SequenceScan(sequence);
  const steps = visitTokens(text, OPTIONS, scan);
  let stepCount = 1;
  while (steps.next().done !== true) stepCount++;
  expect(scan.isFound).toBe(false);
  expect(stepCount).toBeGreaterThan(4);
  const tokens = [..."a".repeat(20_000), "b", ..."a".repeat(20_000)];
  const finder = new SequenceFinder(sequence.slice(0, 4000), positionsIn(tokens));
  const found = finder.has(0);
  if (typeof found === "boolean") throw new Error("it was found at once");
  let pauseCount = 0;
  let next = found.next();
  for (; next.done !== true; next = found.next()) pauseCount++;
  expect(next.value).toBe(true);
  expect(pauseCount).toBeGreaterThan(500);
});

test("what is found ends the analysis of a text", () => {
  const scan = new SequenceScan([{ term: "b", distance: 0 }]);
  const steps = visitTokens(`b ${"a ".repeat(200_000)}`, OPTIONS, scan);
  expect(steps.next().done).toBe(false);
  expect(steps.next().done).toBe(true);
});
