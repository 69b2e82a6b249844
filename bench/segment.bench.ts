/**
 * Rates of building, merging and updating segments in memory, on one thread. Run:
 *
 *   node bench/segment.bench.ts
 *
 * Documents: a 768-dimension f32 vector and an int; or a text of some 60 words, a filterable string
 * and an int. Single-document commits upsert with random ids, each followed by a compaction step.
 */

import { type SegmentId, sequenceNumber } from "../src/base/ids.ts";
import { type Random, seededRandom } from "../src/base/random.ts";
import { runSteps } from "../src/base/steps.ts";
import { fullBitmap } from "../src/codec/bitmap.ts";
import { buildDocuments, type TypedDocument } from "../src/codec/columns-builder.ts";
import { decodeColumns, encodeColumns } from "../src/codec/columns-codec.ts";
import type { ArenaBytes, ArenaRange } from "../src/kernel/arena.ts";
import type { AttributeType } from "../src/model/attribute-type.ts";
import type { DocumentColumns } from "../src/model/columns.ts";
import type { AttributeSchema, Schema } from "../src/model/schema.ts";
import type { AttributeValue } from "../src/model/value.ts";
import type { SegmentPlan } from "../src/segment/format/segment-layout.ts";
import type { SegmentMemory } from "../src/segment/format/segment-memory.ts";
import { Memtable } from "../src/segment/memtable/memtable.ts";
import { SnapshotReplica } from "../src/segment/memtable/snapshot-replica.ts";
import { planMerge } from "../src/segment/segment-merger.ts";
import { type OpenSegment, openSegment } from "../src/segment/segment-reader.ts";
import { planSegment } from "../test/support/segments/plan-segment.ts";

const DIMENSIONS = 768;
const VOCABULARY = 20_000;
const WORDS = Array.from({ length: VOCABULARY }, (_, i) => {
  return Math.imul(i + 1, 0x9e37_79b1)
    .toString(36)
    .slice(-3 - (i % 7));
});

const VECTOR_SCHEMA = schemaOf({
  vector: { type: { kind: "vector", dimensions: DIMENSIONS, element: "f32" }, filterable: false },
  size: { type: { kind: "scalar", of: "int" }, filterable: true },
});
const TEXT_SCHEMA = schemaOf({
  text: {
    type: { kind: "scalar", of: "string" },
    filterable: false,
    fullTextSearch: {
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
    },
  },
  kind: { type: { kind: "scalar", of: "string" }, filterable: true },
  size: { type: { kind: "scalar", of: "int" }, filterable: true },
});

/** One shared memory; freed blocks are used again for others of their power of two. */
class ClassedMemory implements SegmentMemory {
  readonly #memory = new Uint8Array(new SharedArrayBuffer(2 ** 30));
  readonly #free = new Map<number, number[]>();
  #end = 0;

  allocate(bytes: number): ArenaBytes {
    const size = sizeClass(bytes);
    let offset = this.#free.get(size)?.pop();
    if (offset === undefined) {
      offset = this.#end;
      this.#end += size;
    }
    return { arena: 0, offset, bytes: this.blockAt({ arena: 0, offset, bytes }) };
  }

  free({ offset, bytes }: ArenaRange): void {
    const size = sizeClass(bytes);
    const free = this.#free.get(size);
    if (free === undefined) this.#free.set(size, [offset]);
    else free.push(offset);
  }

  blockAt({ offset, bytes }: ArenaRange): Uint8Array {
    return new Uint8Array(this.#memory.buffer, offset, bytes);
  }
}

function sizeClass(bytes: number): number {
  return 2 ** Math.ceil(Math.log2(bytes));
}

function schemaOf(attributes: Record<string, AttributeSchema>): Schema {
  return {
    idType: "uint",
    distanceMetric: "cosine_distance",
    attributes: new Map(Object.entries(attributes)),
  };
}

function documentsOf(random: Random, schema: Schema, ids: readonly bigint[]): DocumentColumns {
  const types = new Map<string, AttributeType>();
  for (const [name, { type }] of schema.attributes) types.set(name, type);
  const documents = ids.map((id): TypedDocument => {
    const attributes = new Map<string, AttributeValue>();
    for (const name of types.keys()) attributes.set(name, randomValue(random, name));
    return { id, attributes };
  });
  return buildDocuments("uint", types, documents);
}

function randomValue(random: Random, name: string): AttributeValue {
  if (name === "size") return BigInt(random.below(1000));
  if (name === "kind") return `kind ${random.below(100)}`;
  if (name === "vector")
    return Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);
  // A cube makes some words common and most of them rare, as in language.
  const word = () => WORDS[Math.floor(random.next() ** 3 * VOCABULARY)];
  return Array.from({ length: 60 }, word).join(" ");
}

function consecutive(start: number, count: number): bigint[] {
  return Array.from({ length: count }, (_, i) => BigInt(start + i));
}

function report(what: string, documents: number, run: () => void): void {
  // Time of this thread alone, so that a busy machine changes little.
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  const seconds = (user + system) / 1e6;
  const rate = Math.round(documents / seconds).toLocaleString("en");
  console.log(`${what.padEnd(48)} ${rate.padStart(12)} documents/s  ${seconds.toFixed(3)} s`);
}

function write(plan: SegmentPlan, memory: ClassedMemory): OpenSegment {
  const block = memory.allocate(plan.bytes);
  runSteps(plan.writeTo(block.bytes));
  return openSegment("s" as SegmentId, block.bytes, block);
}

function benchSegments(name: string, schema: Schema, count: number): void {
  const random = seededRandom(1);
  const memory = new ClassedMemory();
  const batches = Array.from({ length: 8 }, (_, i) =>
    documentsOf(random, schema, consecutive(i * count, count)),
  );
  const encoded = batches.map((batch) => encodeColumns(batch));
  report(`${name}: encode columns`, 8 * count, () => batches.map((batch) => encodeColumns(batch)));
  report(`${name}: decode columns`, 8 * count, () => encoded.map((bytes) => decodeColumns(bytes)));
  let views: OpenSegment[] = [];
  for (const round of ["first", "warm"]) {
    report(`${name}: build segments of ${count} (${round})`, 8 * count, () => {
      views = batches.map((batch) => write(planSegment(batch, schema), memory));
    });
  }
  console.log(`  ${Math.round(views[0].bytes / count)} bytes per document`);
  const inputs = views.map((view) => ({ view, liveBitmap: fullBitmap(count) }));
  for (const round of ["first", "warm"]) {
    report(`${name}: merge 8 segments (${round})`, 8 * count, () => {
      write(runSteps(planMerge(inputs, schema)), memory);
    });
  }
}

function benchCommits(name: string, schema: Schema, commits: number): void {
  const random = seededRandom(2);
  const memory = new ClassedMemory();
  let next = 0;
  const memtable = new Memtable({ memory, newSegmentId: () => `s${next++}` as SegmentId });
  const replica = new SnapshotReplica(({ id, at }) => {
    if (at.kind === "stored") throw new Error("nothing is stored");
    return openSegment(id, memory.blockAt(at.place), at.place);
  });
  const batches = Array.from({ length: commits }, () =>
    documentsOf(random, schema, [BigInt(random.below(commits * 4))]),
  );
  let longest = 0;
  report(`${name}: single-document commits`, commits, () => {
    for (const documents of batches) {
      const start = performance.now();
      const deltas = [memtable.apply({ documents, schema, sequence: sequenceNumber(1) })];
      const merged = runSteps(memtable.compactStep(131_072, schema));
      if (merged !== undefined) deltas.push(merged);
      for (const delta of deltas) {
        replica.apply(delta);
        memtable.release(delta.dropped);
      }
      longest = Math.max(longest, performance.now() - start);
    }
  });
  console.log(`  ${memtable.segments.length} segments, longest step ${longest.toFixed(1)} ms`);
}

benchSegments("768-d vectors", VECTOR_SCHEMA, 1000);
benchSegments("texts", TEXT_SCHEMA, 5000);
benchCommits("texts", TEXT_SCHEMA, 30_000);
benchCommits("768-d vectors", VECTOR_SCHEMA, 10_000);
