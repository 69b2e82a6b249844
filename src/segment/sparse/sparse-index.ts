/** Sparse vectors by dimension, for their dot products with a query. */

import { assert } from "../../base/assert.ts";
import type { Steps } from "../../base/steps.ts";
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
import { checkPostings, mergePostings, type PostingLists } from "../postings/posting-section.ts";
import {
  boundWeights,
  buildSparse,
  isBoundWeight,
  openSparse,
  planSparse,
  SPARSE_BLOCKS,
  SPARSE_POSTINGS,
  SPARSE_SECTION,
  type SparseView,
  sparseView,
} from "./sparse-section.ts";

/** Of all sparse vectors. */
export const SPARSE_INDEX = sparseIndex(BLOCK_POSTINGS);

/** An index that bounds its postings by so many; it reads those of all others. */
export function sparseIndex(blockPostings: number): AttributeIndex<SparseView> {
  return {
    name: "sparse",
    sections: [SPARSE_SECTION, ...Object.values(SPARSE_POSTINGS), ...Object.values(SPARSE_BLOCKS)],
    option: undefined,
    isWanted: (type) => type.kind === "sparse",
    isCurrent: (sections, type) =>
      (sections.entry(SPARSE_SECTION) !== undefined) === (type.kind === "sparse"),
    build: (values) => build(values, blockPostings),
    merge: (values) => merge(values, blockPostings),
    open,
    check,
    // Which postings a query reads depends on its dimensions.
    touch: (sections) => sections.touch([SPARSE_SECTION, SPARSE_BLOCKS.directory]),
    touchParts,
  };
}

function* build(
  { attribute, column }: AttributeValues,
  blockPostings: number,
): Steps<SectionPlan[]> {
  return yield* plan(attribute, yield* buildSparse(column), blockPostings);
}

function* plan(
  attribute: string,
  lists: PostingLists,
  blockPostings: number,
): Steps<SectionPlan[]> {
  const blocks = yield* buildBlocks(lists, blockPostings, boundWeights(lists));
  return [...planSparse(attribute, lists), ...planBlocks(attribute, blocks, SPARSE_BLOCKS)];
}

function* merge({ attribute, inputs }: MergedValues, blockPostings: number): Steps<SectionPlan[]> {
  const parts = inputs.flatMap(({ view, newOrdinals }) => {
    const lists = readSparse(view.sections(attribute));
    const isAbsent = lists === undefined && view.column(attribute) === undefined;
    assert(lists !== undefined || isAbsent, "sparse vectors are not inverted");
    return lists === undefined ? [] : [{ lists, newOrdinals }];
  });
  return yield* plan(attribute, yield* mergePostings(parts), blockPostings);
}

function open(sections: AttributeSections): SparseView | undefined {
  sections.touch([SPARSE_SECTION, SPARSE_BLOCKS.directory]);
  const section = sections.bytes(SPARSE_SECTION);
  if (section === undefined) return undefined;
  const ranges = new PostingRanges(sections, SPARSE_POSTINGS);
  return sparseView(openSparse(section), ranges, openBlocks(sections, SPARSE_BLOCKS));
}

function touchParts(sections: AttributeSections): void {
  const section = sections.bytes(SPARSE_SECTION);
  if (section === undefined) return;
  const directory = openSparse(section);
  attemptAll([
    () => new PostingRanges(sections, SPARSE_POSTINGS).touchAll(directory),
    () => touchBlocks(sections, SPARSE_BLOCKS),
  ]);
}

/** Inverted sparse vectors as arrays. */
function readSparse(sections: AttributeSections): PostingLists | undefined {
  const section = sections.bytes(SPARSE_SECTION);
  if (section === undefined) return undefined;
  return new PostingRanges(sections, SPARSE_POSTINGS).readAll(openSparse(section));
}

function check(sections: AttributeSections): void {
  const lists = readSparse(sections);
  if (lists === undefined) return;
  checkPostings(lists, sections.documentCount);
  checkBlocks(sections, SPARSE_BLOCKS, { lists, isBound: isBoundWeight(lists) });
}
