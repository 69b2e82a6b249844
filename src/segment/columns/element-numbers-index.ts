/** Sorted elements of arrays of numbers: which documents have the least one, and so on. */

import type { Steps } from "../../base/steps.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { Column } from "../../model/columns.ts";
import type { AttributeSchema } from "../../model/schema.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import type { AttributeIndex } from "../view/attribute-index.ts";
import { COLUMN_INDEX } from "./column-index.ts";
import { buildElements, type ElementValues } from "./element-build.ts";
import { checkElements } from "./element-check.ts";
import { openElements, planElements, type SortedElements } from "./element-section.ts";
import { isSortable } from "./sort-words.ts";
import { SORTED_DOCUMENTS_MIN } from "./sorted-build.ts";
import { SORTED_KINDS } from "./sorted-numbers-index.ts";

/** Kinds of the sections of sorted elements that are numbers (`element-section.ts`). */
export const ELEMENT_NUMBERS = { directory: 59, entries: 60 };

/** Of filterable arrays of numbers, datetimes and bools, in segments with enough documents. */
export const ELEMENT_NUMBERS_INDEX = elementNumbersIndex(SORTED_DOCUMENTS_MIN);

/** An index of segments with so many documents or more; it reads those of all others. */
export function elementNumbersIndex(documentsMin: number): AttributeIndex<SortedElements> {
  return {
    name: "element numbers",
    sections: Object.values(ELEMENT_NUMBERS),
    option: undefined,
    isWanted,
    isCurrent: () => true,
    build: (values) => plan(values, documentsMin),
    merge: (values) => plan(values, documentsMin),
    open: (sections) => openElements(sections, ELEMENT_NUMBERS),
    check,
    touch: (sections) => sections.touch(Object.values(ELEMENT_NUMBERS)),
    isStored: isWanted,
  };
}

function isWanted(type: AttributeType, schema: AttributeSchema | undefined): boolean {
  return schema?.filterable === true && type.kind === "array" && SORTED_KINDS.has(type.of);
}

/** Merged elements are sorted anew, as single values are. */
function* plan(
  { attribute, column }: { readonly attribute: string; readonly column: Column },
  documentsMin: number,
): Steps<SectionPlan[]> {
  const values = valuesOf(column);
  if (column.count < documentsMin || values === undefined) return [];
  const elements = yield* buildElements(values);
  return elements === undefined ? [] : planElements(attribute, elements, ELEMENT_NUMBERS);
}

function check(sections: AttributeSections): void {
  const elements = openElements(sections, ELEMENT_NUMBERS);
  if (elements === undefined) return;
  const column = COLUMN_INDEX.open(sections);
  const values = column && valuesOf(column);
  if (values === undefined) {
    throw corrupt("sorted elements", `there are no arrays of \`${sections.attribute}\``);
  }
  checkElements(elements, values);
}

/** Undefined of what is no array of numbers. */
function valuesOf({ data, presence, count }: Column): ElementValues | undefined {
  if (data.kind !== "array" || !isSortable(data.elements)) return undefined;
  const { offsets, elements } = data;
  const codeCount = elements.kind === "bool" ? BOOLS : undefined;
  return { data: elements, offsets, presence, count, codeCount };
}

/** False and true. */
const BOOLS = 2;
