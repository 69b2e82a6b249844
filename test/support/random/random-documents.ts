/** Random typed documents of every attribute type, with nulls, empty values and all of Unicode. */

import type { Random } from "../../../src/base/random.ts";
import type { TypedDocument } from "../../../src/codec/columns-builder.ts";
import type { AttributeType, IdType } from "../../../src/model/attribute-type.ts";
import { parseAttributeType, SCALAR_KINDS } from "../../../src/model/attribute-type.ts";
import { formatUuid } from "../../../src/model/uuid.ts";
import type { AttributeValue, DocumentId, ScalarValue } from "../../../src/model/value.ts";
import { compareStrings } from "../../../src/model/value.ts";

const SPELLINGS = [
  ...SCALAR_KINDS,
  ...SCALAR_KINDS.map((kind) => `[]${kind}`),
  ..."bytes [3]f32 [5]f16 [7]i8 [][2]f32 {}f16 []unknown".split(" "),
];

/** One attribute of each type, named as its type is spelled. */
export const EVERY_TYPE: ReadonlyMap<string, AttributeType> = new Map(
  SPELLINGS.map((spelling) => [spelling, parseAttributeType(spelling) as AttributeType]),
);

const WORDS = "the quick brown fox jumps over lazy dogs café naïve 東京 🦊 running Fox".split(" ");
const STRINGS = ["", "a", "b", "\u0000", "é", "\uffff", "\u{10000}", "\u{1f98a}", "zz", "ab"];

/** A random id; few distinct ones if `space` is small. */
export function randomId(random: Random, idType: IdType, space: number): DocumentId {
  const number = random.below(space);
  if (idType === "uint") return number % 7 === 0 ? (1n << 63n) + BigInt(number) : BigInt(number);
  if (idType === "string") return `${number % 3 === 0 ? "é" : "id"}-${number}`;
  const bytes = new Uint8Array(16);
  new DataView(bytes.buffer).setUint32(number % 13, number * 2654435761);
  bytes[15] = number & 255;
  bytes[14] = number >> 8;
  return formatUuid(bytes);
}

/** A document with a random value or null for each of `types`. */
export function randomDocument(
  random: Random,
  id: DocumentId,
  types: ReadonlyMap<string, AttributeType>,
): TypedDocument {
  const attributes = new Map<string, AttributeValue>();
  for (const [name, type] of types) {
    if (random.below(4) > 0) attributes.set(name, randomValue(random, type));
  }
  return { id, attributes };
}

/** `count` documents with distinct ids. */
export function randomDocuments(
  random: Random,
  count: number,
  options: { idType: IdType; types: ReadonlyMap<string, AttributeType>; space?: number },
): TypedDocument[] {
  const documents = new Map<DocumentId, TypedDocument>();
  while (documents.size < count) {
    const id = randomId(random, options.idType, options.space ?? count * 4);
    documents.set(id, randomDocument(random, id, options.types));
  }
  return [...documents.values()];
}

/** A random value of a type, never null. */
export function randomValue(random: Random, type: AttributeType): AttributeValue {
  switch (type.kind) {
    case "scalar":
      return randomScalar(random, type.of);
    case "bytes":
      return random.bytes(random.below(20));
    case "array": {
      const { of } = type;
      if (of === "unknown") return [];
      return Array.from({ length: random.below(4) }, () => randomScalar(random, of));
    }
    case "vector":
      return randomVector(random, type.dimensions, type.element);
    case "multi_vector":
      return Array.from({ length: random.below(4) }, () =>
        randomVector(random, type.dimensions, "f32"),
      );
    case "sparse": {
      const names = [
        ...new Set(Array.from({ length: random.below(5) }, () => pick(random, STRINGS))),
      ];
      names.sort(compareStrings);
      const weights = Float32Array.from(names, () => random.below(64) / 8 - 4);
      return { names, weights };
    }
  }
}

function randomScalar(random: Random, of: (typeof SCALAR_KINDS)[number]): ScalarValue {
  switch (of) {
    case "string":
      return random.below(2) === 0 ? pick(random, STRINGS) : sentence(random);
    case "int":
      return random.below(5) === 0 ? -(1n << 63n) : BigInt(random.below(20) - 10);
    case "datetime":
      return BigInt(random.below(1000)) * 1_000_000_007n;
    case "uint":
      return random.below(5) === 0 ? (1n << 64n) - 1n : BigInt(random.below(20));
    case "float":
      return random.below(5) === 0 ? -0.5 : random.next() * 100;
    case "bool":
      return random.below(2) === 0;
    case "uuid":
      return formatUuid(Uint8Array.from({ length: 16 }, () => random.below(3)));
  }
}

function randomVector(random: Random, dimensions: number, element: string): Float32Array {
  if (random.below(10) === 0) return new Float32Array(dimensions);
  // Multiples of 1/64 below 4 are exact in f16; i8 takes whole numbers.
  const value = () => (element === "i8" ? random.below(256) - 128 : random.below(512) / 64 - 4);
  return Float32Array.from({ length: dimensions }, value);
}

function sentence(random: Random): string {
  return Array.from({ length: random.below(9) }, () => pick(random, WORDS)).join(" ");
}

function pick<T>(random: Random, values: readonly T[]): T {
  return values[random.below(values.length)];
}
