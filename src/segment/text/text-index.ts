/** Text indexes: which documents have a term, and how often, for full-text search. */

import type { Steps } from "../../base/steps.ts";
import { checkPresence } from "../../codec/columns-check.ts";
import { corrupt } from "../../codec/columns-packing.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { AttributeSchema } from "../../model/schema.ts";
import type { AttributeIndex, AttributeValues, MergedValues } from "../attribute-index.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import { attemptAll } from "../format/bytes-missing.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import {
  BITSETS,
  type BitsetExtent,
  buildBitsets,
  checkBitsets,
  openBitsets,
  planBitsets,
} from "../postings/bitset-section.ts";
import {
  BLOCK_POSTINGS,
  buildBlocks,
  checkBlocks,
  openBlocks,
  planBlocks,
  touchBlocks,
} from "../postings/block-section.ts";
import {
  TEXT_BITSETS,
  TEXT_BLOCKS,
  TEXT_LISTS,
  TEXT_SECTION,
  WORD_TEXT_LISTS,
  WORD_TEXT_SECTION,
} from "./text-kinds.ts";
import { openTextLists, type TextLists } from "./text-lists.ts";
import {
  boundTexts,
  buildTextIndex,
  isBoundText,
  mergeTextIndexes,
  openFingerprint,
  openText,
  planText,
  type StoredTextIndex,
  type TextHead,
  type TextIndex,
  type TextView,
  textFingerprint,
  textOptions,
  textView,
} from "./text-section.ts";

/** Of strings and arrays of strings, by the options of `full_text_search`. */
export const TEXT_INDEX = textIndex({ blockPostings: BLOCK_POSTINGS, bitsets: BITSETS });

/** What a text index keeps beside its postings. */
export interface TextExtent {
  /** Postings of each block that is bounded. */
  readonly blockPostings: number;
  readonly bitsets: BitsetExtent;
}

/** A text index with so much beside its postings; it reads those of all others. */
export function textIndex(extent: TextExtent): AttributeIndex<TextView> {
  return {
    name: "text",
    sections: [
      TEXT_SECTION,
      TEXT_LISTS.kind,
      ...Object.values(TEXT_BLOCKS),
      ...Object.values(TEXT_BITSETS),
      WORD_TEXT_SECTION,
      ...Object.values(WORD_TEXT_LISTS),
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

/** Those that are looked at before any list is. */
const HEAD_SECTIONS = [
  TEXT_SECTION,
  WORD_TEXT_SECTION,
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
  const entry = sections.entry(TEXT_SECTION) ?? sections.entry(WORD_TEXT_SECTION);
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
  return yield* plan(attribute, yield* buildTextIndex(column, options), extent);
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
  const isJoined = parts.every(({ index }, i) => {
    return index === undefined
      ? inputs[i].view.column(attribute) === undefined
      : index.fingerprint === fingerprint;
  });
  const index = isJoined
    ? yield* mergeTextIndexes(fingerprint, parts, column)
    : yield* buildTextIndex(column, options);
  return yield* plan(attribute, index, extent);
}

function* plan(
  attribute: string,
  index: TextIndex,
  { blockPostings, bitsets: extent }: TextExtent,
): Steps<SectionPlan[]> {
  const { lists, lengths } = index;
  const blocks = yield* buildBlocks(lists, blockPostings, boundTexts(index));
  const bitsets = yield* buildBitsets(lists, lengths.length, extent);
  return [
    ...(yield* planText(attribute, index)),
    ...planBlocks(attribute, blocks, TEXT_BLOCKS),
    ...planBitsets(attribute, bitsets, TEXT_BITSETS),
  ];
}

/** A text index without its postings, and where those are; undefined if there is none. */
function openIndex(
  sections: AttributeSections,
): { readonly head: TextHead; readonly lists: TextLists } | undefined {
  const section = sections.bytes(TEXT_SECTION);
  const bytes = section ?? sections.bytes(WORD_TEXT_SECTION);
  if (bytes === undefined) return undefined;
  const head = openText(bytes, { isVersion1: section === undefined });
  return { head, lists: openTextLists(sections, head.directory, head.greats) };
}

function open(sections: AttributeSections): TextView | undefined {
  sections.touch(HEAD_SECTIONS);
  const index = openIndex(sections);
  if (index === undefined) return undefined;
  const blocks = openBlocks(sections, TEXT_BLOCKS);
  return textView(index, blocks, openBitsets(sections, TEXT_BITSETS));
}

function touchParts(sections: AttributeSections): void {
  const index = openIndex(sections);
  if (index === undefined) return;
  attemptAll([
    () => index.lists.touchAll(),
    () => touchBlocks(sections, TEXT_BLOCKS),
    () => sections.touch([TEXT_BITSETS.bitmaps]),
  ]);
}

function readTextIndex(sections: AttributeSections): StoredTextIndex | undefined {
  const index = openIndex(sections);
  if (index === undefined) return undefined;
  const { head, lists } = index;
  return { ...head, strings: head.directory.strings, lists };
}

function check(sections: AttributeSections): void {
  const index = openIndex(sections);
  if (index === undefined) return;
  const { documentCount } = sections;
  const { head, lists } = index;
  lists.check();
  if (head.lengths.length !== documentCount) {
    throw corrupt("a text index", `it has ${head.lengths.length} lengths`);
  }
  checkBlocks(sections, TEXT_BLOCKS, { lists, isBound: isBoundText(head.lengths) });
  checkBitsets(sections, TEXT_BITSETS, lists);
  checkPresence(head.presence, documentCount);
}
