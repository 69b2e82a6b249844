/** Looks attributes up in a schema, and tells what is wrong with a name that it does not have. */

import { clipName } from "../base/bounded-text.ts";
import { type DatabaseError, invalid } from "../base/errors.ts";
import { similarName } from "../base/nearest-name.ts";
import type { AttributeSchema, Schema } from "./schema.ts";

/** The schema of an attribute, with `id` as one. Undefined if there is none of that name. */
export function attributeSchema(name: string, schema: Schema): AttributeSchema | undefined {
  if (name !== "id") return schema.attributes.get(name);
  return { type: { kind: "scalar", of: schema.idType ?? "uint" }, filterable: true };
}

/** Builds the error for a name that the schema does not have. */
export function unknownAttribute(name: string, schema: Schema, where: string): DatabaseError {
  const fault = `💔 ${where}: attribute "${clipName(name)}" not found in schema`;
  return invalid(fault, { hint: nearestAttribute(name, schema) });
}

/** The end of a message about an unknown attribute: the one that was probably meant, or some. */
export function nearestAttribute(name: string, schema: Schema): string {
  const known = ["id", ...schema.attributes.keys()];
  const similar = similarName(name, known);
  return similar === undefined
    ? `the attributes are ${listed(known)}`
    : `the nearest is "${similar}"`;
}

/** The end of a message about an attribute without full text: those that have it. */
export function fullTextAttributes({ attributes }: Schema): string {
  const names = [...attributes].flatMap(([name, { fullTextSearch }]) =>
    fullTextSearch === undefined ? [] : [name],
  );
  return names.length === 0 ? "no attribute has it yet" : `it is set for ${listed(names)}`;
}

function listed(names: readonly string[]): string {
  const rest = names.length > LISTED_NAMES_MAX ? `, … (${names.length} in all)` : "";
  return names.slice(0, LISTED_NAMES_MAX).join(", ") + rest;
}

/** Attributes that a message lists at most. */
const LISTED_NAMES_MAX = 10;
