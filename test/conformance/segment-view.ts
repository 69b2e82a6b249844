/**
 * What every `SegmentView` does, whatever made its bytes: the writer, a merge, or a store. Expected
 * values come from plain documents by the slowest possible means.
 */

import { expect, test } from "vitest";
import type { Ordinal } from "../../src/base/ids.ts";
import type { Random } from "../../src/base/random.ts";
import { seededRandom } from "../../src/base/random.ts";
import type { TypedDocument } from "../../src/codec/columns-builder.ts";
import type { AttributeType, IdType } from "../../src/model/attribute-type.ts";
import type { FullTextOptions } from "../../src/model/full-text-options.ts";
import type { AttributeSchema, Schema } from "../../src/model/schema.ts";
import type { AttributeValue, SparseVector } from "../../src/model/value.ts";
import { compareStrings } from "../../src/model/value.ts";
import { SPARSE_INDEX } from "../../src/segment/sparse/sparse-index.ts";
import { TEXT_INDEX } from "../../src/segment/text/text-index.ts";
import type { SegmentView } from "../../src/segment/view/segment-view.ts";
import { analyzerFor } from "../../src/text/analyzer.ts";
import { expectEqual } from "../support/expect-equal.ts";
import { EVERY_TYPE, randomDocuments, randomId } from "../support/random/random-documents.ts";
import { plainPostings, plainWeights } from "../support/segments/plain-postings.ts";

/** Options that keep every token, with its case folded. */
export const TEXT_OPTIONS: FullTextOptions = {
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
};

const ID_TYPES: readonly IdType[] = ["uint", "string", "uuid"];

/** A schema of one attribute per type, with each index where `random` says so. */
export function randomSchema(random: Random, idType: IdType): Schema {
  const attributes = new Map<string, AttributeSchema>();
  for (const [name, type] of EVERY_TYPE) {
    const isText = "of" in type && type.of === "string";
    attributes.set(name, {
      type,
      filterable: random.below(2) === 0,
      ...(isText && random.below(3) > 0 && { fullTextSearch: TEXT_OPTIONS }),
      ...(isText && random.below(3) === 0 && { regex: true as const }),
    });
  }
  return { idType, distanceMetric: "cosine_distance", attributes };
}

/** Makes a view of documents in the order given. `random` may choose the way. */
export type MakeView = (
  documents: readonly TypedDocument[],
  schema: Schema,
  random: Random,
) => { view: SegmentView; memory: (arena: number) => ArrayBufferLike };

/** Runs the suite with documents of seeds 1 to `seeds`; ids of a type come every third time. */
export function segmentViewConformance(name: string, makeView: MakeView, seeds: number): void {
  const made = new Map<number, Given>();
  const make = (seed: number): Given => {
    const random = seededRandom(seed);
    const idType = ID_TYPES[seed % ID_TYPES.length];
    const schema = randomSchema(random, idType);
    const documents = randomDocuments(random, 1 + random.below(40), { idType, types: EVERY_TYPE });
    return { ...makeView(documents, schema, random), documents, schema, idType };
  };
  const each = (check: (given: Given, random: Random) => void) => {
    for (let seed = 1; seed <= seeds; seed++) {
      try {
        const given = made.get(seed) ?? make(seed);
        // All tests read the same views, and change nothing.
        made.set(seed, given);
        check(given, seededRandom(seed));
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
  };

  test(`${name}: ids and ordinals lead to each other`, () => {
    each(({ view, documents, idType }, random) => {
      expect(view.documentCount).toBe(documents.length);
      const ids = documents.map(({ id }) => id);
      expectEqual(
        ids.map((_, o) => view.idOf(o as Ordinal)),
        ids,
      );
      const others = Array.from({ length: 50 }, () => randomId(random, idType, 1000));
      const sought = [...ids, ...others];
      const ordinals = new Map(ids.map((id, ordinal) => [id, ordinal]));
      expectEqual(
        sought.map((id) => view.ordinalOf(id)),
        sought.map((id) => ordinals.get(id)),
      );
    });
  });

  test(`${name}: columns give back every value and null`, () => {
    each(({ view, documents }) => {
      for (const attribute of EVERY_TYPE.keys()) {
        const expected = documents.map(({ attributes }) => attributes.get(attribute) ?? null);
        const column = view.column(attribute);
        expect(column !== undefined).toBe(expected.some((value) => value !== null));
        if (column === undefined) continue;
        const values = expected.map((_, o) => column.value(o as Ordinal));
        expectEqual(values, expected, attribute);
        const has = expected.map((_, o) => column.has(o as Ordinal));
        expectEqual(
          has,
          expected.map((value) => value !== null),
          attribute,
        );
        expect(column.column.count).toBe(documents.length);
      }
    });
  });

  test(`${name}: dictionaries hold the distinct values in order`, () => {
    each(({ view, documents, schema }) => {
      for (const [attribute, type] of EVERY_TYPE) {
        const dictionary = view.column(attribute)?.dictionary;
        const values = documents.map(({ attributes }) => attributes.get(attribute) ?? null);
        if (!hasDictionary(type, schema.attributes.get(attribute)) || values.every(isNull)) {
          expect(dictionary).toBe(undefined);
          continue;
        }
        const elements = values.flatMap((value) => value ?? []) as string[];
        const distinct = [...new Set(elements)].sort(compareStrings);
        expect(dictionary?.size).toBe(distinct.length);
        if (dictionary === undefined) continue;
        expect(distinct.map((_, code) => dictionary.value(code))).toEqual(distinct);
        const codes = [...dictionary.codes].map((code) => distinct[code]);
        if (type.kind === "array") expect(codes).toEqual(elements);
        else expect(codes.filter((_, o) => !isNull(values[o]))).toEqual(elements);
        const sought = [...distinct, "", "\u{1f98a}", "id", "5"];
        expectEqual(
          sought.map((value) => [dictionary.codeOf(value), dictionary.lowerBound(value)]),
          sought.map((value) => {
            const below = distinct.filter((other) => compareStrings(other, value) < 0);
            return [distinct.indexOf(value), below.length];
          }),
        );
      }
    });
  });

  test(`${name}: text indexes hold the postings of every term`, () => {
    each(({ view, documents, schema }) => {
      for (const attribute of EVERY_TYPE.keys()) {
        const options = schema.attributes.get(attribute)?.fullTextSearch;
        const values = documents.map(({ attributes }) => attributes.get(attribute) ?? null);
        const text = view.index(TEXT_INDEX, attribute);
        expect(text !== undefined).toBe(options !== undefined && !values.every(isNull));
        if (text === undefined || options === undefined) continue;
        const terms = values.map((value) => termsOf(value, options));
        expect([...text.lengths]).toEqual(terms.map((list) => list.length));
        const distinct = [...new Set(terms.flat())].sort(compareStrings);
        expect(distinct.map((_, code) => text.term(code))).toEqual(distinct);
        expect(text.termCount).toBe(distinct.length);
        distinct.forEach((term, code) => {
          const counts = terms.map((list) => list.filter((other) => other === term).length);
          const ordinals = counts.flatMap((count, o) => (count > 0 ? [o] : []));
          const expected = { ordinals, frequencies: counts.filter((count) => count > 0) };
          const postings = text.postings(term);
          const found = [postings, text.postingsAt(code)].map(plainPostings);
          expectEqual([...found, text.lowerBound(term)], [expected, expected, code]);
        });
        expect(text.postings("no such term")).toBe(undefined);
      }
    });
  });

  test(`${name}: sparse vectors are inverted by dimension`, () => {
    each(({ view, documents }) => {
      const vectors = documents.map(({ attributes }) => attributes.get("{}f16") as SparseVector);
      const sparse = view.index(SPARSE_INDEX, "{}f16");
      expect(sparse !== undefined).toBe(vectors.some((vector) => vector !== undefined));
      for (const dimension of new Set(vectors.flatMap((vector) => vector?.names ?? []))) {
        const postings = sparse?.postings(dimension);
        const ordinals: number[] = [];
        const weights: number[] = [];
        vectors.forEach((vector, ordinal) => {
          const at = vector?.names.indexOf(dimension) ?? -1;
          if (at < 0) return;
          ordinals.push(ordinal);
          weights.push(vector.weights[at]);
        });
        expectEqual(plainWeights(postings), { ordinals, weights });
      }
      expect(sparse?.postings("none")).toBe(undefined);
    });
  });

  test(`${name}: dense vectors lie where the kernels are told`, () => {
    each(({ view, memory, documents }) => {
      for (const [attribute, type] of EVERY_TYPE) {
        const place = view.column(attribute)?.vectors;
        if (type.kind !== "vector") expect(place).toBe(undefined);
        if (place === undefined || type.kind !== "vector") continue;
        expect(place.strideBytes % 16).toBe(0);
        expect(place.chunk(0).offset % 64).toBe(0);
        documents.forEach(({ attributes }, ordinal) => {
          const chunk = place.chunk(Math.floor(ordinal / place.chunkRows));
          const at = chunk.offset + (ordinal % place.chunkRows) * place.strideBytes;
          const expected = attributes.get(attribute) ?? new Float32Array(type.dimensions);
          const stored = elementsAt(memory(chunk.arena), at, type);
          expectEqual(Float32Array.from(stored), expected, attribute);
          const norm = Math.sqrt(stored.reduce((sum, x) => sum + x * x, 0));
          expect(place.inverseNorms[ordinal]).toBe(norm === 0 ? 0 : Math.fround(1 / norm));
        });
      }
    });
  });
}

interface Given extends ReturnType<MakeView> {
  readonly documents: readonly TypedDocument[];
  readonly schema: Schema;
  readonly idType: IdType;
}

function hasDictionary(type: AttributeType, schema: AttributeSchema | undefined): boolean {
  const isString = "of" in type && (type.of === "string" || type.of === "uuid");
  return isString && (schema?.filterable === true || schema?.regex === true);
}

function isNull(value: AttributeValue): boolean {
  return value === null;
}

function termsOf(value: AttributeValue, options: FullTextOptions): string[] {
  const texts = value === null ? [] : ([value].flat() as string[]);
  return texts.flatMap((text) =>
    analyzerFor(options)
      .analyze(text)
      .map(({ term }) => term),
  );
}

function elementsAt(
  buffer: ArrayBufferLike,
  at: number,
  type: Extract<AttributeType, { kind: "vector" }>,
): number[] {
  if (type.element === "f32") return [...new Float32Array(buffer, at, type.dimensions)];
  if (type.element === "f16") return [...new Float16Array(buffer, at, type.dimensions)];
  return [...new Int8Array(buffer, at, type.dimensions)];
}
