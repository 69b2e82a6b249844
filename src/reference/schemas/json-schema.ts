/** Short ways to write JSON Schema (2020-12) as the reference needs it. */

/** One schema, as JSON. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** Schemas by name: the members of an object, or the components of a document. */
export type JsonSchemas = Readonly<Record<string, JsonSchema>>;

/** A component of the document. */
export function ref(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** A schema with what it means beside it. */
export function described(schema: JsonSchema, description: string): JsonSchema {
  return { ...schema, description };
}

/** Text of at most so many characters. */
export function text(description: string, maxLength?: number): JsonSchema {
  return { type: "string", description, ...(maxLength !== undefined && { maxLength }) };
}

/** One of some words. */
export function oneOf(values: readonly string[], description: string): JsonSchema {
  return { type: "string", enum: [...values], description };
}

/** A whole number. */
export function integer(description: string, range: JsonSchema = {}): JsonSchema {
  return { type: "integer", description, ...range };
}

/** A number. */
export function number(description: string, range: JsonSchema = {}): JsonSchema {
  return { type: "number", description, ...range };
}

/** True or false. */
export function flag(description: string, byDefault?: boolean): JsonSchema {
  return {
    type: "boolean",
    description,
    ...(byDefault !== undefined && { default: byDefault }),
  };
}

/** A list of any number of elements. */
export function list(items: JsonSchema, description: string, bounds: JsonSchema = {}): JsonSchema {
  return { type: "array", items, description, ...bounds };
}

/** A list whose elements have their places; the last `optional` ones may be left out. */
export function tuple(
  title: string,
  elements: readonly JsonSchema[],
  description: string,
  optional = 0,
): JsonSchema {
  return {
    title,
    description,
    type: "array",
    prefixItems: elements,
    items: false,
    minItems: elements.length - optional,
    maxItems: elements.length,
  };
}

/** An object whose names are the user's. */
export function mapOf(values: JsonSchema, description: string, bounds: JsonSchema = {}) {
  return { type: "object", additionalProperties: values, description, ...bounds };
}

/** An object of a request. Members that are not `required` may be null, which means absent. */
export function input(
  description: string,
  members: JsonSchemas,
  required: readonly string[] = [],
): JsonSchema {
  const properties = Object.entries(members).map(([name, schema]) => [
    name,
    required.includes(name) ? schema : orNull(schema),
  ]);
  return closed(description, Object.fromEntries(properties), required);
}

/** An object of an answer. Members that are not `optional` are always there. */
export function output(
  description: string,
  members: JsonSchemas,
  optional: readonly string[] = [],
): JsonSchema {
  const required = Object.keys(members).filter((name) => !optional.includes(name));
  return closed(description, members, required);
}

/** The schema, or null. */
export function orNull(schema: JsonSchema): JsonSchema {
  const { description, default: byDefault, ...rest } = schema;
  const kept = {
    ...(description !== undefined && { description }),
    ...(byDefault !== undefined && { default: byDefault }),
  };
  if (Array.isArray(rest.anyOf)) return { ...kept, ...rest, anyOf: [...rest.anyOf, NULL] };
  if (typeof rest.type !== "string") return { ...kept, anyOf: [rest, NULL] };
  const words = rest.enum as readonly string[] | undefined;
  const nullable = { ...schema, type: [rest.type, "null"] };
  return words === undefined ? nullable : { ...nullable, enum: [...words, null] };
}

const NULL: JsonSchema = { type: "null" };

function closed(
  description: string,
  properties: JsonSchemas,
  required: readonly string[],
): JsonSchema {
  return {
    type: "object",
    description,
    properties,
    ...(required.length > 0 && { required: [...required] }),
    additionalProperties: false,
  };
}
