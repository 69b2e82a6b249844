/** Text indexes: which documents have a term, and how often, for full-text search. */

import type { Steps } from "../../base/steps.ts";
import { checkPresence } from "../../codec/columns-check.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { Column } from "../../model/columns.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import type { AttributeSchema } from "../../model/schema.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import { attemptAll } from "../format/bytes-missing.ts";
import type { SectionKind, SectionPlan } from "../format/segment-layout.ts";
import {
  BITSETS,
  type BitsetExtent,
  buildBitsets,
  checkBitsets,
  checkBitsetsOf,
  openBitsets,
  planBitsets,
} from "../postings/bitset-section.ts";
import {
  BLOCK_POSTINGS,
  buildBlocks,
  checkBlocks,
  checkBlocksAt,
  openBlocks,
  planBlocks,
  touchBlocks,
} from "../postings/block-section.ts";
import { planCompact } from "../postings/compact-section.ts";
import type { AttributeIndex, AttributeValues, MergedValues } from "../view/attribute-index.ts";
import { collectGreats } from "./frequencies.ts";
import { openPagedText, type PagedText } from "./paged-text.ts";
import { POSITIONS, type PositionExtent } from "./position-extent.ts";
import {
  allPositions,
  checkPositions,
  openPositions,
  planPositions,
  touchPositions,
} from "./position-section.ts";
import { areSameLists } from "./same-lists.ts";
import {
  TEXT_BITSETS,
  TEXT_BLOCKS,
  TEXT_LENGTHS,
  TEXT_LISTS,
  TEXT_PAGES,
  TEXT_POSITIONS,
  TEXT_ROOT,
  TEXT_SECTION,
} from "./text-kinds.ts";
import { TextLists } from "./text-lists.ts";
import {
  hasPages,
  type LengthsPart,
  PAGE_EXTENT,
  type PageExtent,
  planPages,
} from "./text-pages.ts";
import {
  boundTexts,
  buildTextIndex,
  isBoundText,
  mergeTextIndexes,
  openFingerprint,
  openText,
  planHead,
  type StoredTextIndex,
  type TextHead,
  type TextIndex,
  textFingerprint,
  textOptions,
} from "./text-section.ts";
import { onePage, type TextView, textView } from "./text-view.ts";

const EXTENT: TextExtent = {
  blockPostings: BLOCK_POSTINGS,
  bitsets: BITSETS,
  pages: PAGE_EXTENT,
  positions: POSITIONS,
};

/** Of strings and arrays of strings, by the options of `full_text_search`. */
export const TEXT_INDEX = textIndex({});

/** What a text index keeps beside its postings. */
export interface TextExtent {
  /** Postings of each block that is bounded. */
  readonly blockPostings: number;
  readonly bitsets: BitsetExtent;
  /** How its terms are cut into pages. */
  readonly pages: PageExtent;
  readonly positions: PositionExtent;
}

/** A text index with so much beside its postings, else as much as others; it reads those of all. */
export function textIndex(options: Partial<TextExtent>): AttributeIndex<TextView> {
  const extent = { ...EXTENT, ...options };
  return {
    name: "text",
    sections: [
      TEXT_SECTION,
      TEXT_ROOT,
      TEXT_PAGES,
      TEXT_LENGTHS,
      TEXT_LISTS.kind,
      ...Object.values(TEXT_BLOCKS),
      ...Object.values(TEXT_BITSETS),
      ...Object.values(TEXT_POSITIONS),
    ],
    option: "full_text_search",
    isWanted: (type, schema) => textOptions(type, schema) !== undefined,
    isCurrent,
    madeBy: ({ fullTextSearch }) => [
      fullTextSearch === undefined ? null : textFingerprint(fullTextSearch),
    ],
    build: (values) => build(values, extent),
    merge: (values) => merge(values, extent),
    open,
    check,
    // Which postings a query reads depends on its terms.
    touch: (sections) => sections.touch(HEAD_SECTIONS),
    touchParts,
  };
}

/** What queries look at before lists, or with them: by pages, where there are any. */
const HEAD_SECTIONS = [
  TEXT_SECTION,
  TEXT_PAGES,
  TEXT_LENGTHS,
  TEXT_BLOCKS.directory,
  TEXT_BITSETS.directory,
];
/** The fingerprint of a text index lies within so many bytes from its start. */
const FINGERPRINT_BYTES_MAX = 512;

function isCurrent(
  sections: AttributeSections,
  type: AttributeType,
  schema: AttributeSchema | undefined,
): boolean {
  const options = textOptions(type, schema);
  const wanted = options === undefined ? undefined : textFingerprint(options);
  return fingerprintOf(sections) === wanted;
}

/** Which options the terms come from; undefined if there is no index. */
function fingerprintOf(sections: AttributeSections): string | undefined {
  const paged = openPagedText(sections);
  if (paged !== undefined) return paged.fingerprint;
  const entry = sections.entry(TEXT_SECTION);
  if (entry === undefined) return undefined;
  const end = entry.offset + Math.min(entry.bytes, FINGERPRINT_BYTES_MAX);
  return openFingerprint(sections.source.place(entry.offset, end).bytes);
}

function* build(
  { attribute, schema, column }: AttributeValues,
  extent: TextExtent,
): Steps<SectionPlan[]> {
  const options = textOptions(column.type, schema);
  if (options === undefined) return [];
  return yield* plan(attribute, yield* buildTextIndex(column, options, extent.positions), extent);
}

function* merge(
  { attribute, schema, column, inputs }: MergedValues,
  extent: TextExtent,
): Steps<SectionPlan[]> {
  const options = textOptions(column.type, schema);
  if (options === undefined) return [];
  const fingerprint = textFingerprint(options);
  const parts = inputs.map(({ view, newOrdinals }) => {
    return { index: readTextIndex(view.sections(attribute)), newOrdinals };
  });
  const texts = inputs.map(({ view }) => view.column(attribute)?.column);
  const isJoined = parts.every(({ index }, i) => {
    return index === undefined ? texts[i] === undefined : index.fingerprint === fingerprint;
  });
  if (!isJoined) {
    return yield* plan(attribute, yield* buildTextIndex(column, options, extent.positions), extent);
  }
  if (column.count >= extent.positions.documentsMin) {
    for (const [i, part] of parts.entries()) {
      part.index = yield* withPositions(part.index, texts[i], options);
    }
  }
  const index = yield* mergeTextIndexes(fingerprint, parts, column);
  return yield* plan(attribute, index, extent);
}

/** An index with positions; they are made of its texts where it has none. */
function* withPositions(
  index: StoredTextIndex | undefined,
  texts: Column | undefined,
  options: FullTextOptions,
): Steps<StoredTextIndex | undefined> {
  if (index === undefined || index.positions !== undefined || texts === undefined) return index;
  const { lists, positions } = yield* buildTextIndex(texts, options, { documentsMin: 0 });
  // Texts that give other lists have none of these positions.
  return (yield* areSameLists(index.lists, lists)) ? { ...index, positions } : index;
}

function* plan(
  attribute: string,
  index: TextIndex,
  { blockPostings, bitsets: extent, pages }: TextExtent,
): Steps<SectionPlan[]> {
  const { lists, lengths, fingerprint, presence } = index;
  const blocks = yield* buildBlocks(lists, blockPostings, boundTexts(index));
  const bitsets = yield* buildBitsets(lists, lengths.length, extent);
  const compact = yield* planCompact(attribute, lists, TEXT_LISTS, lengths.length);
  const directory = { strings: lists.strings, starts: compact.starts };
  const greats = yield* collectGreats(lists);
  const blockPlans = planBlocks(attribute, blocks, TEXT_BLOCKS);
  const bitsetPlans = planBitsets(attribute, bitsets, TEXT_BITSETS);
  const positionPlans = planPositions(attribute, index.positions);
  if (!hasPages(directory.strings, lengths, pages)) {
    const head = planHead(attribute, index, { directory, greats });
    return [head, compact.section, ...blockPlans, ...bitsetPlans, ...positionPlans];
  }
  const planned = { fingerprint, lengths, presence, directory, greats };
  const codes = bitsets?.codes;
  return [
    ...(yield* planPages(attribute, { ...planned, blocks, bitsets: codes }, pages)),
    compact.section,
    ...[...blockPlans, ...bitsetPlans].filter(({ kind }) => !IN_PAGES.includes(kind)),
    ...positionPlans,
  ];
}

/** Sections whose content pages have. */
const IN_PAGES: readonly SectionKind[] = [TEXT_BLOCKS.directory, TEXT_BITSETS.directory];

/** An index without pages, but for its postings, and where those are; undefined if there is none. */
function openPlain(
  sections: AttributeSections,
): { readonly head: TextHead; readonly lists: TextLists } | undefined {
  const bytes = sections.bytes(TEXT_SECTION);
  if (bytes === undefined) return undefined;
  const head = openText(bytes);
  const lists = new TextLists(sections, head.directory, head.greats);
  return { head, lists };
}

function open(sections: AttributeSections): TextView | undefined {
  const paged = openPagedText(sections);
  const positions = openPositions(sections);
  if (paged !== undefined) return textView(paged, paged, positions);
  sections.touch([...HEAD_SECTIONS, TEXT_POSITIONS.starts]);
  const index = openPlain(sections);
  if (index === undefined) return undefined;
  const { head, lists } = index;
  const { strings } = head.directory;
  const blocks = openBlocks(sections, TEXT_BLOCKS);
  const bitsets = openBitsets(sections, TEXT_BITSETS);
  const { fingerprint, lengths, presence } = head;
  const facts = { fingerprint, lengths, presence, totals: undefined };
  return textView(facts, onePage({ strings, lists, blocks, bitsets }), positions);
}

function touchParts(sections: AttributeSections): void {
  const paged = openPagedText(sections);
  // As a whole: so `touch` looks at them.
  sections.touch([TEXT_PAGES]);
  const index = paged === undefined ? openPlain(sections) : undefined;
  const listCount = paged?.termCount ?? index?.lists.listCount ?? 0;
  attemptAll([
    () => paged?.touchParts(),
    () => index?.lists.touchAll(),
    () => touchBlocks(sections, TEXT_BLOCKS),
    () => sections.touch([TEXT_BITSETS.bitmaps]),
    () => touchPositions(sections, listCount),
  ]);
}

/** An index, all of which is in memory, as merges read it. */
function readTextIndex(sections: AttributeSections): StoredTextIndex | undefined {
  const paged = openPagedText(sections);
  if (paged !== undefined) {
    const { directory, greats } = paged.whole();
    const { fingerprint, lengths, presence } = paged;
    const lists = new TextLists(sections, directory, greats);
    const positions = allPositions(sections, lists.listCount);
    return { fingerprint, lengths, presence, strings: directory.strings, lists, positions };
  }
  const index = openPlain(sections);
  if (index === undefined) return undefined;
  const { head, lists } = index;
  const positions = allPositions(sections, lists.listCount);
  return { ...head, strings: head.directory.strings, lists, positions };
}

function check(sections: AttributeSections): void {
  const paged = openPagedText(sections);
  if (paged !== undefined) {
    checkPaged(sections, paged);
    return;
  }
  const index = openPlain(sections);
  if (index === undefined) return;
  const { head, lists } = index;
  checkTexts(sections, head, lists);
  checkBlocks(sections, TEXT_BLOCKS, { lists, isBound: isBoundText(head.lengths) });
  checkBitsets(sections, TEXT_BITSETS, lists);
  checkPositions(sections, lists);
}

function checkPaged(sections: AttributeSections, paged: PagedText): void {
  const whole = paged.whole();
  const { directory, blocks, bitsets, greats } = whole;
  const lists = new TextLists(sections, directory, greats);
  checkTexts(sections, paged, lists);
  paged.check(whole);
  const of = { lists, isBound: isBoundText(paged.lengths) };
  checkBlocksAt(sections, TEXT_BLOCKS, blocks, of);
  checkBitsetsOf(sections, TEXT_BITSETS, bitsets, lists);
  checkPositions(sections, lists);
}

function checkTexts(
  { documentCount }: AttributeSections,
  { lengths, presence }: LengthsPart,
  lists: TextLists,
): void {
  lists.check();
  if (lengths.length !== documentCount) {
    throw corrupt("a text index", `it has ${lengths.length} lengths`);
  }
  checkPresence(presence, documentCount);
}
