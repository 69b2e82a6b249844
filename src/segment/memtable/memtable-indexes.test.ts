/** Which segments in memory have byte codes and positions, and which copy them. */

import { expect, test } from "vitest";
import { documentOf, fullText, schemaOf } from "../../../test/support/queries/query-fixture.ts";
import { uniformVector } from "../../../test/support/random/vector-kinds.ts";
import { writePlan } from "../../../test/support/segments/segment-forms.ts";
import { TestSegmentMemory } from "../../../test/support/segments/test-segment-memory.ts";
import { MIB } from "../../base/byte-sizes.ts";
import { type SegmentId, sequenceNumber } from "../../base/ids.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { buildDocuments, buildIds } from "../../codec/columns-builder.ts";
import type { Schema } from "../../model/schema.ts";
import { planMerge } from "../segment-merger.ts";
import type { OpenSegment } from "../segment-reader.ts";
import { sealSegment, verifySegment } from "../segment-seal.ts";
import { TEXT_INDEX } from "../text/text-index.ts";
import { BYTE_CODE_INDEX, type ByteCodeView } from "../vectors/byte-code-index.ts";
import { Memtable } from "./memtable.ts";
import { MEMTABLE_INDEXES, memtableIndexes } from "./memtable-indexes.ts";

const ANN = { distanceMetric: "euclidean_squared", lateInteraction: false } as const;
const METRIC = { distanceMetric: "cosine_distance" } as const;

/** A memtable whose commits have `commitDocuments` each, with a vector of each vector attribute. */
class Fixture {
  readonly memory = new TestSegmentMemory();
  readonly memtable: Memtable;
  readonly #schema: Schema;
  readonly #random = seededRandom(1);
  readonly #commitDocuments: number;
  #next = 0;

  constructor(schema: Schema, commitDocuments: number, isSearched = true) {
    let made = 0;
    const newSegmentId = () => `s${made++}` as SegmentId;
    const mergedIndexes = isSearched ? { mergedIndexes: memtableIndexes } : {};
    this.memtable = new Memtable({ memory: this.memory, newSegmentId, ...mergedIndexes });
    this.#schema = schema;
    this.#commitDocuments = commitDocuments;
  }

  commit(): void {
    const schema = this.#schema;
    const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
    const documents = Array.from({ length: this.#commitDocuments }, () => {
      const vectors = [...types].map(([name, type]) => {
        const dimensions = type.kind === "vector" ? type.dimensions : 0;
        return [name, uniformVector(this.#random, dimensions).map((x) => Math.round(100 * x))];
      });
      return documentOf(BigInt(this.#next++), Object.fromEntries(vectors));
    });
    const sequence = sequenceNumber(1);
    this.memtable.apply({ documents: buildDocuments("uint", types, documents), schema, sequence });
  }

  commits(count: number): void {
    for (let i = 0; i < count; i++) this.commit();
  }

  delete(id: number): void {
    const deletes = { ids: buildIds("uint", [BigInt(id)]), count: 1 };
    this.memtable.apply({ deletes, schema: this.#schema, sequence: sequenceNumber(1) });
  }

  merge(bytesMax?: number): OpenSegment {
    const delta = runSteps(this.memtable.compactStep(1e6, this.#schema, bytesMax));
    this.memtable.release(delta?.dropped ?? []);
    return this.memtable.segments.at(-1)?.view ?? expect.unreachable();
  }
}

const SCHEMA = schemaOf({ vector: { type: "[64]f32", ann: ANN } }, METRIC);

function codesOf(view: OpenSegment, attribute = "vector"): ByteCodeView {
  return view.index(BYTE_CODE_INDEX, attribute) ?? expect.unreachable();
}

/** All rows of codes, without what segments are padded with. */
function bytesOf(view: OpenSegment): Uint8Array {
  const codes = codesOf(view);
  return codes.chunk(0).bytes.slice(0, view.documentCount * codes.strideBytes);
}

test("merges of enough documents make codes, and commits do not", () => {
  for (const [commitDocuments, has] of [
    [31, false],
    [32, true],
  ] as const) {
    const fixture = new Fixture(SCHEMA, commitDocuments);
    fixture.commits(8);
    expect(fixture.merge().hasIndex(BYTE_CODE_INDEX, "vector")).toBe(has);
  }
  const large = new Fixture(SCHEMA, 1000);
  large.commit();
  const [{ view }] = large.memtable.segments;
  expect(view.hasIndex(BYTE_CODE_INDEX, "vector")).toBe(false);
  const stored = new Fixture(SCHEMA, 100, false);
  stored.commits(8);
  expect(stored.merge().hasIndex(BYTE_CODE_INDEX, "vector")).toBe(false);
});

test("vectors have codes by the metric that searches them, where codes are smaller", () => {
  const schema = schemaOf(
    {
      own: { type: "[16]f32", ann: ANN },
      exact: "[64]f16",
      small: { type: "[12]f32", ann: ANN },
      bytes: { type: "[64]i8", ann: ANN },
    },
    METRIC,
  );
  const fixture = new Fixture(schema, 32);
  fixture.commits(8);
  const view = fixture.merge();
  const metrics = [...schema.attributes.keys()].map(
    (name) => view.index(BYTE_CODE_INDEX, name)?.metric,
  );
  expect(metrics).toEqual(["euclidean_squared", "cosine_distance", undefined, undefined]);
  expect([...codesOf(view, "own").origin]).toEqual(Array(16).fill(0));
  const unknown = new Fixture(schemaOf({ exact: "[64]f16" }), 32);
  unknown.commits(8);
  expect(unknown.merge().hasIndex(BYTE_CODE_INDEX, "exact")).toBe(false);
});

test("merges copy the codes of their inputs, and make the others", () => {
  const [copied, made] = [true, false].map((isSearched) => {
    const fixture = new Fixture(SCHEMA, 40, isSearched);
    fixture.commits(8);
    // Of few bytes nothing is merged but these eight.
    const first = fixture.merge();
    fixture.commits(8);
    if (isSearched) {
      expect(first.hasIndex(BYTE_CODE_INDEX, "vector")).toBe(true);
      // What is copied tells by a byte that no vector gives.
      const { bytes } = codesOf(first).chunk(0);
      expect(bytes[7]).not.toBe(0x80);
      bytes[7] = 0x80;
    }
    fixture.delete(5);
    return { fixture, first };
  });
  const inputs = copied.fixture.memtable.segments.map(({ view, liveBitmap }) => {
    return { view, liveBitmap };
  });
  const others = made.fixture.memtable.segments.map(({ view, liveBitmap }) => {
    return { view, liveBitmap };
  });
  const indexes = memtableIndexes(SCHEMA);
  const [some, all] = [inputs, others].map((merged) => {
    const plan = runSteps(planMerge(merged, SCHEMA, indexes));
    return writePlan(plan, new TestSegmentMemory());
  });
  const own = bytesOf(some);
  expect(own[7]).toBe(0x80);
  own[7] = bytesOf(all)[7];
  expect(own).toEqual(bytesOf(all));
  expect(some.documentCount).toBe(639);
  verifySegment(sealSegment(some));
});

test("what stored segments are about to take over is not coded, but keeps its codes", () => {
  const fixture = new Fixture(SCHEMA, 40);
  fixture.commits(8);
  expect(fixture.merge(8 * MIB).hasIndex(BYTE_CODE_INDEX, "vector")).toBe(false);
  const coded = new Fixture(SCHEMA, 40);
  for (let i = 0; i < 8; i++) {
    coded.commits(8);
    expect(coded.merge().hasIndex(BYTE_CODE_INDEX, "vector")).toBe(true);
  }
  expect(coded.memtable.segments.map(({ view }) => view.documentCount)).toEqual(Array(8).fill(320));
  expect(coded.merge(8 * MIB).hasIndex(BYTE_CODE_INDEX, "vector")).toBe(true);
  expect(coded.memtable.segments).toHaveLength(1);
});

test("codes count as memory of the memtable, and are made in many steps", () => {
  const [coded, plain] = [true, false].map((isSearched) => {
    const fixture = new Fixture(SCHEMA, 2000, isSearched);
    fixture.commits(8);
    return fixture;
  });
  const steps = [coded, plain].map(({ memtable }) => [...memtable.compactStep(1e6, SCHEMA)].length);
  for (const { memtable } of [coded, plain]) expect(memtable.segments).toHaveLength(1);
  // A step codes 65,536 numbers.
  expect(steps[0] - steps[1]).toBeGreaterThanOrEqual((16_000 * 64) / 65_536 - 1);
  const [view, without] = [coded, plain].map(({ memtable }) => memtable.segments[0].view);
  expect(view.bytes - without.bytes).toBeGreaterThanOrEqual(16_000 * codesOf(view).strideBytes);
  expect(coded.memtable.memoryBytes - plain.memtable.memoryBytes).toBe(view.bytes - without.bytes);
});

test("segments that queries search in memory have no positions, those of an indexer have", () => {
  const schema = schemaOf({ text: { type: "string", fullTextSearch: fullText() } });
  for (const indexes of [MEMTABLE_INDEXES, undefined]) {
    let made = 0;
    const memtable = new Memtable({
      memory: new TestSegmentMemory(),
      newSegmentId: () => `s${made++}` as SegmentId,
      ...(indexes && { indexes, mergedIndexes: memtableIndexes }),
    });
    for (let first = 0; first < 4000; first += 200) {
      const texts = Array.from({ length: 200 }, (_, i) =>
        documentOf(BigInt(first + i), { text: "quick fox" }),
      );
      const types = new Map([
        ["text", schema.attributes.get("text")?.type ?? expect.unreachable()],
      ]);
      const documents = buildDocuments("uint", types, texts);
      memtable.apply({ documents, schema, sequence: sequenceNumber(1) });
    }
    const have = () =>
      new Set(memtable.segments.map(({ view }) => view.index(TEXT_INDEX, "text")?.hasPositions));
    expect(have()).toEqual(new Set([indexes === undefined]));
    expect(runSteps(memtable.compactStep(1e6, schema))).toBeDefined();
    expect(have()).toEqual(new Set([indexes === undefined]));
  }
});
