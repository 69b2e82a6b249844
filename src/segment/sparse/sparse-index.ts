/** Sparse vectors by dimension, for their dot products with a query. */

import { assert } from "../../base/assert.ts";
import type { Steps } from "../../base/steps.ts";
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
import {
  mergePostings,
  type PostingDirectory,
  type PostingLists,
} from "../postings/posting-section.ts";
import type { AttributeIndex, AttributeValues, MergedValues } from "../view/attribute-index.ts";
import { SPARSE_BLOCKS, SPARSE_LISTS, SPARSE_SECTION, SparseLists } from "./sparse-lists.ts";
import {
  boundWeights,
  buildSparse,
  isBoundWeight,
  openSparse,
  planSparse,
  type SparseView,
  sparseView,
} from "./sparse-section.ts";

/** Of all sparse vectors. */
export const SPARSE_INDEX = sparseIndex(BLOCK_POSTINGS);

/** An index that bounds its postings by so many; it reads those of all others. */
export function sparseIndex(blockPostings: number): AttributeIndex<SparseView> {
  return {
    name: "sparse",
    sections: [SPARSE_SECTION, SPARSE_LISTS.kind, ...Object.values(SPARSE_BLOCKS)],
    option: undefined,
    isWanted: (type) => type.kind === "sparse",
    isCurrent: (sections, type) =>
      (sections.entry(SPARSE_SECTION) !== undefined) === (type.kind === "sparse"),
    build: (values) => build(values, blockPostings),
    merge: (values) => merge(values, blockPostings),
    open,
    check,
    // Which postings a query reads depends on its dimensions.
    touch: (sections) => sections.touch(HEAD_SECTIONS),
    touchParts,
  };
}

/** Those that are looked at before any list is. */
const HEAD_SECTIONS = [SPARSE_SECTION, SPARSE_BLOCKS.directory];

function* build(
  { attribute, column }: AttributeValues,
  blockPostings: number,
): Steps<SectionPlan[]> {
  const lists = yield* buildSparse(column);
  return yield* plan(lists, { attribute, documentCount: column.count, blockPostings });
}

interface PlanOptions {
  readonly attribute: string;
  readonly documentCount: number;
  readonly blockPostings: number;
}

function* plan(
  lists: PostingLists,
  { attribute, documentCount, blockPostings }: PlanOptions,
): Steps<SectionPlan[]> {
  const blocks = yield* buildBlocks(lists, blockPostings, boundWeights(lists));
  return [
    ...(yield* planSparse(attribute, lists, documentCount)),
    ...planBlocks(attribute, blocks, SPARSE_BLOCKS),
  ];
}

function* merge(
  { attribute, documentCount, inputs }: MergedValues,
  blockPostings: number,
): Steps<SectionPlan[]> {
  const parts = inputs.flatMap(({ view, newOrdinals }) => {
    const index = openIndex(view.sections(attribute));
    const isAbsent = index === undefined && view.column(attribute) === undefined;
    assert(index !== undefined || isAbsent, "sparse vectors are not inverted");
    if (index === undefined) return [];
    return [{ strings: index.directory.strings, lists: index.lists, newOrdinals }];
  });
  const lists = yield* mergePostings(parts);
  return yield* plan(lists, { attribute, documentCount, blockPostings });
}

/** The directory of the lists, and where those are; undefined if there are none. */
function openIndex(
  sections: AttributeSections,
): { readonly directory: PostingDirectory; readonly lists: SparseLists } | undefined {
  const bytes = sections.bytes(SPARSE_SECTION);
  if (bytes === undefined) return undefined;
  const directory = openSparse(bytes);
  return { directory, lists: new SparseLists(sections, directory) };
}

function open(sections: AttributeSections): SparseView | undefined {
  sections.touch(HEAD_SECTIONS);
  const index = openIndex(sections);
  return index && sparseView(index.directory, index.lists, openBlocks(sections, SPARSE_BLOCKS));
}

function touchParts(sections: AttributeSections): void {
  const index = openIndex(sections);
  if (index === undefined) return;
  attemptAll([() => index.lists.touchAll(), () => touchBlocks(sections, SPARSE_BLOCKS)]);
}

function check(sections: AttributeSections): void {
  const index = openIndex(sections);
  if (index === undefined) return;
  index.lists.check();
  checkBlocks(sections, SPARSE_BLOCKS, { lists: index.lists, isBound: isBoundWeight() });
}
