/** The documents in the golden files, and their schema. Never changed: a new version gets new ones. */

import { buildDocuments, type TypedDocument } from "../../src/codec/columns-builder.ts";
import type { AttributeType } from "../../src/model/attribute-type.ts";
import { parseAttributeType } from "../../src/model/attribute-type.ts";
import type { DocumentColumns } from "../../src/model/columns.ts";
import type { FullTextOptions } from "../../src/model/full-text-options.ts";
import type { AttributeSchema, Schema } from "../../src/model/schema.ts";
import type { AttributeValue } from "../../src/model/value.ts";

const SPELLINGS = (
  "string int uint float bool uuid datetime bytes []string []int []uint []float []bool []uuid " +
  "[]datetime []unknown [3]f32 [4]f32 [5]f16 [7]i8 [][2]f32 {}f16"
).split(" ");

const TEXT: FullTextOptions = {
  tokenizer: "word_v3",
  language: "english",
  stemming: true,
  removeStopwords: true,
  caseSensitive: false,
  asciiFolding: true,
  maxTokenLength: 39,
  k1: 1.2,
  b: 0.75,
  k3: 8,
};

const UUID = "0f8fad5b-d9cb-469f-a165-70867728950e";

const FULL: [string, AttributeValue][] = [
  ["string", "The quick foxes ran; a fox, the Café 🦊"],
  ["int", -(1n << 63n)],
  ["uint", (1n << 64n) - 1n],
  ["float", -1.5e-300],
  ["bool", true],
  ["uuid", UUID],
  ["datetime", 1_700_000_000_123n],
  ["bytes", Uint8Array.of(0, 255, 10)],
  ["[]string", ["b", "a", "", "東京", "a"]],
  ["[]int", [3n, -3n]],
  ["[]uint", [7n]],
  ["[]float", [0.1, 1e300]],
  ["[]bool", [true, false]],
  ["[]uuid", [UUID, "00000000-0000-0000-0000-000000000001"]],
  ["[]datetime", [-1n]],
  ["[]unknown", []],
  ["[3]f32", Float32Array.of(1, -2, 0.25)],
  ["[4]f32", Float32Array.of(0, 0, 0, 0)],
  ["[5]f16", Float32Array.of(1, -2, 0.25, 65504, 0)],
  ["[7]i8", Float32Array.of(-128, 127, 0, 1, 2, 3, 4)],
  ["[][2]f32", [Float32Array.of(1, 2), Float32Array.of(3, 4)]],
  ["{}f16", { names: ["", "cat", "é"], weights: Float32Array.of(0.5, -1, 2) }],
];

/** As they were written. */
export const GOLDEN_DOCUMENTS: readonly TypedDocument[] = [
  document("first", FULL),
  document("empty", []),
  document("ünïcode", [
    ["string", "dogs"],
    ["[]string", []],
    ["bool", false],
  ]),
  document("4", [
    ["string", ""],
    ["[3]f32", Float32Array.of(0, 3, 4)],
  ]),
  document("5", [
    ["[]string", ["z", "fox"]],
    ["int", 0n],
  ]),
  document("6", [["{}f16", { names: ["cat"], weights: Float32Array.of(3) }]]),
];

/** Every index that a type may have. */
export const GOLDEN_SCHEMA: Schema = {
  idType: "string",
  distanceMetric: "cosine_distance",
  attributes: new Map(
    SPELLINGS.map((spelling): [string, AttributeSchema] => {
      const type = typeOf(spelling);
      const isText = "of" in type && type.of === "string";
      return [spelling, { type, filterable: true, ...(isText && { fullTextSearch: TEXT }) }];
    }),
  ),
};

/** The documents as columns. */
export function goldenColumns(): DocumentColumns {
  const types = new Map(SPELLINGS.map((spelling) => [spelling, typeOf(spelling)]));
  return buildDocuments("string", types, GOLDEN_DOCUMENTS);
}

function document(id: string, attributes: [string, AttributeValue][]): TypedDocument {
  return { id, attributes: new Map(attributes) };
}

function typeOf(spelling: string): AttributeType {
  const type = parseAttributeType(spelling);
  if (type === undefined) throw new Error(`no type ${spelling}`);
  return type;
}
