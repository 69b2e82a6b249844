/** What filters read of an attribute of a segment; ids count as an attribute. */

import type { AttributeType } from "../../model/attribute-type.ts";
import type { ColumnData } from "../../model/columns.ts";
import type { DictionaryView, SegmentView } from "../../segment/view/segment-view.ts";
import { emptyBits, type OrdinalBits, presenceBits } from "../documents/ordinal-bits.ts";
import type { Need } from "../operator/operator.ts";
import type { Predicate } from "../operator/plan.ts";

/** A predicate about one attribute. */
export interface AttributeNode extends Predicate {
  readonly attribute: string;
  readonly type: AttributeType;
}

/** The arrays of an attribute. */
export interface AttributeSource {
  readonly data: ColumnData;
  readonly presence: Uint8Array | undefined;
  readonly dictionary: DictionaryView | undefined;
}

/** Undefined if no document of the segment has a value. */
export function attributeSource(attribute: string, view: SegmentView): AttributeSource | undefined {
  if (attribute === "id") return { data: view.ids, presence: undefined, dictionary: undefined };
  const found = view.column(attribute);
  if (found === undefined) return undefined;
  const { data, presence } = found.column;
  return { data, presence, dictionary: found.dictionary };
}

/** The documents with a value; a new set. */
export function presentIn(source: AttributeSource | undefined, count: number): OrdinalBits {
  return source === undefined ? emptyBits(count) : presenceBits(source.presence, count);
}

/** Looks at all that `attributeSource` gives. */
export function attributeNeeds(attribute: string, view: SegmentView): Need[] {
  if (attribute === "id") return [() => void view.ids];
  return [() => void view.column(attribute)?.column, () => void view.column(attribute)?.dictionary];
}
