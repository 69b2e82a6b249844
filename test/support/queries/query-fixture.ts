/** Snapshots of plain documents, split into segments at will, for tests of queries. */

import { MIB } from "../../../src/base/byte-sizes.ts";
import type { Ordinal, SegmentId } from "../../../src/base/ids.ts";
import { sequenceNumber } from "../../../src/base/ids.ts";
import type { Random } from "../../../src/base/random.ts";
import { runSteps } from "../../../src/base/steps.ts";
import { buildDocuments, type TypedDocument } from "../../../src/codec/columns-builder.ts";
import { Arenas } from "../../../src/kernel/arena.ts";
import { ArenaKernels } from "../../../src/kernel/arena-kernels.ts";
import { compileKernel } from "../../../src/kernel/load-kernel.ts";
import {
  type AttributeType,
  type IdType,
  parseAttributeType,
} from "../../../src/model/attribute-type.ts";
import type { FullTextOptions } from "../../../src/model/full-text-options.ts";
import type { JsonValue } from "../../../src/model/json-value.ts";
import type { DocumentQuery, Query, QueryRequest, RankBy } from "../../../src/model/query.ts";
import type { AttributeSchema, DistanceMetric, Schema } from "../../../src/model/schema.ts";
import type { AttributeValue, DocumentId } from "../../../src/model/value.ts";
import type { Snapshot } from "../../../src/query/operator/snapshot.ts";
import { LiveSegment } from "../../../src/segment/memtable/live-segment.ts";
import { openSegment } from "../../../src/segment/segment-reader.ts";
import type { AttributeIndex } from "../../../src/segment/view/attribute-index.ts";
import { planSegment } from "../segments/plan-segment.ts";

/** The memory of all fixtures. */
export const ARENAS = new Arenas({ totalBytes: 1024 * MIB, threads: 1, arenaBytes: 64 * MIB });

/** Kernels over the memory of all fixtures. */
export const KERNELS = new ArenaKernels(await compileKernel("auto"), 0);
ARENAS.onArena((memory, arena) => KERNELS.attach(arena, memory));

/** The documents of one segment; `deleted` ones were replaced or deleted since. */
export interface SegmentContent {
  readonly documents: readonly TypedDocument[];
  readonly deleted?: readonly TypedDocument[];
}

let segmentCount = 0;

/** Opens a snapshot with one segment for each content, by all indexes unless others are given. */
export function openSnapshot(
  schema: Schema,
  contents: readonly SegmentContent[],
  indexes?: readonly AttributeIndex[],
): Snapshot {
  const segments = contents.map(({ documents, deleted = [] }) => {
    const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
    // Deleted documents come first, so that live ordinals do not start at 0.
    const all = [...deleted, ...documents];
    const columns = buildDocuments(schema.idType ?? "uint", types, all);
    const plan = planSegment(columns, schema, indexes);
    const block = ARENAS.alloc(plan.bytes);
    if (block === undefined) throw new Error("the fixture's arenas are full");
    const bytes = ARENAS.bytes(block);
    runSteps(plan.writeTo(bytes));
    const segment = new LiveSegment(
      openSegment(`segment-${segmentCount++}` as SegmentId, bytes, block),
    );
    deleted.forEach((_, ordinal) => {
      segment.delete(ordinal as Ordinal);
    });
    return segment;
  });
  const unindexedCount = segments.reduce((sum, { liveCount }) => sum + liveCount, 0);
  return { sequence: sequenceNumber(1), schema, segments, unindexedCount, logicalBytes: 0 };
}

/** Deals documents to `count` segments at random, each with some of `deleted`. */
export function splitDocuments(
  random: Random,
  documents: readonly TypedDocument[],
  count: number,
  deleted: readonly TypedDocument[] = [],
): SegmentContent[] {
  const contents = Array.from({ length: count }, () => ({
    documents: [] as TypedDocument[],
    deleted: [] as TypedDocument[],
  }));
  for (const document of documents) contents[random.below(count)].documents.push(document);
  for (const document of deleted) {
    const content = contents[random.below(count)];
    const known = [...content.documents, ...content.deleted].some(({ id }) => id === document.id);
    if (!known) content.deleted.push(document);
  }
  return contents;
}

/** Full-text options with the wire contract's defaults. */
export function fullText(options: Partial<FullTextOptions> = {}): FullTextOptions {
  return {
    tokenizer: "word_v3",
    language: "english",
    stemming: false,
    removeStopwords: true,
    caseSensitive: false,
    asciiFolding: false,
    maxTokenLength: 39,
    k1: 1.2,
    b: 0.75,
    k3: 8,
    ...options,
  };
}

/** What a test says of an attribute: its type's spelling, and options beside `filterable: true`. */
export type AttributeSpec = string | ({ type: string } & Partial<Omit<AttributeSchema, "type">>);

/** A schema of attributes that are filterable unless they say otherwise. */
export function schemaOf(
  attributes: Readonly<Record<string, AttributeSpec>>,
  options: { idType?: IdType; distanceMetric?: DistanceMetric } = {},
): Schema {
  const entries = Object.entries(attributes).map(([name, spec]): [string, AttributeSchema] => {
    const { type: spelled, ...rest } = typeof spec === "string" ? { type: spec } : spec;
    const type = typeOf(spelled);
    return [name, { type, filterable: type.kind === "scalar" || type.kind === "array", ...rest }];
  });
  return {
    idType: options.idType ?? "uint",
    distanceMetric: options.distanceMetric,
    attributes: new Map(entries),
  };
}

/** A document of plain values. */
export function documentOf(
  id: DocumentId,
  attributes: Readonly<Record<string, AttributeValue>> = {},
): TypedDocument {
  return { id, attributes: new Map(Object.entries(attributes)) };
}

/** A query for documents with the usual defaults. */
export function documentQuery(rankBy: RankBy, rest: Partial<DocumentQuery> = {}): DocumentQuery {
  return {
    kind: "documents",
    rankBy,
    filter: undefined,
    limit: 10_000,
    limitPer: undefined,
    offset: 0,
    selection: { kind: "none" },
    computed: new Map(),
    distanceMetric: undefined,
    ...rest,
  };
}

/** Ordering by id, the form of a lookup. */
export const BY_ID: RankBy = { kind: "order", keys: [{ attribute: "id", direction: "asc" }] };

/** A request of one query, or of several. */
export function requestOf(...queries: Query[]): QueryRequest {
  return {
    kind: queries.length === 1 ? "single" : "multi",
    queries,
    fusion: undefined,
    consistency: "strong",
    vectorEncoding: "float",
  };
}

/** JavaScript values as the JSON reader hands them over: integers as bigints, objects as maps. */
export function json(value: unknown): JsonValue {
  if (typeof value === "number") return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(json);
  if (typeof value !== "object" || value === null) return value as JsonValue;
  return new Map(Object.entries(value).map(([name, member]) => [name, json(member)]));
}

function typeOf(spelled: string): AttributeType {
  const type = parseAttributeType(spelled);
  if (type === undefined) throw new Error(`no type: ${spelled}`);
  return type;
}
