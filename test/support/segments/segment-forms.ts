/** The same documents as segments of every origin: written, merged, put in order, stored, far. */

import type { SegmentId } from "../../../src/base/ids.ts";
import type { Random } from "../../../src/base/random.ts";
import { runSteps } from "../../../src/base/steps.ts";
import { clearBit, fullBitmap } from "../../../src/codec/bitmap.ts";
import { buildDocuments, type TypedDocument } from "../../../src/codec/columns-builder.ts";
import type { AttributeType } from "../../../src/model/attribute-type.ts";
import type { Schema } from "../../../src/model/schema.ts";
import { BlockSource } from "../../../src/segment/format/byte-source.ts";
import type { SegmentPlan } from "../../../src/segment/format/segment-layout.ts";
import type { SegmentMemory } from "../../../src/segment/format/segment-memory.ts";
import { type AttributeClusters, planMerge } from "../../../src/segment/segment-merger.ts";
import { type OpenSegment, openSegment } from "../../../src/segment/segment-reader.ts";
import { planReordered } from "../../../src/segment/segment-reorder.ts";
import { openStoredSegment } from "../../../src/segment/stored-segment-reader.ts";
import type { AttributeIndex } from "../../../src/segment/view/attribute-index.ts";
import type { SegmentView } from "../../../src/segment/view/segment-view.ts";
import { randomDocuments } from "../random/random-documents.ts";
import { encodeStoredSegment } from "./encode-stored-segment.ts";
import { planSegment } from "./plan-segment.ts";
import { RemoteSource, remoteView } from "./remote-segment.ts";

const ID = "s" as SegmentId;

/** What segments of some documents are made by. */
export interface FormOptions {
  readonly schema: Schema;
  readonly random: Random;
  readonly memory: SegmentMemory;
  /** All that there are, if undefined. */
  readonly indexes?: readonly AttributeIndex[] | undefined;
  /** As in `OrderOptions`; only reordered segments have them. */
  readonly clusters?: readonly AttributeClusters[] | undefined;
}

/** A segment of one origin. */
export interface SegmentForm {
  readonly name: string;
  /** Of a remote segment each look at it begins with nothing in memory. */
  readonly view: SegmentView;
  /** The segment itself; that of a remote segment throws `BytesMissing`. */
  readonly segment: OpenSegment;
  /** Where the bytes of a remote segment come from. */
  readonly source: RemoteSource | undefined;
  readonly hasClusters: boolean;
}

/** Segments of the same documents in the same order, of every origin. */
export function segmentForms(
  documents: readonly TypedDocument[],
  options: FormOptions,
): SegmentForm[] {
  const near = (name: string, segment: OpenSegment, hasClusters = false): SegmentForm => {
    return { name, view: segment, segment, source: undefined, hasClusters };
  };
  const reordered = reorderedSegment(documents, options);
  const merged = mergedSegment(documents, options);
  const again = mergeWhole(storedForm(merged, options), options);
  return [
    near("written", writtenSegment(documents, options)),
    near("merged", merged),
    near("reordered", reordered, true),
    near("stored", storedForm(reordered, options), true),
    near("stored and merged", again),
    farForm(reordered, options),
  ];
}

/** A segment as it is written first. */
export function writtenSegment(
  documents: readonly TypedDocument[],
  { schema, memory, indexes }: Omit<FormOptions, "random" | "clusters">,
): OpenSegment {
  const columns = buildDocuments(schema.idType ?? "uint", typesOf(schema), documents);
  return writePlan(planSegment(columns, schema, indexes), memory);
}

/** A merge of several parts of the documents, with dead ones between them. */
export function mergedSegment(
  documents: readonly TypedDocument[],
  options: FormOptions,
): OpenSegment {
  const { schema, random, memory, indexes } = options;
  const inputs = [];
  for (let start = 0; start < documents.length; ) {
    const end = start + 1 + random.below(documents.length);
    const part = withDeleted(documents.slice(start, end), schema, random);
    // Some inputs have other indexes than the merge is asked for.
    const other = { ...schema, attributes: withoutIndexes(schema, random) };
    const by = random.below(3) === 0 ? other : schema;
    const view = writtenSegment(part.documents, { ...options, schema: by });
    inputs.push({ view, liveBitmap: part.liveBitmap });
    start = end;
  }
  return writePlan(runSteps(planMerge(inputs, schema, indexes)), memory);
}

/** A segment that was written in a random order and then put into that of the documents. */
export function reorderedSegment(
  documents: readonly TypedDocument[],
  options: FormOptions,
): OpenSegment {
  const { schema, random, memory, indexes, clusters } = options;
  const shuffled = documents.map((document) => ({ document, key: random.next() }));
  shuffled.sort((a, b) => a.key - b.key);
  const places = new Map(shuffled.map(({ document }, i) => [document, i]));
  const inOtherOrder = writtenSegment(
    shuffled.map(({ document }) => document),
    options,
  );
  const order = Uint32Array.from(documents, (document) => places.get(document) ?? -1);
  return writePlan(planReordered(inOtherOrder, order, { schema, indexes, clusters }), memory);
}

/** The stored form, all of which is in memory. */
function storedForm(segment: OpenSegment, { schema, memory, indexes }: FormOptions): OpenSegment {
  const { content, head } = encodeStoredSegment(segment, schema, indexes);
  const block = memory.allocate(content.length);
  block.bytes.set(content);
  return openStoredSegment(ID, head, () => new BlockSource(block));
}

/** The stored form, nothing of which is in memory. */
function farForm(segment: OpenSegment, { schema, memory, indexes }: FormOptions): SegmentForm {
  const { content, head } = encodeStoredSegment(segment, schema, indexes);
  const source = new RemoteSource(content, memory);
  const far = openStoredSegment(ID, head, () => source);
  return { name: "far", view: remoteView(far, source), segment: far, source, hasClusters: true };
}

/** As compaction does, which has columns in documents only. */
function mergeWhole(view: OpenSegment, { schema, memory, indexes }: FormOptions): OpenSegment {
  const liveBitmap = fullBitmap(view.documentCount);
  return writePlan(runSteps(planMerge([{ view, liveBitmap }], schema, indexes)), memory);
}

function withDeleted(
  alive: readonly TypedDocument[],
  schema: Schema,
  random: Random,
): { documents: TypedDocument[]; liveBitmap: Uint32Array } {
  const count = random.below(5);
  const types = typesOf(schema);
  const deleted = randomDocuments(random, count, {
    idType: schema.idType ?? "uint",
    types,
    space: 1_000_000,
  });
  const ids = new Set(alive.map(({ id }) => id));
  const documents = [...alive];
  const isDead = documents.map(() => false);
  for (const document of deleted.filter(({ id }) => !ids.has(id))) {
    const at = random.below(documents.length + 1);
    documents.splice(at, 0, document);
    isDead.splice(at, 0, true);
  }
  const liveBitmap = fullBitmap(documents.length);
  for (let ordinal = 0; ordinal < isDead.length; ordinal++) {
    if (isDead[ordinal]) clearBit(liveBitmap, ordinal);
  }
  return { documents, liveBitmap };
}

function withoutIndexes(schema: Schema, random: Random): Schema["attributes"] {
  return new Map(
    [...schema.attributes].map(([name, attribute]) => {
      const { fullTextSearch, regex, ...rest } = attribute;
      if (fullTextSearch === undefined || random.below(2) === 0) {
        return [name, { type: attribute.type, filterable: !attribute.filterable }];
      }
      const other = { ...fullTextSearch, caseSensitive: true, removeStopwords: false };
      return [name, { ...rest, fullTextSearch: other }];
    }),
  );
}

/** The types of a schema's attributes. */
export function typesOf(schema: Schema): Map<string, AttributeType> {
  return new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
}

/** Writes a segment to memory and opens it. */
export function writePlan(plan: SegmentPlan, memory: SegmentMemory): OpenSegment {
  const block = memory.allocate(plan.bytes);
  runSteps(plan.writeTo(block.bytes));
  return openSegment(ID, block.bytes, block);
}
