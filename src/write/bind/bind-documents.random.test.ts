import { expect, test } from "vitest";
import { faultOf, looseRows } from "../../../test/support/documents/loose-json.ts";
import { create } from "../../../test/support/documents/schema-changes.ts";
import { effort } from "../../../test/support/effort.ts";
import {
  EVERY_TYPE,
  randomDocuments,
  randomValue,
} from "../../../test/support/random/random-documents.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { isDatabaseError } from "../../base/errors.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { buildDocuments, type TypedDocument } from "../../codec/columns-builder.ts";
import { encodeColumns } from "../../codec/columns-codec.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import { formatDatetime } from "../../model/datetime.ts";
import type { AttributeValue, ScalarValue, SparseVector } from "../../model/value.ts";
import { bindUpserts } from "./bind-documents.ts";

/** All types that can be declared; every vector has at least one element. */
const TYPES = new Map([...EVERY_TYPE].filter(([name]) => name !== "[]unknown"));

const declared = Object.fromEntries(
  [...TYPES].map(([name, { kind }]) => {
    const isVector = kind === "vector";
    return [name, { type: name, ...(isVector ? { ann: true } : { filterable: false }) }];
  }),
);
const SCHEMA = create({ id: "string", ...declared }, "cosine_distance");
/** Of which all together take several parts of text. */
const LONG_TEXTS = ["x".repeat(10_000), "é".repeat(60_000), "日".repeat(100_000)];
const CONTEXT = { schema: SCHEMA, isNewNamespace: true, distanceMetric: undefined };

/** A typed value as a client may write it. */
function written(value: AttributeValue, type: AttributeType, random: Random): unknown {
  if (value === null) return null;
  switch (type.kind) {
    case "scalar":
      return scalarWritten(value as ScalarValue, type.of);
    case "array":
      return (value as ScalarValue[]).map((element) => scalarWritten(element, type.of));
    case "bytes":
      return Buffer.from(value as Uint8Array).toString("base64");
    case "vector":
      return vectorWritten(value as Float32Array, random);
    case "multi_vector":
      return (value as Float32Array[]).map((vector) => vectorWritten(vector, random));
    case "sparse": {
      const { names, weights } = value as SparseVector;
      const entries = names.map((name, i) => [name, weights[i]] as const);
      return Object.fromEntries(entries.reverse());
    }
  }
}

function scalarWritten(value: ScalarValue, of: string): unknown {
  return of === "datetime" ? formatDatetime(value as bigint) : value;
}

function vectorWritten(vector: Float32Array, random: Random): unknown {
  switch (random.below(4)) {
    case 0:
      return [...vector];
    case 1:
      return vector;
    case 2:
      return Float64Array.from(vector);
    default:
      return Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength).toString("base64");
  }
}

/** Gives documents the vectors that they must have. */
function withVectors(document: TypedDocument, random: Random): TypedDocument {
  const attributes = new Map(document.attributes);
  for (const [name, type] of TYPES) {
    if (type.kind === "vector") attributes.set(name, randomValue(random, type));
    if (type.kind !== "multi_vector") continue;
    const vectors = randomValue(random, type) as Float32Array[];
    attributes.set(name, vectors.length > 0 ? vectors : [new Float32Array(type.dimensions)]);
  }
  return { ...document, attributes };
}

test.each([1, 2, 3, 4].slice(0, effort({ usual: 2, full: 4 })))(
  "random documents of every type are bound exactly (seed %i)",
  (seed) => {
    const random = seededRandom(seed);
    for (let round = 0; round < effort({ usual: 15, full: 40 }); round++) {
      const options = { idType: "string", types: TYPES } as const;
      const documents = randomDocuments(random, 1 + random.below(20), options).map((document) =>
        withVectors(document, random),
      );
      const rows = documents.map(({ id, attributes }) => {
        const cells = [...TYPES].map(([name, type]) => [
          name,
          written(attributes.get(name) ?? null, type, random),
        ]);
        return { id, ...Object.fromEntries(cells) };
      });
      const bound = runSteps(bindUpserts(looseRows(rows), CONTEXT));
      expect(bound.schema).toBe(SCHEMA);
      // The slow twin builds columns value by value.
      const slow = buildDocuments("string", TYPES, documents);
      for (const [name, column] of slow.attributes) {
        expect(bound.documents.attributes.get(name), `seed ${seed}: ${name}`).toEqual(column);
      }
      expect(encodeColumns(bound.documents).length).toBe(encodeColumns(slow).length);
    }
  },
);

test("so many documents that every type takes several steps are bound exactly", () => {
  const random = testRandom();
  const few = randomDocuments(random, 200, { idType: "string", types: TYPES });
  const texts = [...LONG_TEXTS, "", "short", "日本語 🦊"];
  const documents = Array.from({ length: effort({ usual: 4_200, full: 8_500 }) }, (_, i) => {
    const attributes = new Map(withVectors(few[random.below(few.length)], random).attributes);
    attributes.set("string", texts[i % 50 === 0 ? random.below(3) : 3 + random.below(3)]);
    return { id: `${i}`, attributes };
  });
  const rows = documents.map(({ id, attributes }) => {
    const cells = [...TYPES].map(([name, type]) => [
      name,
      written(attributes.get(name) ?? null, type, random),
    ]);
    return { id, ...Object.fromEntries(cells) };
  });
  const bound = runSteps(bindUpserts(looseRows(rows), CONTEXT)).documents;
  const slow = buildDocuments("string", TYPES, documents);
  expect(bound.attributes.size).toBe(slow.attributes.size);
  for (const [name, column] of slow.attributes) {
    // The runner's own comparison of so many values takes longer than all else.
    const [found, expected] = [bound.attributes.get(name), column].map((one) =>
      encodeColumns({ ...slow, attributes: new Map(one && [[name, one]]) }),
    );
    expect(Buffer.compare(found, expected), name).toBe(0);
  }
});

test("values of whatever type are bound, or refused with their place", () => {
  const random = seededRandom(9);
  const types = [...TYPES];
  for (let round = 0; round < effort({ usual: 700, full: 2_000 }); round++) {
    const [name] = types[random.below(types.length)];
    const [, other] = types[random.below(types.length)];
    const value = written(randomValue(random, other), other, random);
    const row: Record<string, unknown> = { id: "a" };
    for (const [vector, vectorType] of TYPES) {
      const isVector = vectorType.kind === "vector" || vectorType.kind === "multi_vector";
      if (isVector && vector !== name) row[vector] = validVector(vectorType);
    }
    row[name] = value;
    try {
      runSteps(bindUpserts(looseRows([row]), CONTEXT));
    } catch (error) {
      if (!isDatabaseError(error, "invalid", "malformed")) throw error;
      expect(error.message, `round ${round}`).toContain(`upsert_rows[0].${name}`);
    }
  }
});

function validVector(type: AttributeType): unknown {
  if (type.kind === "vector") return new Float32Array(type.dimensions);
  return type.kind === "multi_vector" ? [new Float32Array(type.dimensions)] : null;
}

test("an unknown attribute type of a stored schema cannot be declared", () => {
  expect(faultOf(() => create({ a: "[]unknown" })).message).toContain("[]unknown");
});
