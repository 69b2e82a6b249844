/**
 * The text index of an attribute. Packed (`columns-packing.ts`): the fingerprint of the options
 * that its terms come from (text); the count of terms of each document; 1 and the bitmap of the
 * documents with a value, as columns have it, or 0 if all have one; the directory of posting lists
 * (`posting-section.ts`). The lists, with frequencies, are in sections of their own.
 */

import { KIB } from "../../base/byte-sizes.ts";
import type { Steps } from "../../base/steps.ts";
import { ArrayPacker, ArrayUnpacker, utf8Slice } from "../../codec/columns-packing.ts";
import { hasValue } from "../../codec/columns-value.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { Column } from "../../model/columns.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import type { AttributeSchema } from "../../model/schema.ts";
import { type Analyzer, analyzerFor } from "../../text/analyzer.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import type {
  BlockReader,
  BoundBlock,
  BoundsPosting,
  ListBlocks,
} from "../postings/block-section.ts";
import type { PostingRanges } from "../postings/posting-ranges.ts";
import {
  DELETED,
  mergePostings,
  PostingCollector,
  type PostingDirectory,
  type PostingLists,
  packPostings,
  planPostings,
  unpackPostings,
} from "../postings/posting-section.ts";
import {
  codeOf,
  encodeSorted,
  lowerBound,
  sortByBytes,
  stringAt,
} from "../postings/term-section.ts";

/** Ordinals, ascending, and how often each has the term. */
export interface Postings {
  readonly ordinals: Uint32Array;
  readonly frequencies: Uint32Array;
}

/** Text index of one attribute. Frequencies and lengths count deleted documents too. */
export interface TextView {
  /** Terms of each document's text (repeats counted, dropped tokens not), 0 where absent. */
  readonly lengths: Uint32Array;
  /** Bitmap of the documents with a value, as columns have it; undefined if all have one. */
  readonly presence: Uint8Array | undefined;
  readonly termCount: number;
  /** The code-th smallest term by bytes. */
  term(code: number): string;
  /** First code whose term is >= `term`; `termCount` if none. */
  lowerBound(term: string): number;
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
}

/** A text index without its postings. */
export interface TextHead {
  readonly fingerprint: string;
  readonly lengths: Uint32Array;
  /** Bitmap of the documents with a value; undefined if all have one. */
  readonly presence: Uint8Array | undefined;
  readonly directory: PostingDirectory;
}

/** A text index as arrays. */
export interface TextIndex extends Omit<TextHead, "directory"> {
  readonly lists: PostingLists;
}

/** Kind of the section of a text index without its postings. */
export const TEXT_SECTION = 6;
/** Kinds of the sections of a text index's postings. */
export const TEXT_POSTINGS = { ordinals: 9, numbers: 10 } as const;
/** Kinds of the sections that bound those; a pair is a frequency and the length of a text. */
export const TEXT_BLOCKS = { directory: 28, words: 29 } as const;

/** One input of a merge. */
export interface TextPart {
  /** Undefined where no document has text. */
  readonly index: TextIndex | undefined;
  /** New ordinal by old one, or `DELETED`. */
  readonly newOrdinals: Uint32Array;
}

/** Rises when the same options come to give other terms, so that indexes are built again. */
const ANALYSIS_VERSION = 1;

/** Of the last build, to be used again by one at a time. */
const collectors: PostingCollector[] = [];
/** Text that one step of a build analyzes. */
const STEP_TEXT_BYTES = 8 * KIB;
/** By the very object of the options, as single documents are indexed in microseconds. */
const analyses = new WeakMap<FullTextOptions, { analyzer: Analyzer; fingerprint: string }>();

/** Tells apart options that give other terms. Those of scoring are left out. */
export function textFingerprint(options: FullTextOptions): string {
  return analysisOf(options).fingerprint;
}

function analysisOf(options: FullTextOptions): { analyzer: Analyzer; fingerprint: string } {
  let analysis = analyses.get(options);
  if (analysis === undefined) {
    analysis = { analyzer: analyzerFor(options), fingerprint: fingerprintOf(options) };
    analyses.set(options, analysis);
  }
  return analysis;
}

function fingerprintOf(options: FullTextOptions): string {
  const { tokenizer, language, stemming, removeStopwords, caseSensitive } = options;
  const flags = [stemming, removeStopwords, caseSensitive, options.asciiFolding].map(Number);
  return [ANALYSIS_VERSION, tokenizer, language, flags.join(""), options.maxTokenLength].join();
}

/** The options by which an attribute has a text index; undefined if it has none. */
export function textOptions(
  type: AttributeType,
  schema: AttributeSchema | undefined,
): FullTextOptions | undefined {
  const isText = (type.kind === "scalar" || type.kind === "array") && type.of === "string";
  return isText ? schema?.fullTextSearch : undefined;
}

/** Analyzes a column of strings or of arrays of strings; all elements are one document. */
export function* buildTextIndex(column: Column, options: FullTextOptions): Steps<TextIndex> {
  const { data, count } = column;
  const strings = data.kind === "array" ? data.elements : data;
  const lengths = new Uint32Array(count);
  const { analyzer, fingerprint } = analysisOf(options);
  const collector = collectors.pop() ?? new PostingCollector();
  let bytes = 0;
  let ordinal = 0;
  const visit = (term: string) => {
    lengths[ordinal]++;
    collector.add(term, ordinal, 1);
  };
  for (; ordinal < count && strings.kind === "string"; ordinal++) {
    if (!hasValue(column, ordinal)) continue;
    const start = data.kind === "array" ? data.offsets[ordinal] : ordinal;
    const end = data.kind === "array" ? data.offsets[ordinal + 1] : ordinal + 1;
    for (let i = start; i < end; i++) {
      const text = utf8Slice(strings.bytes, strings.offsets[i], strings.offsets[i + 1]);
      analyzer.forEachTerm(text, visit);
      bytes += text.length;
      if (bytes < STEP_TEXT_BYTES) continue;
      yield;
      yield* collector.makeRoom();
      bytes = 0;
    }
  }
  const lists = yield* collector.finish(sortByBytes, encodeSorted);
  collectors[0] = collector;
  return { fingerprint, lengths, presence: column.presence, lists };
}

/** Joins text indexes with one fingerprint into one over the documents of the merged `column`. */
export function* mergeTextIndexes(
  fingerprint: string,
  parts: readonly TextPart[],
  { count, presence }: Column,
): Steps<TextIndex> {
  const lengths = new Uint32Array(count);
  const known = parts.flatMap(({ index, newOrdinals }) => {
    return index === undefined ? [] : [{ index, newOrdinals, lists: index.lists }];
  });
  for (const { index, newOrdinals } of known) {
    yield;
    for (let o = 0; o < newOrdinals.length; o++) {
      if (newOrdinals[o] !== DELETED) lengths[newOrdinals[o]] = index.lengths[o];
    }
  }
  return { fingerprint, lengths, presence, lists: yield* mergePostings(known) };
}

/**
 * Bounds postings by those that no other one of the block beats: none is at least as frequent in a
 * text that is no longer. So the bounds hold for all options of scoring and any average length.
 */
export function boundTexts({ lengths, lists: { ordinals, numbers } }: TextIndex): BoundBlock {
  return (start, end, pairs) => {
    const first = pairs.length;
    for (let i = start; i < end; i++) {
      const frequency = numbers[i];
      const length = lengths[ordinals[i]];
      let isBeaten = false;
      for (let p = first; p < pairs.length && !isBeaten; p += 2) {
        isBeaten = pairs[p] >= frequency && pairs[p + 1] <= length;
      }
      if (isBeaten) continue;
      let kept = first;
      for (let p = first; p < pairs.length; p += 2) {
        if (pairs[p] <= frequency && pairs[p + 1] >= length) continue;
        pairs[kept++] = pairs[p];
        pairs[kept++] = pairs[p + 1];
      }
      pairs.length = kept;
      pairs.push(frequency, length);
    }
  };
}

/** Tells of bounds from a store whether they are such ones. */
export function isBoundText({ lengths, lists: { ordinals, numbers } }: TextIndex): BoundsPosting {
  return (posting, pairs, at) =>
    pairs[at] >= numbers[posting] && pairs[at + 1] <= lengths[ordinals[posting]];
}

/** Plans the sections of a text index, but for the bounds of its postings. */
export function planText(attribute: string, index: TextIndex): SectionPlan[] {
  const { fingerprint, lengths, presence, lists } = index;
  const packer = new ArrayPacker();
  packer.text(fingerprint);
  packer.array(lengths);
  packer.word(presence === undefined ? 0 : 1);
  if (presence !== undefined) packer.array(presence);
  packPostings(packer, lists);
  const writeTo = (target: Uint8Array) => packer.writeTo(target);
  const head = { kind: TEXT_SECTION, attribute, bytes: packer.bytes, writeTo };
  return [head, ...planPostings(attribute, lists, TEXT_POSTINGS)];
}

/** Opens the section of a text index. */
export function openText(block: Uint8Array): TextHead {
  const unpacker = new ArrayUnpacker(block, "a text index");
  const fingerprint = unpacker.text();
  const lengths = unpacker.u32();
  const presence = unpacker.word() === 1 ? unpacker.u8() : undefined;
  return { fingerprint, lengths, presence, directory: unpackPostings(unpacker) };
}

/** Reads the fingerprint from the first bytes of the section. */
export function openFingerprint(start: Uint8Array): string {
  return new ArrayUnpacker(start, "a text index").text();
}

/** What queries see of a text index whose postings come from `ranges`, their bounds from `blocks`. */
export function textView(head: TextHead, ranges: PostingRanges, blocks: BlockReader): TextView {
  const { lengths, presence, directory } = head;
  const { strings, starts } = directory;
  const postingsAt = (code: number): Postings => {
    const { ordinals, numbers } = ranges.read(starts[code], starts[code + 1]);
    return { ordinals, frequencies: numbers };
  };
  const postings = (term: string) => {
    const code = codeOf(strings, term);
    return code < 0 ? undefined : postingsAt(code);
  };
  return {
    lengths,
    presence,
    termCount: starts.length - 1,
    term: (code) => stringAt(strings, code),
    lowerBound: (term) => lowerBound(strings, term),
    postingCount: (term) => {
      const code = codeOf(strings, term);
      return code < 0 ? 0 : starts[code + 1] - starts[code];
    },
    postings,
    postingsAt,
    blocks: (term) => {
      const code = codeOf(strings, term);
      return code < 0 ? undefined : blocks(code, starts[code + 1] - starts[code]);
    },
  };
}
