import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { EVERY_TYPE, randomDocuments } from "../../../test/support/random/random-documents.ts";
import { TestSegmentMemory } from "../../../test/support/segments/test-segment-memory.ts";
import { type SegmentId, sequenceNumber } from "../../base/ids.ts";
import { seededRandom } from "../../base/random.ts";
import { oneStep, runSteps } from "../../base/steps.ts";
import { buildDocuments, type TypedDocument } from "../../codec/columns-builder.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { DocumentColumns } from "../../model/columns.ts";
import type { Schema } from "../../model/schema.ts";
import type { AttributeValue, DocumentId } from "../../model/value.ts";
import { Memtable } from "../../segment/memtable/memtable.ts";
import { WriteBodyParser } from "../../wire/write/parse-write.ts";
import { type BoundBatch, bindBatch } from "../bind/bind-batch.ts";
import type { CurrentDocuments } from "./resolve-batch.ts";
import { resolveBatch } from "./resolve-batch.ts";

const SCHEMA: Schema = {
  idType: "uint",
  distanceMetric: "cosine_distance",
  attributes: new Map([...EVERY_TYPE].map(([name, type]) => [name, { type, filterable: false }])),
};

/** Types that patches may change; vectors and what they cannot touch stay. */
const PATCHED: ReadonlyMap<string, AttributeType> = new Map(
  [...EVERY_TYPE].filter(([, { kind }]) => kind !== "vector" && kind !== "multi_vector"),
);

function newMemtable(): Memtable {
  let next = 0;
  return new Memtable({
    memory: new TestSegmentMemory(),
    newSegmentId: () => `s${next++}` as SegmentId,
  });
}

function reading(memtable: Memtable): CurrentDocuments {
  return {
    locate: (id) => {
      const found = memtable.locate(id);
      return found && { view: found.segment.view, ordinal: found.ordinal };
    },
    expect: () => oneStep(() => {}),
    matchIds: () => oneStep(() => ({ ids: [], more: false })),
    condition: () => oneStep(() => () => true),
  };
}

/** What the memtable has of a document. */
function storedValues(memtable: Memtable, id: DocumentId): Map<string, AttributeValue> | undefined {
  const found = memtable.locate(id);
  if (!found) return undefined;
  const values = new Map<string, AttributeValue>();
  for (const name of EVERY_TYPE.keys()) {
    const value = found.segment.view.column(name)?.value(found.ordinal) ?? null;
    if (value !== null) values.set(name, value);
  }
  return values;
}

function upsertBatch(documents: DocumentColumns): BoundBatch {
  const none = { schema: SCHEMA, schemaChanged: false, returnAffectedIds: false };
  return { ...none, upserts: documents };
}

/** Patches that clear what a document of `changes` leaves out of the attributes that it names. */
function patchBatch(changes: readonly TypedDocument[]): BoundBatch {
  const documents = buildDocuments("uint", PATCHED, changes);
  const given = new Map([...PATCHED.keys()].map((name) => [name, namedBy(changes, name)]));
  const patches = { documents, given, schema: SCHEMA };
  return { schema: SCHEMA, schemaChanged: false, returnAffectedIds: false, patches };
}

function namedBy(changes: readonly TypedDocument[], name: string): Uint8Array {
  const given = new Uint8Array((changes.length + 7) >> 3);
  changes.forEach(({ attributes }, i) => {
    if (attributes.has(name)) given[i >> 3] |= 1 << (i & 7);
  });
  return given;
}

test.each([1, 2, 3].slice(0, effort({ usual: 1, full: 3 })))(
  "patches of stored documents of every type keep the rest (seed %i)",
  (seed) => {
    const random = seededRandom(seed);
    const memtable = newMemtable();
    const model = new Map<DocumentId, Map<string, AttributeValue>>();
    const options = { idType: "uint", types: EVERY_TYPE, space: 40 } as const;
    for (let round = 0; round < 60; round++) {
      const documents = randomDocuments(random, 1 + random.below(8), options);
      const isPatch = random.below(2) === 0;
      if (isPatch) {
        const changes = documents.map(({ id, attributes }) => {
          const named = [...PATCHED.keys()].filter(() => random.below(3) === 0);
          return { id, attributes: new Map(named.map((n) => [n, attributes.get(n) ?? null])) };
        });
        const resolved = runSteps(resolveBatch(patchBatch(changes), reading(memtable)));
        memtable.apply({ ...resolved, schema: SCHEMA, sequence: sequenceNumber(1) });
        for (const { id, attributes } of changes) {
          const stored = model.get(id);
          for (const [name, value] of attributes) {
            if (value === null) stored?.delete(name);
            else stored?.set(name, value);
          }
        }
      } else {
        const columns = buildDocuments("uint", EVERY_TYPE, documents);
        const resolved = runSteps(resolveBatch(upsertBatch(columns), reading(memtable)));
        memtable.apply({ ...resolved, schema: SCHEMA, sequence: sequenceNumber(1) });
        for (const { id, attributes } of documents) model.set(id, new Map(attributes));
      }
      if (random.below(4) === 0) runSteps(memtable.compactStep(1000, SCHEMA));
      for (const [id, attributes] of model) {
        const stored = storedValues(memtable, id);
        if (isDeepStrictEqual(stored, attributes)) continue;
        expect(stored, `seed ${seed}, round ${round}`).toEqual(attributes);
      }
      expect(memtable.documentCount).toBe(model.size);
    }
  },
);

test("a body is bound as it was written, in rows and in columns", () => {
  const body = {
    distance_metric: "euclidean_squared",
    upsert_rows: [
      { id: 1, vector: [0.5, 1], n: 1, tags: ["a"], s: { x: 0.5 } },
      { id: 2, vector: "AACAPwAAAEA=", t: "é", n: null },
    ],
    schema: { s: { type: "{}f16", sparse_knn: { distance_metric: "dot_product" } } },
  };
  const columns = {
    ...body,
    upsert_rows: undefined,
    upsert_columns: {
      id: [1, 2],
      vector: [[0.5, 1], "AACAPwAAAEA="],
      n: [1, null],
      tags: [["a"], null],
      s: [{ x: 0.5 }, null],
      t: [null, "é"],
    },
  };
  const memtables = [body, columns].map((written) => {
    const parser = new WriteBodyParser({ typeOf: () => undefined });
    runSteps(parser.push(Buffer.from(JSON.stringify(written))));
    const namespace = {
      schema: { idType: undefined, distanceMetric: undefined, attributes: new Map() },
      isNewNamespace: true,
      dimensionsOf: () => undefined,
    };
    const batch = runSteps(bindBatch(runSteps(parser.finish()), namespace));
    const memtable = newMemtable();
    memtable.apply({
      ...runSteps(resolveBatch(batch, reading(memtable))),
      schema: batch.schema,
      sequence: sequenceNumber(1),
    });
    return { memtable, batch };
  });
  for (const { memtable, batch } of memtables) {
    const valuesOf = (id: bigint) => {
      const found = memtable.locate(id);
      const names = [...batch.schema.attributes.keys()].sort();
      return names.map((name) => found?.segment.view.column(name)?.value(found.ordinal) ?? null);
    };
    expect([...batch.schema.attributes.keys()].sort()).toEqual(["n", "s", "t", "tags", "vector"]);
    const sparse = { names: ["x"], weights: Float32Array.of(0.5) };
    expect(valuesOf(1n)).toEqual([1n, sparse, null, ["a"], Float32Array.of(0.5, 1)]);
    expect(valuesOf(2n)).toEqual([null, null, "é", null, Float32Array.of(1, 2)]);
  }
});
