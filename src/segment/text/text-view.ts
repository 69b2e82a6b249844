/** What queries see of a text index, with pages of terms or without. */

import { attemptAll } from "../format/bytes-missing.ts";
import type { ListBlocks } from "../postings/block-section.ts";
import { remembered } from "../postings/remembered.ts";
import { codeOfBytes, lowerBoundOf, stringAt } from "../postings/term-section.ts";
import type { PositionReader } from "./position-section.ts";
import type { Postings } from "./text-lists.ts";
import type { CodeRange, TextLengths, TextPage, TextPages, TextTotals } from "./text-pages.ts";

/** Text index of one attribute. Frequencies and lengths count deleted documents too. */
export interface TextView {
  /** That of the options which its terms come from. */
  readonly fingerprint: string;
  /** Terms of each document's text (repeats counted, dropped tokens not), 0 where absent. */
  readonly lengths: TextLengths;
  /** Bitmap of the documents with a value, as columns have it; undefined if all have one. */
  readonly presence: Uint8Array | undefined;
  /** What those two add up to, where it is known without them. */
  readonly totals: TextTotals | undefined;
  readonly termCount: number;
  /** The code-th smallest term by bytes. */
  term(code: number): string;
  /** First code whose term is >= `term`; `termCount` if none. */
  lowerBound(term: string): number;
  /** The codes of all terms that start with `prefix`, whose bytes it looks at together. */
  codesWith(prefix: string): CodeRange;
  /** How many documents here have the term; reads none of its postings. */
  postingCount(term: string): number;
  /** Undefined if no document here has the term. */
  postings(term: string): Postings | undefined;
  postingsAt(code: number): Postings;
  /**
   * Bounds of the term's postings: each has at most the frequency and at least the length of a pair
   * of its block. Undefined if no document here has the term, few have it, or the segment is older
   * than such bounds.
   */
  blocks(term: string): ListBlocks | undefined;
  /**
   * The documents with a term that many have, as a bitmap: reads none of its postings. Undefined of
   * all other terms, and where a segment is small or older than such bitmaps.
   */
  bitmap(term: string): Uint32Array | undefined;
  /** Whether `positions` are here; reads nothing. */
  readonly hasPositions: boolean;
  /**
   * Where documents have the term, as bytes for `TermPositions`; undefined if none has it, or there
   * are no positions.
   */
  positions(term: string): Uint8Array | undefined;
}

/** No byte of UTF-8 is as great. */
const ABOVE_UTF8 = 0xff;
const textEncoder = new TextEncoder();

/** Where a term is: its page, and its code there. */
interface TermPlace {
  readonly page: TextPage;
  readonly code: number;
}

/** Finds the place of a term, or null where no document has it. */
function placeIn(pages: TextPages, term: string): TermPlace | null {
  const wanted = textEncoder.encode(term);
  const page = pages.pageWith(wanted);
  const code = codeOfBytes(page.strings, wanted);
  return code < 0 ? null : { page, code };
}

/** The terms of an index that has no pages, as one page. */
export function onePage(page: Omit<TextPage, "firstCode">): TextPages {
  const only = { ...page, firstCode: 0 };
  return {
    termCount: page.lists.listCount,
    pageOf: () => only,
    pageWith: () => only,
    codesNear: () => ({ start: 0, end: page.lists.listCount }),
    touch: () => undefined,
  };
}

/** What queries see of a text index but for its terms, which its pages have. */
export type TextFacts = Pick<TextView, "fingerprint" | "lengths" | "presence" | "totals">;

/** What queries see of a text index. Of `facts`, lengths and presence may have to be read. */
export function textView(
  facts: TextFacts,
  pages: TextPages,
  positions: PositionReader | undefined,
): TextView {
  const placeOf = remembered((term) => placeIn(pages, term));
  const lowerBound = (wanted: Uint8Array) => {
    const { firstCode, strings } = pages.pageWith(wanted);
    return firstCode + lowerBoundOf(strings, wanted);
  };
  return {
    fingerprint: facts.fingerprint,
    totals: facts.totals,
    get lengths() {
      return facts.lengths;
    },
    get presence() {
      return facts.presence;
    },
    termCount: pages.termCount,
    term: (code) => {
      const { firstCode, strings } = pages.pageOf(code);
      return stringAt(strings, code - firstCode);
    },
    lowerBound: (term) => lowerBound(textEncoder.encode(term)),
    codesWith: (prefix) => {
      const start = textEncoder.encode(prefix);
      const end = Uint8Array.of(...start, ABOVE_UTF8);
      pages.touch(start, end);
      return { start: lowerBound(start), end: lowerBound(end) };
    },
    postingCount: (term) => {
      const place = placeOf(term);
      return place === null ? 0 : place.page.lists.postingCount(place.code);
    },
    postings: (term) => {
      const place = placeOf(term);
      return place === null ? undefined : place.page.lists.read(place.code);
    },
    postingsAt: (code) => {
      const { firstCode, lists } = pages.pageOf(code);
      return lists.read(code - firstCode);
    },
    blocks: (term) => {
      const place = placeOf(term);
      if (place === null) return undefined;
      const { page, code } = place;
      return page.blocks(code, page.lists.postingCount(code));
    },
    bitmap: (term) => {
      const place = placeOf(term);
      return place === null ? undefined : place.page.bitsets(place.code);
    },
    hasPositions: positions !== undefined,
    positions: (term) => {
      if (positions === undefined) return undefined;
      const among = pages.codesNear(textEncoder.encode(term));
      attemptAll([() => void placeOf(term), () => positions.touch(among)]);
      const place = placeOf(term);
      if (place === null) return undefined;
      return positions.positions(place.page.firstCode + place.code, among);
    },
  };
}
