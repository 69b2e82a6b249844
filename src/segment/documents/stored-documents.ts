/** Attributes of a stored segment that are kept by document, not by column. */

import type { AttributeType } from "../../model/attribute-type.ts";
import type { Column } from "../../model/columns.ts";
import type { AttributeValue } from "../../model/value.ts";

/** Reads whole documents; all of it may throw `BytesMissing`. */
export interface StoredDocuments {
  /** Attributes of which some document has a value, dense vectors aside, with their types. */
  readonly attributes: ReadonlyMap<string, AttributeType>;
  /** The value of one document, or null. Reads the block that the document is in. */
  value(attribute: string, ordinal: number): AttributeValue;
  /** All values of an attribute as a column. Reads all blocks. */
  column(attribute: string): Column;
}
