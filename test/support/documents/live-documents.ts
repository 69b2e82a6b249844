/** The live documents of some segments as columns again. */

import { runSteps } from "../../../src/base/steps.ts";
import { bitmapOrdinals } from "../../../src/codec/bitmap.ts";
import { gatherColumn, gatherData } from "../../../src/codec/columns-gather.ts";
import { emptyData, idAttributeType } from "../../../src/codec/columns-value.ts";
import type { IdType } from "../../../src/model/attribute-type.ts";
import type { Column, DocumentColumns } from "../../../src/model/columns.ts";
import type { Schema } from "../../../src/model/schema.ts";
import type { SegmentSnapshot } from "../../../src/segment/view/segment-view.ts";

/** Yields all live documents in batches of at most `documentsMax`, segment by segment. */
export function* liveDocuments(
  segments: readonly SegmentSnapshot[],
  schema: Schema,
  documentsMax: number,
): Generator<DocumentColumns> {
  const { idType } = schema;
  if (idType === undefined) return;
  for (const segment of segments) {
    const ordinals = bitmapOrdinals(segment.liveBitmap);
    for (let start = 0; start < ordinals.length; start += documentsMax) {
      const some = ordinals.subarray(start, start + documentsMax);
      yield documentsAt(segment, some, schema, idType);
    }
  }
}

function documentsAt(
  { view }: SegmentSnapshot,
  ordinals: Uint32Array,
  schema: Schema,
  idType: IdType,
): DocumentColumns {
  const attributes = new Map<string, Column>();
  for (const [name, { type }] of schema.attributes) {
    const column = view.column(name)?.column;
    if (column !== undefined)
      attributes.set(name, runSteps(gatherColumn(type, [{ column, ordinals }])));
  }
  const ids = runSteps(
    gatherData(emptyData(idAttributeType(idType)), [{ data: view.ids, ordinals }]),
  );
  return { count: ordinals.length, idType, ids, attributes };
}
