/** Numeric attributes as scores, straight from the columns. */

import { oneStep, type Steps } from "../../../base/steps.ts";
import { hasValue } from "../../../codec/columns-value.ts";
import type { Column } from "../../../model/columns.ts";
import type { SegmentView } from "../../../segment/view/segment-view.ts";
import {
  type BoundedScores,
  constantBound,
  type ScoreRange,
} from "../../documents/bounded-scores.ts";
import { type ScalarData, scalarReader } from "../../documents/column-values.ts";
import { andBits, eachBit, presenceBits } from "../../documents/ordinal-bits.ts";
import { noScores, type SegmentScores } from "../../documents/segment-scores.ts";
import type { PredicateRun } from "../../operator/operator.ts";
import { type NumberRange, numberBlocks } from "./number-blocks.ts";
import { type NumberReader, numberReader } from "./number-reader.ts";

/** The value itself. */
export type ExactReader = (ordinal: number) => bigint | number;

/** Makes the function from an ordinal to the score of its value. */
export type NumberScorer = (read: NumberReader, exact: ExactReader) => NumberReader;

/** Scores the documents of `within` that have a value, with the function that `scorer` makes. */
export function* scoreNumbers(
  attribute: string,
  { view, within }: PredicateRun,
  scorer: NumberScorer,
): Steps<SegmentScores> {
  const count = view.documentCount;
  const numbers = openNumbers(attribute, view, scorer);
  if (numbers === undefined) return noScores(count);
  const { column, score } = numbers;
  const values = new Float64Array(count);
  const scored = andBits(presenceBits(column.presence, count), within);
  yield* eachBit(scored, (ordinal) => {
    values[ordinal] = score(ordinal);
  });
  return { values, scored };
}

/** What scores lie between whose numbers lie in a range; they rise or fall with those. */
export type ScoreSpread = (range: NumberRange) => ScoreRange;

/** The same scores before values are read, and what bounds them: no less than documents without. */
export function* boundNumbers(
  attribute: string,
  { view }: PredicateRun,
  { scorer, spread }: { readonly scorer: NumberScorer; readonly spread: ScoreSpread },
): Steps<BoundedScores> {
  const blocks = yield* numberBlocks(attribute, view);
  const rangeIn = (start: number, end: number): ScoreRange => {
    const range = blocks?.rangeIn(start, end);
    if (range === undefined) return NOTHING;
    const { least, greatest } = spread(range);
    return { least, greatest: Math.max(0, greatest) };
  };
  const isKnown = blocks !== undefined;
  return constantBound({
    constant: isKnown ? rangeIn(0, view.documentCount).greatest : Number.POSITIVE_INFINITY,
    isCeiling: false,
    rangeIn: isKnown ? rangeIn : undefined,
    otherwise: undefined,
    bind: () =>
      oneStep(() => {
        const numbers = openNumbers(attribute, view, scorer);
        return (ordinals, { values, has }) => {
          for (let i = 0; i < ordinals.length; i++) {
            const ordinal = ordinals[i];
            const isThere = numbers !== undefined && hasValue(numbers.column, ordinal);
            has[i] = Number(isThere);
            values[i] = isThere ? numbers.score(ordinal) : 0;
          }
        };
      }),
  });
}

/** Where no document has a value. */
const NOTHING: ScoreRange = { least: 0, greatest: 0 };

interface OpenNumbers {
  readonly column: Pick<Column, "data"> & { readonly presence?: Uint8Array | undefined };
  readonly score: NumberReader;
}

/** The values of an attribute; undefined if the segment has none. */
function openNumbers(
  attribute: string,
  view: SegmentView,
  scorer: NumberScorer,
): OpenNumbers | undefined {
  const isId = attribute === "id";
  const column = isId ? { data: view.ids, presence: undefined } : view.column(attribute)?.column;
  if (column === undefined) return undefined;
  const { data } = column;
  const read = numberReader(data);
  return { column, score: scorer(read, scalarReader(data as ScalarData) as ExactReader) };
}
