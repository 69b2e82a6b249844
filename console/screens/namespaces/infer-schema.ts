/** A namespace by example: which schema a document asks for, decided before anything is sent. */

import { parseExact } from "../../api/exact-json.ts";

/** Arrays of so many numbers and more are taken for vectors, whatever they are called. */
const VECTOR_DIMENSIONS_MIN = 8;
/** Texts with so many words are searched by words. */
const TEXT_WORDS_MIN = 3;

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const DATETIME = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/;

/** One attribute as it would be declared. */
export interface InferredAttribute {
  readonly name: string;
  /** As schemas spell it. */
  readonly type: string;
  /** Its words are indexed. */
  readonly fullText: boolean;
  /** Nearest ones can be found. */
  readonly isVector: boolean;
}

/** What an example says. */
export type InferredSchema =
  | {
      readonly kind: "schema";
      /** The document as it will be written. */
      readonly document: Readonly<Record<string, unknown>>;
      readonly attributes: readonly InferredAttribute[];
      /** Attributes whose type cannot be told, and why. */
      readonly notes: readonly string[];
    }
  | { readonly kind: "fault"; readonly message: string };

/** Reads an example: one JSON object with an `id`. */
export function inferSchema(text: string): InferredSchema {
  let value: unknown;
  try {
    value = parseExact(text);
  } catch (error) {
    return fault(`This is no JSON: ${(error as Error).message}`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return fault('A document is one JSON object, such as {"id": 1, "title": "A walrus at sea"}');
  }
  const document = value as Readonly<Record<string, unknown>>;
  const { id, ...rest } = document;
  if (id === undefined) return fault('The document needs an "id": a whole number or a string');
  const isId = typeof id === "string" || typeof id === "bigint" || isWhole(id);
  if (!isId) return fault('"id" must be a whole number, a UUID or another string');
  const attributes: InferredAttribute[] = [];
  const notes: string[] = [];
  for (const [name, member] of Object.entries(rest)) {
    const inferred = inferAttribute(name, member);
    if (typeof inferred !== "string") attributes.push(inferred);
    else if (inferred.startsWith("fault:")) return fault(`"${name}" ${inferred.slice(6)}`);
    else notes.push(`"${name}" ${inferred}`);
  }
  return { kind: "schema", document, attributes, notes };
}

/** The write that makes a namespace of an example. */
export function creatingWrite(
  document: Readonly<Record<string, unknown>>,
  attributes: readonly InferredAttribute[],
): Readonly<Record<string, unknown>> {
  const schema = attributes.map(({ name, type, fullText, isVector }) => [
    name,
    { type, ...(fullText && { full_text_search: true }), ...(isVector && { ann: true }) },
  ]);
  const hasVectors = attributes.some(({ isVector }) => isVector);
  return {
    upsert_rows: [document],
    schema: Object.fromEntries(schema),
    ...(hasVectors && { distance_metric: "cosine_distance" }),
  };
}

/** The attribute; or a note on why it is not declared; or, behind `fault:`, why it cannot be. */
function inferAttribute(name: string, value: unknown): InferredAttribute | string {
  const plain = (type: string) => ({ name, type, fullText: false, isVector: false });
  if (value === null) return "is null: its type follows from the first document that has a value";
  if (Array.isArray(value)) return inferArray(name, value);
  switch (typeof value) {
    case "string": {
      if (UUID.test(value)) return plain("uuid");
      if (DATETIME.test(value)) return plain("datetime");
      const words = value.trim().split(/\s+/).length;
      return { ...plain("string"), fullText: words >= TEXT_WORDS_MIN };
    }
    case "boolean":
      return plain("bool");
    case "bigint":
      return plain(value >= 2n ** 63n ? "uint" : "int");
    case "number":
      return plain(Number.isInteger(value) ? "int" : "float");
    default:
      return (
        "fault:is an object, which no attribute can be; write its members as attributes of " +
        "their own"
      );
  }
}

function inferArray(name: string, values: readonly unknown[]): InferredAttribute | string {
  const plain = (type: string) => ({ name, type, fullText: false, isVector: false });
  const [first] = values;
  if (first === undefined) return "is empty: its type follows from the first value";
  if (Array.isArray(first)) {
    const isVectors = values.every(
      (each) => Array.isArray(each) && each.length === first.length && each.every(isNumber),
    );
    if (isVectors) return { ...plain(`[][${first.length}]f32`), isVector: false };
    return "fault:has arrays in it that are no vectors of one length";
  }
  const kinds = new Set(values.map((each) => typeof each));
  if (kinds.size > 1 && values.every((each) => !isNumber(each))) {
    return "fault:mixes types in one array";
  }
  if (values.every(isNumber)) {
    if (name === "vector" || values.length >= VECTOR_DIMENSIONS_MIN) {
      return { ...plain(`[${values.length}]f32`), isVector: true };
    }
    return plain(values.every(isWhole) ? "[]int" : "[]float");
  }
  if (values.every((each) => typeof each === "string")) return plain("[]string");
  if (values.every((each) => typeof each === "boolean")) return plain("[]bool");
  return "fault:has values that no array of attributes can have";
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" || typeof value === "bigint";
}

function isWhole(value: unknown): boolean {
  return typeof value === "bigint" || (typeof value === "number" && Number.isSafeInteger(value));
}

function fault(message: string): InferredSchema {
  return { kind: "fault", message };
}
