/** What must be among a string's trigrams (`text/trigrams.ts`) for it to pass a test. */

import { expressionFormula } from "./expression-formula.ts";
import type { FuzzyTest, StringTest } from "./string-test.ts";
import { ANY, allOf, containing, someOf, type TrigramFormula } from "./trigram-algebra.ts";

/** The formula of a test: true of the trigrams of every string that passes. */
export function trigramFormula(test: StringTest): TrigramFormula {
  return test.kind === "fuzzy" ? fuzzyFormula(test) : expressionFormula(test.expression);
}

/**
 * Of `distance` + 1 pieces of the pattern one is in the text unchanged, since an edit changes one.
 * Where case does not count, texts are compared in lower case, and a character of that which is no
 * ASCII may come of several: only what is ASCII is looked for.
 */
function fuzzyFormula({ pattern, distance, caseSensitive }: FuzzyTest): TrigramFormula {
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
