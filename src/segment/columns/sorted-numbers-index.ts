/** Sorted values of numbers: which documents have the least value, which the next one, and so on. */

import type { Steps } from "../../base/steps.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { Column } from "../../model/columns.ts";
import type { AttributeSchema } from "../../model/schema.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import type { AttributeIndex } from "../view/attribute-index.ts";
import { COLUMN_INDEX } from "./column-index.ts";
import { isSortable } from "./sort-words.ts";
import { buildSorted, SORTED_DOCUMENTS_MIN } from "./sorted-build.ts";
import { checkSorted } from "./sorted-check.ts";
import { openSorted, planSorted, type SortedValues } from "./sorted-section.ts";

/** Kinds of the sections of sorted numbers (`sorted-section.ts`). */
export const SORTED_NUMBERS = { directory: 40, ordinals: 41, bitmaps: 42 };

/** What is sorted by itself; strings and uuids are by the codes of their dictionary. */
export const SORTED_KINDS: ReadonlySet<string> = new Set([
  "int",
  "uint",
  "float",
  "datetime",
  "bool",
]);

/** Of filterable numbers, datetimes and bools, in segments with enough documents. */
export const SORTED_NUMBERS_INDEX = sortedNumbersIndex(SORTED_DOCUMENTS_MIN);

/** An index of segments with so many documents or more; it reads those of all others. */
export function sortedNumbersIndex(documentsMin: number): AttributeIndex<SortedValues> {
  return {
    name: "sorted numbers",
    sections: Object.values(SORTED_NUMBERS),
    option: undefined,
    isWanted,
    isCurrent: () => true,
    build: (values) => plan(values, documentsMin),
    merge: (values) => plan(values, documentsMin),
    open: (sections) => openSorted(sections, SORTED_NUMBERS),
    check,
    touch: (sections) => sections.touch(Object.values(SORTED_NUMBERS)),
    isStored: isWanted,
  };
}

function isWanted(type: AttributeType, schema: AttributeSchema | undefined): boolean {
  return schema?.filterable === true && type.kind === "scalar" && SORTED_KINDS.has(type.of);
}

/** Merged values are sorted anew, in 20 to 130 ns each, whatever the inputs have (ADR 30). */
function* plan(
  { attribute, column }: { readonly attribute: string; readonly column: Column },
  documentsMin: number,
): Steps<SectionPlan[]> {
  const { data, presence, count } = column;
  if (count < documentsMin || !isSortable(data)) return [];
  const sorted = yield* buildSorted({ data, presence, count });
  return sorted === undefined ? [] : planSorted(attribute, sorted, SORTED_NUMBERS);
}

function check(sections: AttributeSections): void {
  const sorted = openSorted(sections, SORTED_NUMBERS);
  if (sorted === undefined) return;
  const column = COLUMN_INDEX.open(sections);
  if (column === undefined || !isSortable(column.data)) {
    throw corrupt("sorted values", `there are no numbers of \`${sections.attribute}\``);
  }
  const { data, presence, count } = column;
  checkSorted(sorted, { data, presence, count });
}
