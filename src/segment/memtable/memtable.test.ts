import { expect, test } from "vitest";
import { randomSchema } from "../../../test/conformance/segment-view.ts";
import { liveDocuments } from "../../../test/support/documents/live-documents.ts";
import { cases, effort } from "../../../test/support/effort.ts";
import { expectEqual } from "../../../test/support/expect-equal.ts";
import { randomDocuments, randomId } from "../../../test/support/random/random-documents.ts";
import { TestSegmentMemory } from "../../../test/support/segments/test-segment-memory.ts";
import { isDatabaseError } from "../../base/errors.ts";
import { type Ordinal, type SegmentId, sequenceNumber } from "../../base/ids.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { buildDocuments, buildIds, type TypedDocument } from "../../codec/columns-builder.ts";
import { documentsLogicalBytes } from "../../codec/columns-size.ts";
import { columnValue, idAt } from "../../codec/columns-value.ts";
import type { AttributeType, IdType } from "../../model/attribute-type.ts";
import type { DocumentColumns } from "../../model/columns.ts";
import type { Schema } from "../../model/schema.ts";
import type { AttributeValue, DocumentId } from "../../model/value.ts";
import { matchesSchema } from "../missing-indexes.ts";
import { type OpenSegment, openSegment } from "../segment-reader.ts";
import { sealSegment, verifySegment } from "../segment-seal.ts";
import type { SegmentSnapshot } from "../view/segment-view.ts";
import { Memtable } from "./memtable.ts";
import type { AddedSegment, MemtableDelta } from "./memtable-delta.ts";
import { SnapshotReplica } from "./snapshot-replica.ts";

type Twin = Map<DocumentId, ReadonlyMap<string, AttributeValue>>;

function typesOf(schema: Schema): Map<string, AttributeType> {
  return new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
}

function columnsOf(documents: readonly TypedDocument[], schema: Schema): DocumentColumns {
  return buildDocuments(schema.idType as IdType, typesOf(schema), documents);
}

/** All live documents of some segments; fails if an id is live twice. */
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

function openIn(memory: TestSegmentMemory): (added: AddedSegment) => OpenSegment {
  return ({ id, at }) => {
    if (at.kind === "stored") throw new Error("a memtable has no stored segments");
    return openSegment(id, memory.blockAt(at.place), at.place);
  };
}

/** A memtable, a reader that follows it and one that starts anew, and what they must hold. */
class Bench {
  readonly memory = new TestSegmentMemory();
  readonly memtable: Memtable;
  readonly replica = new SnapshotReplica(openIn(this.memory));
  readonly twin: Twin = new Map();
  /** Which commit wrote each document of the twin. */
  readonly writtenBy = new Map<DocumentId, number>();
  sequence = 0;
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
    const sequence = sequenceNumber(++this.sequence);
    const columns = columnsOf(documents, schema);
    this.follow(this.memtable.apply({ deletes, documents: columns, schema, sequence }));
    for (const id of ids) this.twin.delete(id);
    for (const { id, attributes } of documents) {
      this.twin.set(id, attributes);
      this.writtenBy.set(id, sequence);
    }
  }

  check(): void {
    const { memtable, schema, twin } = this;
    expectEqual(contents(memtable.segments, schema), twin);
    expectEqual(contents(this.replica.segments, schema), twin);
    const late = new SnapshotReplica(openIn(this.memory));
    late.apply(structuredClone(memtable.full()));
    expectEqual(contents(late.segments, schema), twin);
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

const SEEDS = cases({ usual: 3, full: 24 });
const COMMITS = effort({ usual: 21, full: 60 });

test("a memtable and its readers hold what a map holds", () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    const bench = new Bench(seed, (["uint", "string", "uuid"] as const)[seed % 3]);
    try {
      const space = 20 + bench.random.below(400);
      for (let i = 0; i < COMMITS; i++) {
        bench.commit(space);
        const budget = bench.random.below(2) === 0 ? 1000 : 10;
        bench.follow(runSteps(bench.memtable.compactStep(budget, bench.schema)));
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
    const delta = runSteps(bench.memtable.rebuildStep(bench.schema));
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

test("what stored segments have taken over is forgotten, whatever was merged with it", () => {
  for (let seed = 0; seed < SEEDS; seed++) {
    const bench = new Bench(seed, (["uint", "string", "uuid"] as const)[seed % 3]);
    const { memtable, random, twin, writtenBy } = bench;
    try {
      for (let round = 0; round < effort({ usual: 2, full: 4 }); round++) {
        for (let i = 0; i < 15; i++) {
          bench.commit(60);
          bench.follow(runSteps(memtable.compactStep(1000, bench.schema)));
        }
        const sequence = sequenceNumber(bench.sequence - random.below(15));
        const later = new Set<DocumentId>();
        for (const { keys, indexes } of memtable.writtenAfter(sequence)) {
          const view = memtable.segments.find(({ view }) => view.table.keys === keys)?.view;
          for (const index of indexes) later.add(view?.idOf(index as Ordinal) ?? "none");
        }
        const live = [...twin.keys()].filter((id) => Number(writtenBy.get(id)) > sequence);
        for (const id of live) expect(later).toContain(id);
        for (const id of later) expect(Number(writtenBy.get(id))).toBeGreaterThan(sequence);
        bench.follow(memtable.forget(sequence));
        for (const id of [...twin.keys()]) if (!live.includes(id)) twin.delete(id);
        bench.check();
      }
    } catch (error) {
      throw new Error(`seed ${seed}`, { cause: error });
    }
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
  const commit = { documents, schema: bench.schema, sequence: sequenceNumber(3) };
  expect(() => bench.memtable.apply(commit)).toThrow("full");
  bench.memory.allocate = allocate;
  bench.check();
});

test("a build of many documents has many steps", () => {
  const { memtable, schema } = new Bench(6, "string");
  const documents = Array.from({ length: effort({ usual: 40_000, full: 100_000 }) }, (_, i) => {
    return { id: `id ${i}`, attributes: new Map() };
  });
  const steps = memtable.prepare({ documents: columnsOf(documents, schema), schema });
  expect([...steps].length).toBeGreaterThan(5);
});

test("what many ids replace is found before the commit, and anew where that is outdated", () => {
  for (const isOutdated of [false, true]) {
    const bench = new Bench(4, "uint");
    const { memtable, schema } = bench;
    const ids = (from: number) => {
      const documents = Array.from({ length: 5000 }, (_, i) => {
        return { id: BigInt(from + i), attributes: new Map() };
      });
      return columnsOf(documents, schema);
    };
    const at = (sequence: number) => ({ schema, sequence: sequenceNumber(sequence) });
    bench.follow(memtable.apply({ documents: ids(0), ...at(1) }));
    const commit = {
      documents: ids(1000),
      deletes: { ...columnsOf([{ id: 5n, attributes: new Map() }], schema) },
    };
    const prepared = runSteps(memtable.prepare({ ...commit, schema }));
    if (isOutdated) bench.follow(memtable.apply({ documents: ids(500), ...at(2) }));
    bench.follow(memtable.apply({ ...commit, prepared, ...at(3) }));
    expect(memtable.documentCount).toBe(5999);
    expect([...contents(memtable.segments, schema).keys()]).toHaveLength(5999);
    expectEqual(contents(bench.replica.segments, schema), contents(memtable.segments, schema));
  }
});

test("damaged segments are refused", () => {
  const source = new Bench(5, "uuid");
  source.commit(50);
  const [{ view }] = source.memtable.segments;
  const sealed = sealSegment(view as OpenSegment);
  const random = seededRandom(5);
  for (let i = 0; i < 400; i++) {
    const damaged = sealed.slice(0, i % 4 === 0 ? random.below(sealed.length) : undefined);
    const at = i < 128 ? i : random.below(sealed.length);
    if (damaged.length === sealed.length) damaged[at] ^= 1 << random.below(8);
    let thrown: unknown;
    try {
      verifySegment(damaged);
    } catch (error) {
      thrown = error;
    }
    expect(isDatabaseError(thrown, "corrupt", "too_new"), `damage ${i} at ${at}`).toBe(true);
  }
  expect(view.idOf(0 as Ordinal)).toBeTypeOf("string");
});
