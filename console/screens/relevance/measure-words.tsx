/** Measures in a line. */

import type { JSX } from "preact";
import { CUT, type Measures } from "./ranking-measures.ts";

/** Measures of one ranking of one query, and how much of it was judged. */
export function MeasureWords(props: {
  readonly measures: Measures;
  readonly judged: number;
}): JSX.Element {
  const { ndcg, reciprocalRank, averagePrecision } = props.measures;
  return (
    <span class="measures muted">
      nDCG@{CUT} {shownMeasure(ndcg)} · RR {shownMeasure(reciprocalRank)} · AP{" "}
      {shownMeasure(averagePrecision)} · {props.judged} of {CUT} judged
    </span>
  );
}

/** A measure with the digits that people compare. */
export function shownMeasure(value: number | undefined): string {
  return value === undefined ? "–" : value.toFixed(3);
}
