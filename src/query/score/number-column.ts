/** Numeric attributes as scores, straight from the columns. */

import { assert } from "../../base/assert.ts";
import { oneStep, type Steps } from "../../base/steps.ts";
import { hasValue } from "../../codec/columns-value.ts";
import type { Column, ColumnData } from "../../model/columns.ts";
import { SORTED_NUMBERS_INDEX } from "../../segment/columns/sorted-numbers-index.ts";
import type { SegmentView } from "../../segment/segment-view.ts";
import { integerReader, type ScalarData, scalarReader } from "../column-values.ts";
import { andBits, eachBit, presenceBits } from "../ordinal-bits.ts";
import type { PredicateRun } from "../plan/operator.ts";
import { type BoundedScores, constantBound } from "./bounded-scores.ts";
import { noScores, type SegmentScores } from "./segment-scores.ts";

/** The nearest 64-bit float of a document's value. */
export type NumberReader = (ordinal: number) => number;
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

/** The same scores, none of which exceeds a constant, before values are read. */
export function boundNumbers(
  attribute: string,
  { view }: PredicateRun,
  scorer: NumberScorer,
  constant: number,
): BoundedScores {
  return constantBound({
    constant,
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

/**
 * What no value exceeds, and at least 0, what documents without one add. Infinity where a segment
 * has the attribute's values in no order. Throws `BytesMissing`.
 */
export function greatestNumber(attribute: string, view: SegmentView): number {
  const sorted = view.index(SORTED_NUMBERS_INDEX, attribute);
  const column = view.column(attribute)?.column;
  if (sorted === undefined || column === undefined) return Number.POSITIVE_INFINITY;
  const { isExact, keys, entryCount } = sorted;
  if (isExact) return Math.max(0, Number(keys.at(-1)));
  const [last] = sorted.entries(entryCount - 1, entryCount);
  return Math.max(0, readerOf(column.data)(last));
}

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
  const read = readerOf(data);
  return { column, score: scorer(read, scalarReader(data as ScalarData) as ExactReader) };
}

function readerOf(data: ColumnData): NumberReader {
  assert(data.kind === "i64" || data.kind === "u64" || data.kind === "f64", "score of no number");
  return data.kind === "f64" ? (ordinal) => data.values[ordinal] : integerReader(data);
}
