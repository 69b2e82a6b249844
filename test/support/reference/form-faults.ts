/** Compares what the parser knows of a body (its form) with what the reference says of it. */

import type { JsonValue } from "../../../src/model/json-value.ts";
import type { JsonSchema } from "../../../src/reference/schemas/json-schema.ts";
import type { JsonForm } from "../../../src/wire/json/json-form.ts";
import { branches } from "./document-schemas.ts";

type Members = Readonly<Record<string, JsonSchema>>;

/** Members of a form that the schema has not, and the other way round, wherever they are. */
export function formFaults(form: JsonForm, schema: JsonSchema, path: string): string[] {
  return compare(form, schema, path, new Set());
}

/** Names of the members that objects of the schema may have. */
export function memberNames(schema: JsonSchema): string[] {
  return Object.keys(membersOf(schema));
}

/** Expressions are within expressions: each pair of form and schema is compared once. */
function compare(
  form: JsonForm,
  schema: JsonSchema,
  path: string,
  seen: Set<JsonSchema>,
): string[] {
  const kinds = branches(schema);
  const faults = compareMembers(form, schema, { path, seen });
  for (const kind of kinds) {
    if (seen.has(kind)) continue;
    if (kind.prefixItems !== undefined) {
      seen.add(kind);
      faults.push(...compareTuple(form, kind, path, seen));
    }
    if (typeof kind.items === "object" && form.next !== undefined) {
      seen.add(kind);
      faults.push(...compare(form.next([]), kind.items as JsonSchema, `${path}[0]`, seen));
    }
    if (typeof kind.additionalProperties === "object" && form.values !== undefined) {
      seen.add(kind);
      const values = kind.additionalProperties as JsonSchema;
      faults.push(...compare(form.values, values, `${path}.*`, seen));
    }
  }
  return faults;
}

function compareMembers(
  form: JsonForm,
  schema: JsonSchema,
  { path, seen }: { readonly path: string; readonly seen: Set<JsonSchema> },
): string[] {
  const members = membersOf(schema);
  const known = form.members ?? new Map<string, JsonForm>();
  // A form without members is read whole: the schema may say what it is, as for `$ref_new`.
  if (form.members === undefined && form.values !== undefined) return [];
  const missing = [...known.keys()].filter((name) => !Object.hasOwn(members, name));
  const unknown = Object.keys(members).filter((name) => name !== "$ref_new" && !known.has(name));
  return [
    ...missing.map((name) => `${path}: ${name} is not described`),
    ...unknown.map((name) => `${path}: ${name} is not known`),
    ...[...known].flatMap(([name, member]) =>
      Object.hasOwn(members, name) ? compare(member, members[name], `${path}.${name}`, seen) : [],
    ),
  ];
}

/** The form of an element follows from those before it: names stand for themselves. */
function compareTuple(
  form: JsonForm,
  { prefixItems }: JsonSchema,
  path: string,
  seen: Set<JsonSchema>,
): string[] {
  if (form.next === undefined) return [];
  const before: JsonValue[] = [];
  const faults: string[] = [];
  for (const [i, element] of (prefixItems as JsonSchema[]).entries()) {
    const place = `${path}[${before.filter((name) => name !== "x").join()} ${i}]`;
    faults.push(...compare(form.next(before), element, place, seen));
    before.push(typeof element.const === "string" ? element.const : "x");
  }
  return faults;
}

function membersOf(schema: JsonSchema): Members {
  const objects = branches(schema).filter(({ properties }) => properties !== undefined);
  return Object.assign({}, ...objects.map(({ properties }) => properties as Members));
}
