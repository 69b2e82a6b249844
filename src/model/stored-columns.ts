/**
 * Which stored column holds the values of which attribute. An attribute that is dropped takes its
 * column with it for ever: what old segments and log entries have there belongs to nobody, and one
 * that is declared under the name again gets a column of its own.
 */

import type { AttributeSchema, Schema } from "./schema.ts";

/** The attribute that a column belongs to. */
export interface ColumnOwner {
  readonly name: string;
  readonly schema: AttributeSchema;
}

const owners = new WeakMap<Schema, ReadonlyMap<string, ColumnOwner>>();

/** The attributes of a schema by their stored columns; others belong to nobody. */
export function columnOwners(schema: Schema): ReadonlyMap<string, ColumnOwner> {
  let known = owners.get(schema);
  if (known === undefined) {
    known = new Map(
      [...schema.attributes].map(([name, attribute]) => [
        attribute.column ?? name,
        { name, schema: attribute },
      ]),
    );
    owners.set(schema, known);
  }
  return known;
}

/** The stored column of an attribute. */
export function columnOf(schema: Schema, attribute: string): string {
  return schema.attributes.get(attribute)?.column ?? attribute;
}

/**
 * Gives an attribute that is new to a namespace its column: after `dropCount` drops it is
 * `$<dropCount>:<name>`, which no attribute and no older column is called, for names do not begin
 * with `$` and a name is free again only by one more drop.
 */
export function withOwnColumn(
  attribute: AttributeSchema,
  name: string,
  dropCount: number | undefined,
): AttributeSchema {
  return dropCount === undefined ? attribute : { ...attribute, column: `$${dropCount}:${name}` };
}
