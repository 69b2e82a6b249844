/**
 * Which indexes a schema asks for, as one short text: two schemas with one mark ask for the same.
 * Stored segments carry the mark of the schema that they were made by, so that nobody has to read
 * them to learn that they are up to date.
 */

import { createHash } from "node:crypto";
import { formatAttributeType } from "../model/attribute-type.ts";
import type { Schema } from "../model/schema.ts";
import { textFingerprint } from "./text/text-section.ts";

const marks = new WeakMap<Schema, string>();

/** The mark of a schema. */
export function indexMark(schema: Schema): string {
  let mark = marks.get(schema);
  if (mark === undefined) {
    mark = createHash("sha256")
      .update(JSON.stringify(indexesOf(schema)))
      .digest("hex")
      .slice(0, 16);
    marks.set(schema, mark);
  }
  return mark;
}

function indexesOf({ attributes }: Schema): unknown[] {
  return [...attributes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, attribute]) => {
      const { type, filterable, glob, regex, fuzzy, fullTextSearch } = attribute;
      const text = fullTextSearch === undefined ? null : textFingerprint(fullTextSearch);
      const flags = [filterable, glob === true, regex === true, fuzzy === true]
        .map(Number)
        .join("");
      return [name, formatAttributeType(type), flags, text];
    });
}
