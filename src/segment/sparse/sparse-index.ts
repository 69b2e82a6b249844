/** Sparse vectors by dimension, for their dot products with a query. */

import { assert } from "../../base/assert.ts";
import type { Steps } from "../../base/steps.ts";
import type { AttributeIndex, AttributeValues, MergedValues } from "../attribute-index.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import { PostingRanges } from "../postings/posting-ranges.ts";
import { checkPostings, mergePostings, type PostingLists } from "../postings/posting-section.ts";
import {
  buildSparse,
  openSparse,
  planSparse,
  SPARSE_POSTINGS,
  SPARSE_SECTION,
  type SparseView,
  sparseView,
} from "./sparse-section.ts";

/** Of all sparse vectors. */
export const SPARSE_INDEX: AttributeIndex<SparseView> = {
  name: "sparse",
  sections: [SPARSE_SECTION, SPARSE_POSTINGS.ordinals, SPARSE_POSTINGS.numbers],
  option: undefined,
  isWanted: (type) => type.kind === "sparse",
  isCurrent: (sections, type) =>
    (sections.entry(SPARSE_SECTION) !== undefined) === (type.kind === "sparse"),
  build,
  merge,
  open,
  check,
  // Which postings a query reads depends on its dimensions.
  touch: (sections) => sections.touch([SPARSE_SECTION]),
};

function* build({ attribute, column }: AttributeValues): Steps<SectionPlan[]> {
  return planSparse(attribute, yield* buildSparse(column));
}

function* merge({ attribute, inputs }: MergedValues): Steps<SectionPlan[]> {
  const parts = inputs.flatMap(({ view, newOrdinals }) => {
    const lists = readSparse(view.sections(attribute));
    const isAbsent = lists === undefined && view.column(attribute) === undefined;
    assert(lists !== undefined || isAbsent, "sparse vectors are not inverted");
    return lists === undefined ? [] : [{ lists, newOrdinals }];
  });
  return planSparse(attribute, yield* mergePostings(parts));
}

function open(sections: AttributeSections): SparseView | undefined {
  const section = sections.bytes(SPARSE_SECTION);
  return section && sparseView(openSparse(section), new PostingRanges(sections, SPARSE_POSTINGS));
}

/** Inverted sparse vectors as arrays. */
function readSparse(sections: AttributeSections): PostingLists | undefined {
  const section = sections.bytes(SPARSE_SECTION);
  if (section === undefined) return undefined;
  return new PostingRanges(sections, SPARSE_POSTINGS).readAll(openSparse(section));
}

function check(sections: AttributeSections): void {
  const lists = readSparse(sections);
  if (lists !== undefined) checkPostings(lists, sections.documentCount);
}
