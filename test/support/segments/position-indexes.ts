import { ATTRIBUTE_INDEXES } from "../../../src/segment/attribute-indexes.ts";
import { TEXT_INDEX, textIndex } from "../../../src/segment/text/text-index.ts";
import type { AttributeIndex } from "../../../src/segment/view/attribute-index.ts";

/** All indexes, with positions in segments of so many documents; infinity: in none. */
export function positionIndexes(documentsMin: number): AttributeIndex[] {
  return ATTRIBUTE_INDEXES.map((index) =>
    index === TEXT_INDEX ? textIndex({ positions: { documentsMin } }) : index,
  );
}
