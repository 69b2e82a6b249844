/** Segments that are written in a random order and then put into the one that is wanted. */

import type { SegmentId } from "../../src/base/ids.ts";
import type { Random } from "../../src/base/random.ts";
import { buildDocuments, type TypedDocument } from "../../src/codec/columns-builder.ts";
import type { Schema } from "../../src/model/schema.ts";
import type { SegmentMemory } from "../../src/segment/segment-memory.ts";
import { type OpenSegment, openSegment } from "../../src/segment/segment-reader.ts";
import { planReordered } from "../../src/segment/segment-reorder.ts";
import { planSegment } from "../../src/segment/segment-writer.ts";

const ID = "s" as SegmentId;

/** A segment of documents in their order, made by reordering one in another order. */
export function reordered(
  documents: readonly TypedDocument[],
  schema: Schema,
  random: Random,
  memory: SegmentMemory,
): OpenSegment {
  const shuffled = documents.map((document) => ({ document, key: random.next() }));
  shuffled.sort((a, b) => a.key - b.key);
  const places = new Map(shuffled.map(({ document }, i) => [document, i]));
  const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
  const columns = buildDocuments(
    schema.idType ?? "uint",
    types,
    shuffled.map(({ document }) => document),
  );
  const order = Uint32Array.from(documents, (document) => places.get(document) ?? -1);
  return write(planReordered(write(planSegment(columns, schema), memory), order, schema), memory);
}

function write(plan: ReturnType<typeof planSegment>, memory: SegmentMemory): OpenSegment {
  const block = memory.allocate(plan.bytes);
  plan.writeTo(block.bytes);
  return openSegment(ID, block.bytes, block);
}
