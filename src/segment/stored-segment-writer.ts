/**
 * The form of a segment that goes to a store: what it has in memory, but for columns that no scan
 * needs, and whole documents by ordinal.
 */

import type { Column } from "../model/columns.ts";
import type { AttributeSchema, Schema } from "../model/schema.ts";
import { planDocuments } from "./documents/documents-section.ts";
import { planIdFilter } from "./ids/id-filter-section.ts";
import { hashKeys } from "./ids/id-section.ts";
import {
  headOf,
  planBlock,
  SECTION,
  type SectionKind,
  type SectionPlan,
  sealInPlace,
} from "./segment-format.ts";
import type { OpenSegment } from "./segment-reader.ts";

/** The content of a stored segment, and its head. */
export interface StoredSegmentContent {
  readonly content: Uint8Array<ArrayBuffer>;
  readonly head: Uint8Array;
}

/** Makes the content of a segment that is in memory as a whole. */
export function encodeStoredSegment(view: OpenSegment, schema: Schema): StoredSegmentContent {
  const columns = new Map<string, Column>();
  const left = new Set<string>();
  for (const name of view.attributes) {
    const column = view.column(name)?.column;
    if (column === undefined || column.type.kind === "vector") continue;
    columns.set(name, column);
    if (!isScanned(column, schema.attributes.get(name))) left.add(name);
  }
  const { documentCount, idType, logicalBytes, ids } = view;
  const documents = { count: documentCount, idType, ids, attributes: columns };
  const sections = [
    ...copiedSections(view, left),
    ...(documentCount > 0 ? [planIdFilter(hashKeys(view.table.keys))] : []),
    ...(columns.size > 0 ? planDocuments(documents) : []),
  ];
  const plan = planBlock({ documentCount, idType, logicalBytes }, sections);
  const content = new Uint8Array(plan.bytes);
  plan.writeTo(content);
  sealInPlace(content);
  return { content, head: headOf(content).slice() };
}

/** Filters, orders, aggregates and scores read all values of an attribute; others single ones. */
function isScanned({ type }: Column, schema: AttributeSchema | undefined): boolean {
  if (type.kind === "multi_vector") return true;
  if (type.kind === "sparse" || schema === undefined) return false;
  const { filterable, glob, regex, fuzzy } = schema;
  return filterable || glob === true || regex === true || fuzzy === true;
}

/** Sections that are made anew for each stored segment. */
const STORED_ONLY: readonly SectionKind[] = [
  SECTION.documents,
  SECTION.documentBlocks,
  SECTION.idFilter,
];

/** The sections that are stored as they are; of `left` the columns stay out. */
function copiedSections(view: OpenSegment, left: ReadonlySet<string>): SectionPlan[] {
  return view.entries
    .filter(({ kind, attribute }) => {
      if (STORED_ONLY.includes(kind)) return false;
      return kind !== SECTION.column || !left.has(attribute);
    })
    .map(({ kind, attribute, offset, bytes }) => ({
      kind,
      attribute,
      bytes,
      writeTo: (target) => target.set(view.block.subarray(offset, offset + bytes)),
    }));
}
