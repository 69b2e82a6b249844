/** Attributes of a stored segment that are kept by document, not by column. */

import type { ValuePlace } from "../../codec/columns-value.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { Column } from "../../model/columns.ts";

/** Reads whole documents; all of it may throw `BytesMissing`. */
export interface StoredDocuments {
  /** Attributes of which some document has a value, dense vectors aside, with their types. */
  readonly attributes: ReadonlyMap<string, AttributeType>;
  /**
   * Where the value of one document is; undefined if it has none. Reads the block that the document
   * is in.
   */
  place(attribute: string, ordinal: number): ValuePlace | undefined;
  /** All values of an attribute as a column. Reads all blocks. */
  column(attribute: string): Column;
}
