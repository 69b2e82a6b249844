/** What the builder knows of a namespace's attributes: its schema, as metadata tells it. */

import { type AttributeType, parseAttributeType } from "../../src/model/attribute-type.ts";
import { isMembers, type Json } from "./json-value.ts";

/** One attribute, or `id`. */
export interface RequestAttribute {
  readonly name: string;
  /** Undefined: a type that this console does not know. */
  readonly type: AttributeType | undefined;
  /** The type as the schema spells it. */
  readonly typeText: string;
  readonly filterable: boolean;
  readonly fullText: boolean;
  /** Words of a query are given as an array, exactly as they are stored. */
  readonly preTokenized: boolean;
  readonly regex: boolean;
  readonly glob: boolean;
  readonly fuzzy: boolean;
  /** The attribute's vectors can be searched by `ANN`. */
  readonly ann: boolean;
  /** Model that embeds the attribute's texts; undefined where there is none. */
  readonly embedModel: string | undefined;
  /** The vector attribute that holds the embedded texts of this one. */
  readonly embedAttribute: string | undefined;
}

/** All attributes of a namespace, `id` first, in the order of the schema. */
export type RequestSchema = ReadonlyMap<string, RequestAttribute>;

/** Reads the schema of `GET …/metadata`, or of `GET …/schema`, which tells less. */
export function readRequestSchema(schema: Json): RequestSchema {
  const attributes = new Map<string, RequestAttribute>();
  attributes.set("id", idAttribute("uint"));
  if (!isMembers(schema)) return attributes;
  for (const [name, declared] of Object.entries(schema)) {
    const typeText = isMembers(declared) ? String(declared.type) : String(declared);
    if (name === "id") attributes.set(name, idAttribute(typeText));
    else attributes.set(name, attributeOf(name, typeText, isMembers(declared) ? declared : {}));
  }
  return attributes;
}

function idAttribute(typeText: string): RequestAttribute {
  return { ...attributeOf("id", typeText, {}), filterable: true };
}

function attributeOf(
  name: string,
  typeText: string,
  declared: { readonly [name: string]: Json },
): RequestAttribute {
  const { full_text_search: fullText, embed } = declared;
  return {
    name,
    typeText,
    type: parseAttributeType(typeText),
    filterable: declared.filterable === true,
    fullText: fullText === true || isMembers(fullText),
    preTokenized: isMembers(fullText) && fullText.tokenizer === "pre_tokenized_array",
    regex: declared.regex === true,
    glob: declared.glob === true,
    fuzzy: declared.fuzzy === true,
    ann: declared.ann === true || isMembers(declared.ann),
    embedModel: isMembers(embed) && typeof embed.model === "string" ? embed.model : undefined,
    embedAttribute:
      isMembers(embed) && typeof embed.attribute === "string" ? embed.attribute : undefined,
  };
}

/** Tells whether its values are vectors, which answers had better leave out. */
export function isVector({ type }: RequestAttribute): boolean {
  return type?.kind === "vector" || type?.kind === "multi_vector" || type?.kind === "sparse";
}

/** Attributes that BM25 can rank by. */
export function textAttributes(schema: RequestSchema): RequestAttribute[] {
  return [...schema.values()].filter(({ fullText }) => fullText);
}

/** Attributes that can be ranked by distance: vectors, and texts that a model embeds. */
export function nearAttributes(schema: RequestSchema): RequestAttribute[] {
  return [...schema.values()].filter(
    ({ type, embedModel }) =>
      type?.kind === "vector" || type?.kind === "multi_vector" || embedModel !== undefined,
  );
}

/** Attributes that documents can be ordered by: scalars that are filterable, and `id`. */
export function orderAttributes(schema: RequestSchema): RequestAttribute[] {
  return [...schema.values()].filter(
    ({ type, filterable }) => filterable && type?.kind === "scalar",
  );
}

/** Attributes whose texts a model can read. */
export function stringAttributes(schema: RequestSchema): RequestAttribute[] {
  return [...schema.values()].filter(
    ({ name, type }) => name !== "id" && type?.kind === "scalar" && type.of === "string",
  );
}

/** Attributes of whose values at most so many documents may be asked for. */
export function limitPerAttributes(schema: RequestSchema): RequestAttribute[] {
  return [...schema.values()].filter(({ name, type }) => name !== "id" && type?.kind === "scalar");
}

/** Attributes whose values can be added up. */
export function sumAttributes(schema: RequestSchema): RequestAttribute[] {
  return [...schema.values()].filter(
    ({ name, type }) =>
      name !== "id" && type?.kind === "scalar" && ["int", "uint", "float"].includes(type.of),
  );
}

/** Attributes that answers can be grouped by. */
export function groupAttributes(schema: RequestSchema): RequestAttribute[] {
  return [...schema.values()].filter(
    ({ name, type }) => name !== "id" && (type?.kind === "scalar" || type?.kind === "array"),
  );
}

/** Sparse vectors. */
export function sparseAttributes(schema: RequestSchema): RequestAttribute[] {
  return [...schema.values()].filter(({ type }) => type?.kind === "sparse");
}
