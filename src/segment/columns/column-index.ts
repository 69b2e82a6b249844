/** Columns: the values of an attribute as they are, all but dense vectors. */

import { oneStep } from "../../base/steps.ts";
import { checkColumn } from "../../codec/columns-check.ts";
import { openColumn, planColumn } from "../../codec/columns-codec.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { Column } from "../../model/columns.ts";
import type { AttributeSchema } from "../../model/schema.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import type { AttributeIndex, AttributeValues } from "../view/attribute-index.ts";

/** Kind of the section of a column (`columns-codec.ts`). */
export const COLUMN_SECTION = 2;

/** In stored segments only where scans read it; other values are among the whole documents there. */
export const COLUMN_INDEX: AttributeIndex<Column> = {
  name: "column",
  sections: [COLUMN_SECTION],
  option: undefined,
  isWanted: (type) => type.kind !== "vector",
  // Values are always there, in a column or in documents.
  isCurrent: () => true,
  build: (values) => oneStep(() => planSection(values)),
  merge: (values) => oneStep(() => planSection(values)),
  open,
  check,
  touch: (sections) => sections.touch([COLUMN_SECTION]),
  isStored,
};

function planSection({ attribute, column }: Omit<AttributeValues, "schema">): SectionPlan[] {
  const planned = planColumn(column);
  const writeTo = (target: Uint8Array) => planned.writeTo(target);
  return [{ kind: COLUMN_SECTION, attribute, bytes: planned.bytes, writeTo }];
}

function open(sections: AttributeSections): Column | undefined {
  const section = sections.bytes(COLUMN_SECTION);
  return section && openColumn(section);
}

function check(sections: AttributeSections): void {
  const column = open(sections);
  if (column === undefined) return;
  const { documentCount } = sections;
  if (column.count !== documentCount) {
    throw corrupt("a column", `it has ${column.count} values for ${documentCount} documents`);
  }
  checkColumn(column);
}

/** Filters, orders, aggregates and scores read all values of an attribute; others single ones. */
function isStored(type: AttributeType, schema: AttributeSchema | undefined): boolean {
  if (type.kind === "multi_vector") return true;
  if (type.kind === "sparse" || schema === undefined) return false;
  const { filterable, glob, regex, fuzzy } = schema;
  return filterable || glob === true || regex === true || fuzzy === true;
}
