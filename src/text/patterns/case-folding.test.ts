import { expect, test } from "vitest";
import { runSteps } from "../../base/steps.ts";
import { caseFoldedSet, caseFolding, characterSet } from "./case-folding.ts";
import { complementOf, isInSet } from "./character-set.ts";
import { setOfSource } from "./named-characters.ts";

const FOLDING = runSteps(caseFolding());

test("characters are the same for which JavaScript's expressions take them", () => {
  const cased = runSteps(setOfSource("\\p{Changes_When_Casemapped}\\p{Changes_When_Casefolded}"));
  const all: number[] = [];
  for (let i = 0; i < cased.length; i += 2) {
    for (let codePoint = cased[i]; codePoint <= cased[i + 1]; codePoint++) all.push(codePoint);
  }
  const text = String.fromCodePoint(...all);
  for (const codePoint of all) {
    const same = new RegExp(`\\u{${codePoint.toString(16)}}`, "giu");
    const expected = [...text.matchAll(same)].map(([found]) => found.codePointAt(0));
    const orbit = FOLDING.orbits.get(codePoint) ?? [codePoint];
    expect(
      orbit.toSorted((a, b) => a - b),
      codePoint.toString(16),
    ).toEqual(expected);
  }
  expect(all.length).toBeGreaterThan(2800);
});

test("complete sets are folded", () => {
  expect([...characterSet(0x6b, FOLDING)]).toEqual([0x4b, 0x4b, 0x6b, 0x6b, 0x212a, 0x212a]);
  expect([...characterSet(0x37, FOLDING)]).toEqual([0x37, 0x37]);
  const folded = caseFoldedSet(complementOf(Uint32Array.of(0x61, 0x7a)), FOLDING);
  expect(isInSet(folded, 0x61)).toBe(true);
});
