/**
 * The form of a segment that goes to a store: what it has in memory, but for columns that no scan
 * needs, and whole documents by ordinal.
 */

import { copyInSteps } from "../base/pieces.ts";
import { runSteps } from "../base/steps.ts";
import type { AttributeType } from "../model/attribute-type.ts";
import type { Column } from "../model/columns.ts";
import type { Schema } from "../model/schema.ts";
import { columnOwners } from "../model/stored-columns.ts";
import { ATTRIBUTE_INDEXES } from "./attribute-indexes.ts";
import { planDocuments } from "./documents/documents-section.ts";
import { headOf, planBlock, sealInPlace } from "./format/segment-format.ts";
import type { SectionKind, SectionPlan, SegmentPlan } from "./format/segment-layout.ts";
import { planIdFilter } from "./ids/id-filter-section.ts";
import { ID_ORDER } from "./ids/id-order-section.ts";
import { ID_SECTIONS } from "./ids/id-section.ts";
import type { OpenSegment } from "./segment-reader.ts";
import type { AttributeIndex } from "./view/attribute-index.ts";
import { hashKeys } from "./view/id-keys.ts";

/** Sections of ids that are copied. */
const ID_KINDS: readonly SectionKind[] = [...Object.values(ID_SECTIONS), ...ID_ORDER.sections];

/** Plans the content of the stored form of a segment that is in memory as a whole. */
export function planStoredSegment(
  view: OpenSegment,
  schema: Schema,
  indexes: readonly AttributeIndex[] = ATTRIBUTE_INDEXES,
): SegmentPlan {
  const columns = new Map<string, Column>();
  const types = new Map<string, AttributeType>();
  for (const name of view.attributes) {
    const column = view.column(name)?.column;
    if (column === undefined) continue;
    types.set(name, column.type);
    // Dense vectors lie by ordinal, so that one can be read without any others.
    if (column.type.kind !== "vector") columns.set(name, column);
  }
  const { documentCount, idType, logicalBytes, ids } = view;
  const documents = { count: documentCount, idType, ids, attributes: columns };
  const sections = [
    ...copiedSections(view, { types, schema, indexes }),
    ...(documentCount > 0 ? [planIdFilter(runSteps(hashKeys(view.table.keys)))] : []),
    ...(columns.size > 0 ? planDocuments(documents) : []),
  ];
  return planBlock({ documentCount, idType, logicalBytes }, sections);
}

/** Writes content that was planned to where it has its size, and returns a copy of its head. */
export function writeStoredSegment(plan: SegmentPlan, content: Uint8Array): Uint8Array {
  runSteps(plan.writeTo(content));
  sealInPlace(content);
  return headOf(content).slice();
}

/** Ids and indexes, as they are; the filter of ids and documents are made anew. */
function copiedSections(
  view: OpenSegment,
  by: {
    readonly types: ReadonlyMap<string, AttributeType>;
    readonly schema: Schema;
    readonly indexes: readonly AttributeIndex[];
  },
): SectionPlan[] {
  const owners = new Map(by.indexes.flatMap((index) => index.sections.map((k) => [k, index])));
  const attributes = columnOwners(by.schema);
  const isCopied = (kind: number, attribute: string): boolean => {
    if (attribute === "") return ID_KINDS.includes(kind);
    const type = by.types.get(attribute);
    const index = owners.get(kind);
    if (type === undefined || index?.isStored === undefined) return true;
    return index.isStored(type, attributes.get(attribute)?.schema);
  };
  const headBytes = headOf(view.head).length;
  return view.entries
    .filter(({ kind, attribute }) => isCopied(kind, attribute))
    .map(({ kind, attribute, offset, bytes }) => ({
      kind,
      attribute,
      bytes,
      isInHead: offset < headBytes,
      writeTo: (target) => copyInSteps(view.block.subarray(offset, offset + bytes), target),
    }));
}
