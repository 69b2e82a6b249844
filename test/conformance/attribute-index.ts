/**
 * What every `AttributeIndex` does: a segment shows the same by it, and answers the same queries,
 * whether it was written, merged, put in order or stored, be its bytes in memory or not. What it
 * shows comes from plain documents by the slowest possible means.
 */

import { expect, test } from "vitest";
import { isDatabaseError } from "../../src/base/errors.ts";
import { sequenceNumber } from "../../src/base/ids.ts";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { fullBitmap } from "../../src/codec/bitmap.ts";
import type { TypedDocument } from "../../src/codec/columns-builder.ts";
import type { Query, QueryRequest } from "../../src/model/query.ts";
import type { AttributeSchema, Schema } from "../../src/model/schema.ts";
import type { AttributeValue } from "../../src/model/value.ts";
import { runRequest } from "../../src/query/executor/run-request.ts";
import type { Snapshot } from "../../src/query/operator/snapshot.ts";
import { ATTRIBUTE_INDEXES } from "../../src/segment/attribute-indexes.ts";
import { BlockSource } from "../../src/segment/format/byte-source.ts";
import { matchesSchema, missingIndexes } from "../../src/segment/missing-indexes.ts";
import type { AttributeClusters } from "../../src/segment/segment-merger.ts";
import { OpenSegment } from "../../src/segment/segment-reader.ts";
import { sealSegment, verifySegment } from "../../src/segment/segment-seal.ts";
import { touchParts, touchSegment } from "../../src/segment/touch-segment.ts";
import type { AttributeIndex, PlannedClusters } from "../../src/segment/view/attribute-index.ts";
import type { SegmentView } from "../../src/segment/view/segment-view.ts";
import { ClusterCodes } from "../../src/vector/cluster-codes.ts";
import { expectEqual } from "../support/expect-equal.ts";
import { KERNELS, requestOf } from "../support/queries/query-fixture.ts";
import { EVERY_TYPE, randomDocuments } from "../support/random/random-documents.ts";
import { everyTypeSchema } from "../support/random/random-queries.ts";
import { ARENA_MEMORY } from "../support/segments/clustered-snapshot.ts";
import { runReads, runRemote } from "../support/segments/remote-segment.ts";
import { type SegmentForm, segmentForms } from "../support/segments/segment-forms.ts";

/** One attribute as its documents have it. */
export interface AttributeCase {
  readonly attribute: string;
  readonly schema: AttributeSchema;
  /** By ordinal; at least one is not null. */
  readonly values: readonly AttributeValue[];
  /** Clusters of its vectors, if the segment has them. */
  readonly clusters: AttributeClusters | undefined;
  /** The vectors in the order of those. */
  readonly clustered: readonly Float32Array[];
}

/** What there is to know of an index to try it. */
export interface IndexCase {
  readonly index: AttributeIndex;
  readonly effort: IndexEffort;
  /** What a segment shows of an attribute by the index, as plain data. */
  shown(view: SegmentView, of: AttributeCase): unknown;
  /** The same from the documents; undefined where the segment is not to have the index. */
  expected(of: AttributeCase): unknown;
  /** A query that reads the index; undefined where queries do not name it. */
  readonly query?: (random: Random, schema: Schema) => Query;
  /** All that are registered; those of the product if undefined. */
  readonly indexes?: readonly AttributeIndex[];
}

/** Number of test cases for each index. */
export interface IndexEffort {
  /** Number of seeds, from 1; each has its own documents, and the three types of ids alternate. */
  readonly seeds: number;
  readonly queries: number;
  /** Bytes that are changed in each form of a segment, one at a time. */
  readonly damages: number;
}

/** All cases. */
export const INDEX_FULL: IndexEffort = { seeds: 6, queries: 8, damages: 10 };
/** A share of them, with all types of ids. */
export const INDEX_USUAL: IndexEffort = { seeds: 3, queries: 2, damages: 1 };

/** What the plan needs, codes, what those lead to, and the documents. */
const ROUNDS_MAX = 4;
const ID_TYPES = ["uint", "string", "uuid"] as const;
/**
 * The attribute in the order of whose clusters documents are, one whose have ordinals, and one with
 * clusters of inner vectors.
 */
const CLUSTERED = "[3]f32";
const ALSO_CLUSTERED = "[5]f16";
const INNER_CLUSTERED = "[][2]f32";

/** Runs the suite. */
export function attributeIndexConformance(given: IndexCase): void {
  const { index, indexes = ATTRIBUTE_INDEXES, query, effort } = given;
  const each = (check: (given: Given & { readonly random: Random }) => void) => {
    for (let seed = 1; seed <= effort.seeds; seed++) {
      try {
        check({ ...givenOf(seed, indexes), random: seededRandom(seed) });
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
  };

  test(`${index.name}: each form of a segment shows what its documents say`, () => {
    each(({ forms, casesOf }) => {
      for (const form of forms) {
        for (const one of casesOf(form)) {
          const expected = given.expected(one);
          const where = `${form.name}: ${one.attribute}`;
          expect(form.view.hasIndex(index, one.attribute), where).toBe(
            expected !== undefined && isKept(given, form, one),
          );
          if (expected === undefined) continue;
          expectEqual(given.shown(form.view, one), expected, where);
        }
      }
    });
  });

  test(`${index.name}: what the schema asks for is there, and nothing is missing`, () => {
    each(({ forms, schema, casesOf }) => {
      for (const form of forms) {
        const look = <T>(read: () => T): T => (form.source ? form.source.run(read) : read());
        expect(look(() => matchesSchema(form.segment, schema, indexes))).toBe(true);
        expect(look(() => missingIndexes(form.segment, schema, indexes))).toEqual([]);
        for (const { attribute, schema: wanted } of casesOf(form)) {
          const sections = form.segment.sections(attribute);
          expect(look(() => index.isCurrent(sections, wanted.type, wanted))).toBe(true);
        }
      }
    });
  });

  test(`${index.name}: its sections are its own, and it opens what was looked at ahead`, () => {
    const kinds = indexes.flatMap(({ sections }) => sections);
    expect(new Set(kinds).size).toBe(kinds.length);
    each(({ forms, casesOf }) => {
      for (const form of forms) {
        for (const { kind, attribute } of form.segment.entries) {
          if (attribute !== "") expect(kinds).toContain(kind);
        }
        const { source, segment } = form;
        if (source === undefined) continue;
        source.drop();
        source.run(() => touchSegment(segment, indexes));
        const { rounds } = source;
        for (const { attribute } of casesOf(form)) segment.index(index, attribute);
        expect(source.rounds).toBe(rounds);
        source.run(() => touchParts(segment));
        const { bytesLoaded } = source;
        for (const one of casesOf(form)) {
          if (index.touchParts !== undefined) given.shown(segment, one);
        }
        expect(source.bytesLoaded).toBe(bytesLoaded);
      }
    });
  });

  test(`${index.name}: damage under right checksums is refused or can be read`, () => {
    each(({ forms, random, casesOf }) => {
      for (const form of forms.filter(({ source }) => source === undefined)) {
        for (let times = 0; times < effort.damages; times++) {
          const bytes = damaged(form.segment, index, random);
          if (bytes === undefined) break;
          readOrRefuse(bytes, indexes, (view) => {
            for (const one of casesOf(form)) {
              if (view.hasIndex(index, one.attribute)) given.shown(view, one);
            }
          });
        }
      }
    });
  });

  test.runIf(query)(`${index.name}: each form answers queries alike`, () => {
    each(({ forms, schema, random }) => {
      for (let i = 0; i < effort.queries; i++) {
        const request = requestOf(query?.(random, schema) as Query);
        const answers = forms.map(({ segment, source }) => {
          const { documentCount } = segment;
          const snapshot = {
            sequence: sequenceNumber(1),
            schema,
            segments: [snapshotOf(segment)],
            unindexedCount: documentCount,
            logicalBytes: 0,
          };
          const run = () => answerOf(snapshot, request);
          return source === undefined ? run() : runRemote([source], run, ROUNDS_MAX);
        });
        forms.forEach(({ name }, f) => {
          expectEqual(answers[f], answers[0], `${name}, query ${i}`);
        });
      }
    });
  });
}

/** The results, or why there are none. */
function answerOf(snapshot: Snapshot, request: QueryRequest): unknown {
  try {
    return runReads(runRequest(snapshot, request, { kernels: KERNELS })).results;
  } catch (error) {
    if (!isDatabaseError(error, "invalid")) throw error;
    return error.message;
  }
}

interface Given {
  readonly forms: readonly SegmentForm[];
  readonly schema: Schema;
  /** The attributes of which some document has a value. */
  casesOf(form: SegmentForm): AttributeCase[];
}

/** Made once for all indexes of a list, as tests change none of it. */
const made = new Map<readonly AttributeIndex[], Map<number, Given>>();

function givenOf(seed: number, indexes: readonly AttributeIndex[]): Given {
  const bySeed = made.get(indexes) ?? new Map<number, Given>();
  made.set(indexes, bySeed);
  const given = bySeed.get(seed) ?? makeGiven(seed, indexes);
  bySeed.set(seed, given);
  return given;
}

function makeGiven(seed: number, indexes: readonly AttributeIndex[]): Given {
  const random = seededRandom(seed);
  const idType = ID_TYPES[seed % ID_TYPES.length];
  const schema = thinned(everyTypeSchema(idType, "euclidean_squared"), random);
  const options = { idType, types: EVERY_TYPE };
  const drawn = randomDocuments(random, 1 + random.below(40), options);
  // As clusters want it: those without a vector come last.
  const isLast = ({ attributes }: TypedDocument) => Number(!attributes.has(CLUSTERED));
  const documents = drawn.sort((a, b) => isLast(a) - isLast(b));
  const clusteredVectors = new Map<string, Float32Array[]>();
  const clusters = [CLUSTERED, ALSO_CLUSTERED, INNER_CLUSTERED].flatMap((attribute) => {
    const isInner = attribute === INNER_CLUSTERED;
    const placed = documents.flatMap(({ attributes }, ordinal) => {
      const value = attributes.get(attribute) ?? [];
      const vectors = (isInner ? value : [value].flat()) as Float32Array[];
      return vectors.map((vector) => ({ ordinal, vector }));
    });
    if (placed.length === 0) return [];
    if (attribute !== CLUSTERED) shuffle(placed, random);
    const vectors = placed.map(({ vector }) => vector);
    clusteredVectors.set(attribute, vectors);
    const ordinals = Uint32Array.from(placed, ({ ordinal }) => ordinal);
    const own = attribute === CLUSTERED ? {} : { ordinals };
    const { byteOrigin, ...found } = clustersOf(vectors);
    const codes = isInner ? {} : { byteOrigin };
    return [{ attribute, ...found, ...codes, ...own, isInner }];
  });
  const forms = segmentForms(documents, {
    schema,
    random,
    memory: ARENA_MEMORY,
    indexes,
    clusters,
  });
  const casesOf = (form: SegmentForm): AttributeCase[] =>
    [...schema.attributes].flatMap(([attribute, wanted]) => {
      const values = documents.map(({ attributes }) => attributes.get(attribute) ?? null);
      if (values.every((value) => value === null)) return [];
      const own = clusters.find((some) => some.attribute === attribute);
      const ofForm = form.hasClusters ? own : undefined;
      const clustered = clusteredVectors.get(attribute) ?? [];
      return [{ attribute, schema: wanted, values, clusters: ofForm, clustered }];
    });
  return { forms, schema, casesOf };
}

/** The schema with some of its options left out. */
function thinned(schema: Schema, random: Random): Schema {
  const attributes = [...schema.attributes].map(([name, all]): [string, AttributeSchema] => {
    const { fullTextSearch: text, regex, glob, fuzzy, ...rest } = all;
    if (random.below(4) > 0) return [name, all];
    const filterable = rest.filterable && random.below(2) === 0;
    const isText = text !== undefined && random.below(2) === 0;
    return [name, { ...rest, filterable, ...(isText ? { fullTextSearch: text } : {}) }];
  });
  return { ...schema, attributes: new Map(attributes) };
}

function shuffle<T>(items: T[], random: Random): void {
  for (let i = items.length - 1; i > 0; i--) {
    const other = random.below(i + 1);
    [items[i], items[other]] = [items[other], items[i]];
  }
}

/** Two clusters of vectors, of which there is at least one, in their order. */
function clustersOf(vectors: readonly Float32Array[]): PlannedClusters {
  const half = vectors.length >> 1;
  const centroids = Float32Array.from([...vectors[0], ...vectors[half]]);
  const starts = Uint32Array.of(0, half, vectors.length);
  const metric = "euclidean_squared";
  const dimensions = vectors[0].length;
  const rows = {
    bytes: new Uint8Array(Float32Array.from(vectors.flatMap((vector) => [...vector])).buffer),
    strideBytes: dimensions * Float32Array.BYTES_PER_ELEMENT,
    format: "f32",
    dimensions,
    inverseNorms: new Float32Array(vectors.length),
  } as const;
  const order = Uint32Array.from(vectors, (_, row) => row);
  const lengths = Float32Array.of(1, 1);
  const clusters = { starts, centroids, lengths, order };
  const space = { kernels: KERNELS, memory: ARENA_MEMORY };
  const codes = new ClusterCodes({ vectors: rows, metric, clusters }, space);
  return { metric, dimensions, starts, centroids, codes, byteOrigin: vectors[0] };
}

/** Tells whether the form has sections of the index: some are left out of what is stored. */
function isKept({ index }: IndexCase, form: SegmentForm, { schema }: AttributeCase): boolean {
  const isStored = form.name === "stored" || form.name === "far";
  return !isStored || (index.isStored?.(schema.type, schema) ?? true);
}

/** The sealed segment with one byte of the index's sections changed; undefined if it has none. */
function damaged(
  segment: OpenSegment,
  { sections }: AttributeIndex,
  random: Random,
): Uint8Array<ArrayBuffer> | undefined {
  const own = segment.entries.filter(({ kind, bytes }) => sections.includes(kind) && bytes > 0);
  if (own.length === 0) return undefined;
  const { offset, bytes } = own[random.below(own.length)];
  const block = Uint8Array.from(segment.block);
  block[offset + random.below(bytes)] = random.below(256);
  const source = new BlockSource({ arena: 0, offset: 0, bytes: block });
  return sealSegment(new OpenSegment(segment.id, block, source));
}

function readOrRefuse(
  bytes: Uint8Array,
  indexes: readonly AttributeIndex[],
  read: (view: OpenSegment) => void,
): void {
  try {
    verifySegment(bytes, { indexes });
    const source = new BlockSource({ arena: 0, offset: 0, bytes });
    read(new OpenSegment("s" as OpenSegment["id"], bytes, source));
  } catch (error) {
    if (!isDatabaseError(error, "corrupt")) throw error;
  }
}

function snapshotOf(view: OpenSegment) {
  const { documentCount } = view;
  return { view, liveBitmap: fullBitmap(documentCount), liveCount: documentCount, liveVersion: 0 };
}
