/** Numeric attributes as scores, straight from the columns. */

import { assert } from "../../base/assert.ts";
import type { Steps } from "../../base/steps.ts";
import { integerReader, scalarReader } from "../column-values.ts";
import { andBits, eachBit, presenceBits } from "../ordinal-bits.ts";
import type { PredicateRun } from "../plan/operator.ts";
import { noScores, type SegmentScores } from "./segment-scores.ts";

/** The nearest 64-bit float of a document's value. */
export type NumberReader = (ordinal: number) => number;
/** The value itself. */
export type ExactReader = (ordinal: number) => bigint | number;

/** Scores the documents of `within` that have a value, with the function that `scorer` makes. */
export function* scoreNumbers(
  attribute: string,
  { view, within }: PredicateRun,
  scorer: (read: NumberReader, exact: ExactReader) => NumberReader,
): Steps<SegmentScores> {
  const count = view.documentCount;
  const isId = attribute === "id";
  const column = isId ? { data: view.ids, presence: undefined } : view.column(attribute)?.column;
  if (column === undefined) return noScores(count);
  const values = new Float64Array(count);
  const scored = andBits(presenceBits(column.presence, count), within);
  const { data } = column;
  assert(data.kind === "i64" || data.kind === "u64" || data.kind === "f64", "score of no number");
  const read = data.kind === "f64" ? (o: number) => data.values[o] : integerReader(data);
  const score = scorer(read, scalarReader(data) as ExactReader);
  yield* eachBit(scored, (ordinal) => {
    values[ordinal] = score(ordinal);
  });
  return { values, scored };
}
