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
  BLOCK_POSTINGS,
  buildBlocks,
  checkBlocks,
  openBlocks,
  planBlocks,
  touchBlocks,
} from "../postings/block-section.ts";
import { PostingRanges } from "../postings/posting-ranges.ts";
import { checkPostings } from "../postings/posting-section.ts";
import {
  boundTexts,
  buildTextIndex,
  isBoundText,
  mergeTextIndexes,
  openFingerprint,
  openText,
  planText,
  TEXT_BLOCKS,
  TEXT_POSTINGS,
  TEXT_SECTION,
  type TextIndex,
  type TextView,
  textFingerprint,
  textOptions,
  textView,
} from "./text-section.ts";

/** Of strings and arrays of strings, by the options of `full_text_search`. */
export const TEXT_INDEX = textIndex(BLOCK_POSTINGS);

/** A text index that bounds its postings by so many; it reads those of all others. */
export function textIndex(blockPostings: number): AttributeIndex<TextView> {
  return {
    name: "text",
    sections: [TEXT_SECTION, ...Object.values(TEXT_POSTINGS), ...Object.values(TEXT_BLOCKS)],
    option: "full_text_search",
    isWanted: (type, schema) => textOptions(type, schema) !== undefined,
    isCurrent,
    madeBy: ({ fullTextSearch }) => [
      fullTextSearch === undefined ? null : textFingerprint(fullTextSearch),
    ],
    build: (values) => build(values, blockPostings),
    merge: (values) => merge(values, blockPostings),
    open,
    check,
    // Which postings a query reads depends on its terms.
    touch: (sections) => sections.touch([TEXT_SECTION, TEXT_BLOCKS.directory]),
    touchParts,
  };
}

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
  const entry = sections.entry(TEXT_SECTION);
  if (entry === undefined) return undefined;
  const end = entry.offset + Math.min(entry.bytes, FINGERPRINT_BYTES_MAX);
  return openFingerprint(sections.source.place(entry.offset, end).bytes);
}

function* build(
  { attribute, schema, column }: AttributeValues,
  blockPostings: number,
): Steps<SectionPlan[]> {
  const options = textOptions(column.type, schema);
  if (options === undefined) return [];
  return yield* plan(attribute, yield* buildTextIndex(column, options), blockPostings);
}

function* merge(
  { attribute, schema, column, inputs }: MergedValues,
  blockPostings: number,
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
  return yield* plan(attribute, index, blockPostings);
}

function* plan(attribute: string, index: TextIndex, blockPostings: number): Steps<SectionPlan[]> {
  const blocks = yield* buildBlocks(index.lists, blockPostings, boundTexts(index));
  return [...planText(attribute, index), ...planBlocks(attribute, blocks, TEXT_BLOCKS)];
}

function open(sections: AttributeSections): TextView | undefined {
  sections.touch([TEXT_SECTION, TEXT_BLOCKS.directory]);
  const section = sections.bytes(TEXT_SECTION);
  if (section === undefined) return undefined;
  const ranges = new PostingRanges(sections, TEXT_POSTINGS);
  return textView(openText(section), ranges, openBlocks(sections, TEXT_BLOCKS));
}

function touchParts(sections: AttributeSections): void {
  const section = sections.bytes(TEXT_SECTION);
  if (section === undefined) return;
  const { directory } = openText(section);
  attemptAll([
    () => new PostingRanges(sections, TEXT_POSTINGS).touchAll(directory),
    () => touchBlocks(sections, TEXT_BLOCKS),
  ]);
}

/** A text index as arrays. */
function readTextIndex(sections: AttributeSections): TextIndex | undefined {
  const section = sections.bytes(TEXT_SECTION);
  if (section === undefined) return undefined;
  const { directory, ...head } = openText(section);
  return { ...head, lists: new PostingRanges(sections, TEXT_POSTINGS).readAll(directory) };
}

function check(sections: AttributeSections): void {
  const index = readTextIndex(sections);
  if (index === undefined) return;
  const { documentCount } = sections;
  checkPostings(index.lists, documentCount);
  if (index.lengths.length !== documentCount) {
    throw corrupt("a text index", `it has ${index.lengths.length} lengths`);
  }
  checkBlocks(sections, TEXT_BLOCKS, { lists: index.lists, isBound: isBoundText(index) });
  checkPresence(index.presence, documentCount);
}
