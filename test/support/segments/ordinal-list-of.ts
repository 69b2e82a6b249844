import { PAGE_ORDINALS } from "../../../src/segment/postings/list-layout.ts";
import { fillGaps, OrdinalList } from "../../../src/segment/postings/ordinal-list.ts";

/** Lists ordinals that ascend, of a segment of `documentCount` documents. */
export function ordinalListOf(ordinals: Uint32Array, documentCount: number): OrdinalList {
  const lows = new Uint16Array(ordinals.length);
  const pageStarts = new Int32Array(Math.ceil(documentCount / PAGE_ORDINALS) + 1);
  for (let i = 0; i < ordinals.length; i++) {
    lows[i] = ordinals[i];
    pageStarts[Math.floor(ordinals[i] / PAGE_ORDINALS) + 1] = i + 1;
  }
  fillGaps(pageStarts);
  return new OrdinalList(lows, pageStarts);
}
