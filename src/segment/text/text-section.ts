/**
 * The text index of an attribute; one that is large is in pages instead (`text-pages.ts`). Packed
 * (`columns-packing.ts`): the fingerprint of the options
 * that its terms come from (text); the count of terms of each document; 1 and the bitmap of the
 * documents with a value, as columns have it, or 0 if all have one; the directory of posting lists
 * (`posting-section.ts`), which says where they begin in units (`compact-section.ts`); great
 * frequencies (`frequencies.ts`). The lists are in a section of their own.
 */

import { KIB } from "../../base/byte-sizes.ts";
import type { Steps } from "../../base/steps.ts";
import { ArrayPacker, ArrayUnpacker } from "../../codec/columns-packing.ts";
import { hasValue } from "../../codec/columns-value.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { Column } from "../../model/columns.ts";
import type { FullTextOptions } from "../../model/full-text-options.ts";
import type { AttributeSchema } from "../../model/schema.ts";
import { type Analyzer, analyzerFor } from "../../text/analyzer.ts";
import type { TermTable } from "../../text/term-table.ts";
import { packedSection } from "../format/section-plans.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import type { BoundBlock, BoundsPosting } from "../postings/block-section.ts";
import { KeyOrder } from "../postings/key-order.ts";
import {
  DELETED,
  mergePostings,
  PostingCollector,
  type PostingDirectory,
  type PostingLists,
  packPostings,
  unpackPostings,
} from "../postings/posting-section.ts";
import { BY_BYTES, encodeSorted, type SortedStrings } from "../postings/term-section.ts";
import { type GreatFrequencies, packGreats, unpackGreats } from "./frequencies.ts";
import { PositionMerge } from "./merge-positions.ts";
import { PositionCollector } from "./position-collector.ts";
import type { PositionExtent } from "./position-extent.ts";
import { ELEMENT_GAP, type ListPositions } from "./position-section.ts";
import { TEXT_SECTION } from "./text-kinds.ts";
import type { TextLists } from "./text-lists.ts";
import type { TextLengths } from "./text-pages.ts";

/** A text index without its postings. */
export interface TextHead {
  readonly fingerprint: string;
  readonly lengths: Uint32Array;
  /** Bitmap of the documents with a value; undefined if all have one. */
  readonly presence: Uint8Array | undefined;
  readonly directory: PostingDirectory;
  readonly greats: GreatFrequencies;
}

/** A text index as arrays. */
export interface TextIndex extends Omit<TextHead, "directory" | "greats"> {
  readonly lists: PostingLists;
  /** Undefined: it has none. */
  readonly positions: ListPositions | undefined;
}

/** A text index of a segment, all of whose bytes are in memory. */
export interface StoredTextIndex extends Omit<TextIndex, "lists" | "lengths" | "positions"> {
  readonly lengths: TextLengths;
  readonly strings: SortedStrings;
  readonly lists: TextLists;
  readonly positions: ListPositions | undefined;
}

/** One input of a merge. */
export interface TextPart {
  /** Undefined where no document has text. */
  readonly index: StoredTextIndex | undefined;
  /** New ordinal by old one, or `DELETED`. */
  readonly newOrdinals: Uint32Array;
}

/** Rises when the same options come to give other terms, so that indexes are built again. */
const ANALYSIS_VERSION = 1;

/** Of the last build, to be used again by one at a time. */
const collectors: PostingCollector[] = [];
const positionCollectors: PositionCollector[] = [];
/** The order of the terms of each table. */
const orders = new WeakMap<TermTable, KeyOrder>();
/** Text that one step of a build analyzes. */
const STEP_TEXT_BYTES = 8 * KIB;
/** Texts from which on they are decoded in a step of their own. */
const LONG_TEXT_BYTES = 256 * KIB;
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
export function* buildTextIndex(
  column: Column,
  options: FullTextOptions,
  { documentsMin }: PositionExtent,
): Steps<TextIndex> {
  const { data, count } = column;
  const strings = data.kind === "array" ? data.elements : data;
  const lengths = new Uint32Array(count);
  const { analyzer, fingerprint } = analysisOf(options);
  const collector = collectors.pop() ?? new PostingCollector();
  const tokens =
    count < documentsMin ? undefined : (positionCollectors.pop() ?? new PositionCollector());
  const table = analyzer.takeTable();
  const isWhole = options.tokenizer === "pre_tokenized_array";
  let bytes = 0;
  let ordinal = 0;
  let first = 0;
  const visit = (code: number, position: number) => {
    lengths[ordinal]++;
    collector.add(code, ordinal, 1);
    tokens?.add(code, first + position);
  };
  for (; ordinal < count && strings.kind === "string"; ordinal++) {
    if (!hasValue(column, ordinal)) continue;
    tokens?.startDocument();
    first = 0;
    const start = data.kind === "array" ? data.offsets[ordinal] : ordinal;
    const end = data.kind === "array" ? data.offsets[ordinal + 1] : ordinal + 1;
    for (let i = start; i < end; i++) {
      const from = strings.offsets[i];
      const to = strings.offsets[i + 1];
      table.begin(strings.bytes, from, to);
      // To decode a long text takes as long as to find the end of a token that is all of it.
      if (to - from > LONG_TEXT_BYTES) yield;
      while (table.advance(visit)) {
        yield;
        yield* collector.makeRoom();
      }
      const { tokenCount } = table;
      first += isWhole ? 1 : tokenCount === 0 ? 0 : tokenCount + ELEMENT_GAP;
      bytes += to - from;
      if (bytes < STEP_TEXT_BYTES) continue;
      yield;
      yield* collector.makeRoom();
      bytes = 0;
    }
  }
  const lists = yield* collector.finish(orderOf(table), encodeSorted);
  collectors[0] = collector;
  const positions = tokens && (yield* tokens.finish(lists));
  if (tokens !== undefined) positionCollectors[0] = tokens;
  analyzer.giveBack(table);
  return { fingerprint, lengths, presence: column.presence, lists, positions };
}

function orderOf(table: TermTable): KeyOrder {
  const known = orders.get(table);
  if (known !== undefined) return known;
  const order = new KeyOrder(table, BY_BYTES);
  orders.set(table, order);
  return order;
}

/**
 * Joins text indexes with one fingerprint into one over the documents of the merged `column`; with
 * positions if all have some.
 */
export function* mergeTextIndexes(
  fingerprint: string,
  parts: readonly TextPart[],
  { count, presence }: Column,
): Steps<TextIndex> {
  const lengths = new Uint32Array(count);
  const known = parts.flatMap(({ index, newOrdinals }) => {
    return index === undefined ? [] : [{ ...index, newOrdinals }];
  });
  for (const { lengths: old, newOrdinals } of known) {
    yield;
    for (let o = 0; o < newOrdinals.length; o++) {
      if (newOrdinals[o] !== DELETED) lengths[newOrdinals[o]] = old[o];
    }
  }
  const runs = positionsOf(known);
  const lists = yield* mergePostings(known, runs);
  const positions = runs && (yield* runs.finish(lists, count));
  return { fingerprint, lengths, presence, lists, positions };
}

/** Joins the positions of all parts; undefined if one has none. */
function positionsOf(
  parts: readonly (StoredTextIndex & Pick<TextPart, "newOrdinals">)[],
): PositionMerge | undefined {
  const known = parts.flatMap(({ positions, newOrdinals }) =>
    positions === undefined ? [] : [{ positions, newOrdinals }],
  );
  if (known.length < parts.length) return undefined;
  return new PositionMerge(known);
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

/** Tells of bounds from a store whether they are such ones, for texts of these lengths. */
export function isBoundText(lengths: TextLengths): BoundsPosting {
  return ({ ordinal, number }, pairs, at) =>
    pairs[at] >= number && pairs[at + 1] <= lengths[ordinal];
}

/** Plans the section of a text index without its postings. */
export function planHead(
  attribute: string,
  { fingerprint, lengths, presence }: TextIndex,
  of: { readonly directory: PostingDirectory; readonly greats: GreatFrequencies },
): SectionPlan {
  const packer = new ArrayPacker();
  packer.text(fingerprint);
  packer.array(lengths);
  packer.word(presence === undefined ? 0 : 1);
  if (presence !== undefined) packer.array(presence);
  packPostings(packer, of.directory);
  packGreats(packer, of.greats);
  return packedSection(TEXT_SECTION, attribute, packer);
}

/** Opens the section of a text index. */
export function openText(block: Uint8Array): TextHead {
  const unpacker = new ArrayUnpacker(block, "a text index");
  const fingerprint = unpacker.text();
  const lengths = unpacker.u32();
  const presence = unpacker.word() === 1 ? unpacker.u8() : undefined;
  const directory = unpackPostings(unpacker);
  return { fingerprint, lengths, presence, directory, greats: unpackGreats(unpacker) };
}

/** Reads the fingerprint from the first bytes of the section. */
export function openFingerprint(start: Uint8Array): string {
  return new ArrayUnpacker(start, "a text index").text();
}
