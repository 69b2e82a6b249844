/**
 * Documents → the bytes of one segment: what is stored as it is, and the indexes that the schema
 * asks for.
 */

import { planColumn } from "../codec/columns-codec.ts";
import { firstOrdinals } from "../codec/columns-gather.ts";
import { documentsLogicalBytes } from "../codec/columns-size.ts";
import { hasAnyValue } from "../codec/columns-value.ts";
import type { Column, DocumentColumns } from "../model/columns.ts";
import type { AttributeSchema, Schema } from "../model/schema.ts";
import { buildDictionary, planDictionary, wantsDictionary } from "./columns/dictionary-section.ts";
import { planIds } from "./ids/id-section.ts";
import { planBlock, SECTION, type SectionPlan, type SegmentPlan } from "./segment-format.ts";
import { buildSparse, planSparse } from "./sparse/sparse-section.ts";
import { buildTextIndex, planText, textOptions } from "./text/text-section.ts";
import { inverseNorms, planVectors, vectorsOf } from "./vectors/vector-section.ts";

/**
 * Plans a segment of documents with unique ids. Indexes are built here; the plan is written once,
 * straight to where the segment stays, before the documents' arrays change.
 */
export function planSegment(documents: DocumentColumns, schema: Schema): SegmentPlan {
  const sections = planIds(documents.ids, documents.count);
  for (const [name, column] of documents.attributes) {
    if (!hasAnyValue(column)) continue;
    const attribute = schema.attributes.get(name);
    if (column.type.kind === "vector") sections.push(...planVectorColumn(name, column));
    else sections.push(planStoredColumn(name, column), ...planIndexes(name, column, attribute));
  }
  const facts = {
    documentCount: documents.count,
    idType: documents.idType,
    logicalBytes: documentsLogicalBytes(documents),
  };
  return planBlock(facts, sections);
}

/** Plans the section of a column as it is. */
export function planStoredColumn(attribute: string, column: Column): SectionPlan {
  const planned = planColumn(column);
  const writeTo = (target: Uint8Array) => planned.writeTo(target);
  return { kind: SECTION.column, attribute, bytes: planned.bytes, writeTo };
}

/** Builds and plans the indexes of one attribute. */
function planIndexes(
  name: string,
  column: Column,
  schema: AttributeSchema | undefined,
): SectionPlan[] {
  const sections: SectionPlan[] = [];
  if (wantsDictionary(column.type, schema)) {
    sections.push(planDictionary(name, buildDictionary(column)));
  }
  const options = textOptions(column.type, schema);
  if (options !== undefined) {
    sections.push(...planText(name, buildTextIndex(column, options)));
  }
  if (column.type.kind === "sparse") {
    sections.push(...planSparse(name, buildSparse(column)));
  }
  return sections;
}

function planVectorColumn(name: string, column: Column): SectionPlan[] {
  const { type, count, presence } = column;
  if (type.kind !== "vector") return [];
  const part = { source: vectorsOf(column), ordinals: firstOrdinals(count) };
  return planVectors(name, { type, count, presence, inverseNorms: inverseNorms(column) }, [part]);
}
