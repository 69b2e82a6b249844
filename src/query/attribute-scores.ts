/** Numeric attributes as scores, straight from the columns. */

import { assert } from "../base/assert.ts";
import type { ScalarValue } from "../model/value.ts";
import type { SegmentView } from "../segment/segment-view.ts";
import { integerReader, scalarReader } from "./column-values.ts";
import { andBits, emptyBits, forEachBit, type OrdinalBits, presenceBits } from "./ordinal-bits.ts";
import type { SegmentScores } from "./segment-scores.ts";

/** The attribute's value, as the nearest 64-bit float, for documents of `within` that have one. */
export function scoreAttribute(
  view: SegmentView,
  attribute: string,
  within: OrdinalBits,
): SegmentScores {
  return scorePresent(view, attribute, within, (read) => read);
}

/** How far the value is from `origin`, rounded once from the exact difference. */
export function scoreDistance(
  view: SegmentView,
  attribute: string,
  origin: ScalarValue,
  within: OrdinalBits,
): SegmentScores {
  const near = Number(origin);
  return scorePresent(view, attribute, within, (read, exact) => {
    if (typeof origin !== "bigint") return (ordinal) => Math.abs(read(ordinal) - near);
    const isSmall = Number.isSafeInteger(near);
    return (ordinal) => {
      const value = read(ordinal);
      if (isSmall && Number.isSafeInteger(value)) return Math.abs(value - near);
      const difference = BigInt(exact(ordinal)) - origin;
      return Number(difference < 0n ? -difference : difference);
    };
  });
}

type NumberReader = (ordinal: number) => number;
type ExactReader = (ordinal: number) => bigint | number;

function scorePresent(
  view: SegmentView,
  attribute: string,
  within: OrdinalBits,
  scorer: (read: NumberReader, exact: ExactReader) => NumberReader,
): SegmentScores {
  const count = view.documentCount;
  const values = new Float64Array(count);
  const isId = attribute === "id";
  const column = isId ? { data: view.ids, presence: undefined } : view.column(attribute)?.column;
  if (column === undefined) return { values, scored: emptyBits(count) };
  const scored = andBits(presenceBits(column.presence, count), within);
  const { data } = column;
  assert(data.kind === "i64" || data.kind === "u64" || data.kind === "f64", "score of no number");
  const read = data.kind === "f64" ? (o: number) => data.values[o] : integerReader(data);
  const score = scorer(read, scalarReader(data) as ExactReader);
  forEachBit(scored, (ordinal) => {
    values[ordinal] = score(ordinal);
  });
  return { values, scored };
}
