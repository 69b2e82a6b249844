import { hasBit } from "../../codec/bitmap.ts";
import type { SegmentSnapshot, SegmentView } from "../../segment/view/segment-view.ts";
import { presenceBits } from "../documents/ordinal-bits.ts";
import type { GroupOf } from "./limited-documents.ts";

/** A value as text; null is a value of its own. */
type ReadValue = (ordinal: number) => string | null;

/**
 * Names documents by their values of some attributes, equal for equal values; `""` is the name of
 * no single value. Strings of a dictionary are decoded once for each segment.
 */
export function limitKeys(
  attributes: readonly string[],
  segments: readonly SegmentSnapshot[],
): GroupOf {
  const readers: ReadValue[][] = [];
  return (segment, ordinal) => {
    readers[segment] ??= attributes.map((attribute) => reader(attribute, segments[segment].view));
    const values = readers[segment];
    if (values.length > 1) return JSON.stringify(values.map((read) => read(ordinal)));
    const value = values[0](ordinal);
    return value === null ? "" : `=${value}`;
  };
}

function reader(attribute: string, view: SegmentView): ReadValue {
  type At = Parameters<typeof view.idOf>[0];
  if (attribute === "id") return (ordinal) => String(view.idOf(ordinal as At));
  const column = view.column(attribute);
  if (column === undefined) return () => null;
  const { dictionary } = column;
  if (dictionary === undefined) {
    return (ordinal) => {
      const value = column.value(ordinal as At);
      return value === null ? null : String(value);
    };
  }
  const present = presenceBits(column.column.presence, view.documentCount);
  const { codes } = dictionary;
  const known: string[] = [];
  return (ordinal) => {
    if (!hasBit(present, ordinal)) return null;
    const code = codes[ordinal];
    known[code] ??= dictionary.value(code);
    return known[code];
  };
}
