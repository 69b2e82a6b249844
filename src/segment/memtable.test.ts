import { expect, test } from "vitest";
import { randomSchema } from "../../test/conformance/segment-view.ts";
import { liveDocuments } from "../../test/support/live-documents.ts";
import { randomDocuments, randomId } from "../../test/support/random-documents.ts";
import { TestSegmentMemory } from "../../test/support/test-segment-memory.ts";
import { isDatabaseError } from "../base/errors.ts";
import type { Ordinal, SegmentId } from "../base/ids.ts";
import { type Random, seededRandom } from "../base/random.ts";
import { buildDocuments, buildIds, type TypedDocument } from "../codec/columns-builder.ts";
import { documentsLogicalBytes } from "../codec/columns-size.ts";
import { columnValue, idAt } from "../codec/columns-value.ts";
import type { AttributeType, IdType } from "../model/attribute-type.ts";
import type { DocumentColumns } from "../model/columns.ts";
import type { Schema } from "../model/schema.ts";
import type { AttributeValue, DocumentId } from "../model/value.ts";
import { Memtable } from "./memtable.ts";
import type { MemtableDelta } from "./memtable-delta.ts";
import { matchesSchema } from "./segment-merger.ts";
import type { OpenSegment } from "./segment-reader.ts";
import { sealSegment } from "./segment-seal.ts";
import type { SegmentSnapshot } from "./segment-view.ts";
import { SnapshotReplica } from "./snapshot-replica.ts";

type Twin = Map<DocumentId, ReadonlyMap<string, AttributeValue>>;

function typesOf(schema: Schema): Map<string, AttributeType> {
  return new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
}

function columnsOf(documents: readonly TypedDocument[], schema: Schema): DocumentColumns {
  return buildDocuments(schema.idType as IdType, typesOf(schema), documents);
}

/** All live documents of some segments; fails if an id is alive twice. */
function contents(segments: readonly SegmentSnapshot[], schema: Schema): Twin {
  const found: Twin = new Map();
  for (const documents of liveDocuments(segments, schema, 7)) {
    for (let o = 0; o < documents.count; o++) {
      const id = idAt(documents.ids, o);
      if (found.has(id)) throw new Error(`${id} is alive twice`);
      const values = [...documents.attributes].map(([name, column]) => {
        return [name, columnValue(column, o)] as const;
      });
      found.set(id, new Map(values.filter(([, value]) => value !== null)));
    }
  }
  return found;
}

/** A memtable, a reader that follows it and one that starts anew, and what they must hold. */
class Bench {
  readonly memory = new TestSegmentMemory();
  readonly memtable: Memtable;
  readonly replica = new SnapshotReplica((place) => this.memory.blockAt(place));
  readonly twin: Twin = new Map();
  readonly random: Random;
  schema: Schema;
  #nextId = 0;

  constructor(seed: number, idType: IdType) {
    this.random = seededRandom(seed);
    this.schema = randomSchema(this.random, idType);
    this.memtable = new Memtable({
      memory: this.memory,
      newSegmentId: () => `s${this.#nextId++}` as SegmentId,
    });
  }

  follow(delta: MemtableDelta | undefined): void {
    if (delta === undefined) return;
    this.replica.apply(structuredClone(delta));
    this.memtable.release(delta.dropped);
  }

  commit(space: number): void {
    const { random, schema } = this;
    const idType = schema.idType as IdType;
    const ids = new Set(
      Array.from({ length: random.below(6) }, () => randomId(random, idType, space)),
    );
    const count = random.below(4) === 0 ? random.below(30) : 1;
    const documents = randomDocuments(random, count, { idType, types: typesOf(schema), space });
    const deletes = { ids: buildIds(idType, [...ids]), count: ids.size };
    this.follow(this.memtable.apply({ deletes, documents: columnsOf(documents, schema), schema }));
    for (const id of ids) this.twin.delete(id);
    for (const { id, attributes } of documents) this.twin.set(id, attributes);
  }

  check(): void {
    const { memtable, schema, twin } = this;
    expect(contents(memtable.segments, schema)).toEqual(twin);
    expect(contents(this.replica.segments, schema)).toEqual(twin);
    const late = new SnapshotReplica((place) => this.memory.blockAt(place));
    late.apply(structuredClone(memtable.full()));
    expect(contents(late.segments, schema)).toEqual(twin);
    expect(memtable.documentCount).toBe(twin.size);
    const whole = columnsOf(
      [...twin].map(([id, attributes]) => ({ id, attributes })),
      schema,
    );
    expect(memtable.logicalBytes).toBe(documentsLogicalBytes(whole));
    const bytes = memtable.segments.reduce((sum, { view }) => sum + view.bytes, 0);
    expect(memtable.memoryBytes).toBe(bytes);
    expect(this.memory.blockCount).toBe(memtable.segments.length);
    for (let i = 0; i < 20; i++) {
      const id = randomId(this.random, schema.idType as IdType, 400);
      const found = memtable.locate(id);
      expect(found !== undefined).toBe(twin.has(id));
      if (found !== undefined) expect(found.segment.view.idOf(found.ordinal)).toBe(id);
    }
  }
}

test("a memtable and its readers hold what a map holds", () => {
  for (let seed = 0; seed < 24; seed++) {
    const bench = new Bench(seed, (["uint", "string", "uuid"] as const)[seed % 3]);
    try {
      const space = 20 + bench.random.below(400);
      for (let i = 0; i < 60; i++) {
        bench.commit(space);
        const budget = bench.random.below(2) === 0 ? 1000 : 10;
        bench.follow(bench.memtable.compactStep(budget, bench.schema));
        if (i % 20 === 0) bench.check();
      }
      bench.check();
      rebuild(bench);
      bench.check();
      expect(bench.memtable.segments.length).toBeLessThan(40);
      bench.follow(bench.memtable.clear());
      bench.twin.clear();
      bench.check();
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
  }
});

function rebuild(bench: Bench): void {
  bench.schema = {
    ...randomSchema(bench.random, bench.schema.idType as IdType),
    attributes: randomSchema(bench.random, "uint").attributes,
  };
  let done = bench.memtable.rebuildProgress(bench.schema).documentsDone;
  for (;;) {
    const delta = bench.memtable.rebuildStep(bench.schema);
    if (delta === undefined) break;
    bench.follow(delta);
    const progress = bench.memtable.rebuildProgress(bench.schema);
    expect(progress.documentsDone).toBeGreaterThan(done);
    expect(progress.documentsTotal).toBe(bench.twin.size);
    done = progress.documentsDone;
  }
  expect(done).toBe(bench.twin.size);
  for (const { view } of bench.memtable.segments) {
    expect(matchesSchema(view as OpenSegment, bench.schema)).toBe(true);
  }
}

test("segments from a store come back with their live documents", () => {
  for (let seed = 0; seed < 10; seed++) {
    const before = new Bench(seed, "string");
    for (let i = 0; i < 12; i++) before.commit(60);
    const after = new Bench(seed, "string");
    after.schema = before.schema;
    for (const { view, live } of before.memtable.segments) {
      const sealed = sealSegment(view as OpenSegment);
      after.follow(after.memtable.addSegment(view.id, sealed, live));
    }
    for (const [id, attributes] of before.twin) after.twin.set(id, attributes);
    after.check();
  }
});

test("without memory a commit changes nothing", () => {
  const bench = new Bench(3, "uint");
  bench.commit(10);
  bench.commit(10);
  const allocate = bench.memory.allocate.bind(bench.memory);
  bench.memory.allocate = () => {
    throw new Error("full");
  };
  const documents = columnsOf([{ id: 1n, attributes: new Map() }], bench.schema);
  expect(() => bench.memtable.apply({ documents, schema: bench.schema })).toThrow("full");
  bench.memory.allocate = allocate;
  bench.check();
});

test("damaged segments are refused and leave the memtable as it was", () => {
  const source = new Bench(5, "uuid");
  source.commit(50);
  const [{ view }] = source.memtable.segments;
  const sealed = sealSegment(view as OpenSegment);
  const random = seededRandom(5);
  for (let i = 0; i < 400; i++) {
    const bench = new Bench(5, "uuid");
    const damaged = sealed.slice(0, i % 4 === 0 ? random.below(sealed.length) : undefined);
    const at = i < 128 ? i : random.below(sealed.length);
    if (damaged.length === sealed.length) damaged[at] ^= 1 << random.below(8);
    let thrown: unknown;
    try {
      bench.memtable.addSegment("x" as SegmentId, damaged);
    } catch (error) {
      thrown = error;
    }
    expect(isDatabaseError(thrown, "corrupt", "too_new"), `damage ${i} at ${at}`).toBe(true);
    expect(bench.memtable.segments).toEqual([]);
  }
  expect(view.idOf(0 as Ordinal)).toBeTypeOf("string");
});
