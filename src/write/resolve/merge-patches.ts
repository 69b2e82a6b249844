/** Patches laid over stored documents: whole documents again, gathered column by column. */

import type { Ordinal } from "../../base/ids.ts";
import { Pace } from "../../base/pace.ts";
import { mapInSteps, type Steps } from "../../base/steps.ts";
import { buildIdsInSteps } from "../../codec/columns-builder.ts";
import { type ColumnPart, gatherColumn } from "../../codec/columns-gather.ts";
import { hasAnyValue, type ValuePlace } from "../../codec/columns-value.ts";
import type { IdType } from "../../model/attribute-type.ts";
import type { Column, DocumentColumns } from "../../model/columns.ts";
import type { Schema } from "../../model/schema.ts";
import type { DocumentId } from "../../model/value.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import type { BoundPatches } from "../bind/bind-documents.ts";

/** Documents that one step looks at. */
const STEP_TARGETS = 8192;

/** A stored document and what changes it: first the patch by filter, then its own. */
export interface PatchTarget {
  readonly id: DocumentId;
  readonly base: { readonly view: SegmentView; readonly ordinal: Ordinal };
  readonly byFilter: boolean;
  /** Its own patch; undefined if it has none. */
  readonly patchIndex: number | undefined;
}

/** The patches that targets refer to. */
export interface PatchSources {
  readonly schema: Schema;
  readonly idType: IdType;
  readonly patches: BoundPatches | undefined;
  readonly filterPatch: BoundPatches | undefined;
}

/**
 * Makes whole documents of targets, in an order that keeps those of one segment together. Vectors
 * and other attributes that no patch names are copied as bytes.
 */
export function* mergePatches(
  targets: readonly PatchTarget[],
  sources: PatchSources,
): Steps<DocumentColumns> {
  const ordered = yield* groupByView(targets);
  const attributes = new Map<string, Column>();
  const pace = new Pace(STEP_TARGETS);
  for (const [name, { type }] of sources.schema.attributes) {
    if (pace.isDue(targets.length)) yield;
    const column = yield* gatherColumn(type, yield* partsOf(ordered, name, sources));
    if (hasAnyValue(column)) attributes.set(name, column);
  }
  const ids = yield* mapInSteps(ordered, STEP_TARGETS, ({ id }) => id);
  return {
    count: ordered.length,
    idType: sources.idType,
    ids: yield* buildIdsInSteps(sources.idType, ids),
    attributes,
  };
}

/** The place of the value that an attribute of a stored document has after its own patch. */
export function patchedPlace(
  patches: BoundPatches,
  index: number,
  current: PatchTarget["base"],
  attribute: string,
): ValuePlace | undefined {
  if (!names(patches, attribute, index)) {
    return current.view.column(attribute)?.place(current.ordinal);
  }
  const column = patches.documents.attributes.get(attribute);
  return column && { column, ordinal: index };
}

function* groupByView(targets: readonly PatchTarget[]): Steps<PatchTarget[]> {
  const groups = new Map<SegmentView, PatchTarget[]>();
  for (let i = 0; i < targets.length; i++) {
    if (i > 0 && i % STEP_TARGETS === 0) yield;
    const target = targets[i];
    const group = groups.get(target.base.view);
    if (group) group.push(target);
    else groups.set(target.base.view, [target]);
  }
  const [first = [], ...others] = groups.values();
  return first.concat(...others);
}

/** Where each target's value of an attribute is, joined to runs that share a column. */
function* partsOf(
  targets: readonly PatchTarget[],
  name: string,
  sources: PatchSources,
): Steps<ColumnPart[]> {
  const parts: ColumnPart[] = [];
  const columns = new Map<SegmentView, Column | undefined>();
  let column: Column | undefined;
  let ordinals: number[] = [];
  for (let i = 0; i < targets.length; i++) {
    if (i > 0 && i % STEP_TARGETS === 0) yield;
    const place = placeOf(targets[i], name, sources, columns);
    if (ordinals.length > 0 && place.column !== column) {
      parts.push({ column, ordinals: Uint32Array.from(ordinals) });
      ordinals = [];
    }
    column = place.column;
    ordinals.push(place.ordinal);
  }
  parts.push({ column, ordinals: Uint32Array.from(ordinals) });
  return parts;
}

function placeOf(
  target: PatchTarget,
  name: string,
  { patches, filterPatch }: PatchSources,
  columns: Map<SegmentView, Column | undefined>,
): { column: Column | undefined; ordinal: number } {
  const { patchIndex, base } = target;
  if (patches && patchIndex !== undefined && names(patches, name, patchIndex)) {
    return { column: patches.documents.attributes.get(name), ordinal: patchIndex };
  }
  if (filterPatch && target.byFilter && names(filterPatch, name, 0)) {
    return { column: filterPatch.documents.attributes.get(name), ordinal: 0 };
  }
  // Opening a column may cost; targets of one segment follow each other.
  if (!columns.has(base.view)) columns.set(base.view, base.view.column(name)?.column);
  return { column: columns.get(base.view), ordinal: base.ordinal };
}

/** Tells whether a patch names an attribute, were it to clear it. */
export function names(patches: BoundPatches, attribute: string, index: number): boolean {
  if (!patches.given.has(attribute)) return false;
  const given = patches.given.get(attribute);
  return given === undefined || ((given[index >> 3] >> (index & 7)) & 1) === 1;
}
