/** Indexes of attributes whose sampled values are longer than filters allow. */

import type { AttributeType } from "../../model/attribute-type.ts";
import { FILTERABLE_VALUE_BYTES_MAX } from "../../model/contract-limits.ts";
import type { ColumnSample } from "./column-sample.ts";

/** Options of a declaration, with their notes in the plan. */
export interface LongTextIndex {
  readonly index?: Readonly<Record<string, unknown>>;
  readonly note?: string;
}

const FULL_TEXT = { full_text_search: true } as const;
const UNFILTERED = { filterable: false } as const;

/** Texts of words are searched by their words; what has none can be read alone. */
export function longTextIndex(
  { long, base64Bytes }: ColumnSample,
  type: AttributeType | undefined,
): LongTextIndex {
  const isText = (type?.kind === "scalar" || type?.kind === "array") && type.of === "string";
  if (isText && long !== undefined) {
    const isWords = long.kind === "words";
    const what = isWords ? "full text, without filters" : "no filters";
    const limit = `they take ${FILTERABLE_VALUE_BYTES_MAX} bytes`;
    const note = `${what}: ${limit}, a text in ${long.place} has more`;
    return { index: isWords ? FULL_TEXT : UNFILTERED, note };
  }
  const longest = Math.max(0, ...base64Bytes.keys());
  if (type?.kind !== "bytes" || longest <= FILTERABLE_VALUE_BYTES_MAX) return {};
  const note = `no filters: they take ${FILTERABLE_VALUE_BYTES_MAX} bytes, a value has ${longest}`;
  return { index: UNFILTERED, note };
}
