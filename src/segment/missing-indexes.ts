/** Which indexes a segment has and lacks by a schema that may have changed since it was written. */

import { isUnknownArray } from "../codec/columns-gather.ts";
import type { Schema } from "../model/schema.ts";
import { columnOwners } from "../model/stored-columns.ts";
import { ATTRIBUTE_INDEXES } from "./attribute-indexes.ts";
import { attemptAll } from "./format/bytes-missing.ts";
import type { OpenSegment } from "./segment-reader.ts";
import type { AttributeIndex } from "./view/attribute-index.ts";

/** An index that a segment has not. */
export interface MissingIndex {
  readonly attribute: string;
  /** The option of the schema that asks for it. */
  readonly index: NonNullable<AttributeIndex["option"]>;
}

/**
 * Tells whether a segment has exactly the indexes that a schema asks for, and nothing of attributes
 * that were dropped. Throws `BytesMissing`
 * once for all sections that it has to look into.
 */
export function matchesSchema(
  view: OpenSegment,
  schema: Schema,
  indexes: readonly AttributeIndex[] = ATTRIBUTE_INDEXES,
): boolean {
  const owners = columnOwners(schema);
  const attributes = attemptAll(
    view.attributes.map((name) => () => {
      const attribute = owners.get(name)?.schema;
      if (attribute === undefined) return schema.dropCount === undefined;
      const type = view.typeOf(name);
      if (type === undefined) return true;
      if (isUnknownArray(type) !== isUnknownArray(attribute.type)) return false;
      const sections = view.sections(name);
      return indexes.every((index) => index.isCurrent(sections, type, attribute));
    }),
  );
  return attributes.every((isCurrent) => isCurrent);
}

/**
 * The indexes that a schema asks for and a segment has not, or has by other options. Throws
 * `BytesMissing` once for all sections that it has to look into.
 */
export function missingIndexes(
  view: OpenSegment,
  schema: Schema,
  indexes: readonly AttributeIndex[] = ATTRIBUTE_INDEXES,
): MissingIndex[] {
  const owners = columnOwners(schema);
  const missing = attemptAll(
    view.attributes.map((column) => (): MissingIndex[] => {
      const owner = owners.get(column);
      const type = owner && view.typeOf(column);
      if (type === undefined || owner === undefined) return [];
      const { name: attribute, schema: wanted } = owner;
      const sections = view.sections(column);
      return indexes.flatMap((index): MissingIndex[] => {
        const { option } = index;
        if (option === undefined || !index.isWanted(type, wanted)) return [];
        return index.isCurrent(sections, type, wanted) ? [] : [{ attribute, index: option }];
      });
    }),
  );
  return missing.flat();
}
