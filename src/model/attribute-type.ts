/** Types of attribute values, and their spelling in schemas. */

/** Element types of scalars and arrays. `datetime` is milliseconds since the epoch. */
export const SCALAR_KINDS = ["string", "int", "uint", "float", "uuid", "datetime", "bool"] as const;

/** Type of a scalar. */
export type ScalarKind = (typeof SCALAR_KINDS)[number];

/** Stored precision of a dense vector's elements. */
export type VectorElement = "f32" | "f16" | "i8";

/** Type of one attribute. */
export type AttributeType =
  | { readonly kind: "scalar"; readonly of: ScalarKind }
  /** `unknown`: only empty arrays were seen so far. */
  | { readonly kind: "array"; readonly of: ScalarKind | "unknown" }
  | { readonly kind: "bytes" }
  | { readonly kind: "vector"; readonly dimensions: number; readonly element: VectorElement }
  /** `[][N]f32`: any number of vectors, for late interaction. */
  | { readonly kind: "multi_vector"; readonly dimensions: number }
  /** `{}f16`: dimension name to weight. */
  | { readonly kind: "sparse" };

/** Types of document ids. */
export type IdType = "uint" | "string" | "uuid";

const VECTOR = /^\[([1-9][0-9]{0,8})\](f32|f16|i8)$/;
const MULTI_VECTOR = /^\[\]\[([1-9][0-9]{0,8})\]f32$/;

/** Reads a type's spelling (`[]string`, `[768]f32`, `{}f16` …); undefined if it is none. */
export function parseAttributeType(text: string): AttributeType | undefined {
  if (isScalarKind(text)) return { kind: "scalar", of: text };
  if (text === "bytes") return { kind: "bytes" };
  if (text === "{}f16") return { kind: "sparse" };
  const vector = VECTOR.exec(text);
  if (vector) {
    return { kind: "vector", dimensions: Number(vector[1]), element: vector[2] as VectorElement };
  }
  const multi = MULTI_VECTOR.exec(text);
  if (multi) return { kind: "multi_vector", dimensions: Number(multi[1]) };
  if (text.startsWith("[]")) {
    const element = text.slice(2);
    if (isScalarKind(element) || element === "unknown") return { kind: "array", of: element };
  }
  return undefined;
}

/** Spells a type as schemas do; the inverse of `parseAttributeType`. */
export function formatAttributeType(type: AttributeType): string {
  switch (type.kind) {
    case "scalar":
      return type.of;
    case "array":
      return `[]${type.of}`;
    case "bytes":
      return "bytes";
    case "vector":
      return `[${type.dimensions}]${type.element}`;
    case "multi_vector":
      return `[][${type.dimensions}]f32`;
    case "sparse":
      return "{}f16";
  }
}

/** Tells whether two types are the same. */
export function sameType(a: AttributeType, b: AttributeType): boolean {
  return formatAttributeType(a) === formatAttributeType(b);
}

function isScalarKind(text: string): text is ScalarKind {
  return (SCALAR_KINDS as readonly string[]).includes(text);
}
