/** Computes which trigrams (`text/trigrams.ts`) a string must have to pass a fuzzy test. */

import type { FuzzyTest } from "./string-test.ts";
import { ANY, allOf, containing, someOf, type TrigramFormula } from "./trigram-algebra.ts";

/**
 * Of `distance` + 1 pieces of the pattern one is in the text unchanged, since an edit changes one.
 * Where case does not count, texts are compared in lower case, and a character of that which is no
 * ASCII may come of several: only what is ASCII is looked for.
 */
export function fuzzyFormula({
  pattern,
  distance,
  caseSensitive,
}: Omit<FuzzyTest, "formula">): TrigramFormula {
  const count = distance + 1;
  const pieces = Array.from({ length: count }, (_, i) => {
    const start = Math.floor((pattern.length * i) / count);
    const end = Math.floor((pattern.length * (i + 1)) / count);
    return pattern.subarray(start, end);
  });
  return someOf(pieces.map((piece) => allOf(runsOf(piece, caseSensitive).map(runFormula))));
}

function runFormula(run: string): TrigramFormula {
  return run === "" ? ANY : containing([run]);
}

/** The longest parts of a piece that are looked for. */
function runsOf(piece: Uint32Array, caseSensitive: boolean): string[] {
  const runs = [""];
  for (const codePoint of piece) {
    const isSurrogate = codePoint >= 0xd800 && codePoint <= 0xdfff;
    const isKnown = caseSensitive ? !isSurrogate : codePoint < 0x80;
    if (isKnown) runs[runs.length - 1] += String.fromCodePoint(codePoint);
    else runs.push("");
  }
  return runs;
}
