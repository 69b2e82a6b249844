/**
 * Sparse vectors of an attribute by dimension: a directory of posting lists (`posting-section.ts`)
 * by dimension name, packed, which says where they begin in units (`compact-section.ts`). The lists
 * are in a section of their own.
 */

import { assert } from "../../base/assert.ts";
import type { Steps } from "../../base/steps.ts";
import { StringCodes } from "../../base/string-codes.ts";
import { ArrayPacker, ArrayUnpacker } from "../../codec/columns-packing.ts";
import { halves, hasValue } from "../../codec/columns-value.ts";
import type { Column } from "../../model/columns.ts";
import { packedSection } from "../format/section-plans.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import type {
  BlockReader,
  BoundBlock,
  BoundsPosting,
  ListBlocks,
} from "../postings/block-section.ts";
import { planCompact } from "../postings/compact-section.ts";
import { KeyOrder } from "../postings/key-order.ts";
import {
  PostingCollector,
  type PostingDirectory,
  type PostingLists,
  packPostings,
  unpackPostings,
} from "../postings/posting-section.ts";
import { remembered } from "../postings/remembered.ts";
import { BY_UNITS, byteStringReader, codeOf, fromByteStrings } from "../postings/term-section.ts";
import {
  SPARSE_LISTS,
  SPARSE_SECTION,
  type SparseLists,
  type SparsePostings,
} from "./sparse-lists.ts";

/** Sparse vectors of one attribute by dimension. */
export interface SparseView {
  /** Undefined if no document here has a weight for the dimension. */
  postings(name: string): SparsePostings | undefined;
  /**
   * Bounds of those: a pair for each block, of the greatest weight and the least, as bits of f32.
   * Undefined if there are few postings or none.
   */
  blocks(name: string): ListBlocks | undefined;
}

/** Of the last build, to be used again by one at a time. */
const collectors: PostingCollector[] = [];
/** Entries that one step of a build takes. */
const STEP_ENTRIES = 4096;

/** Inverts a column of sparse vectors. */
export function* buildSparse(column: Column): Steps<PostingLists> {
  const { data, count } = column;
  assert(data.kind === "sparse", `no sparse vectors are of kind ${data.kind}`);
  const { offsets, names } = data;
  const nameAt = byteStringReader(names, offsets[count]);
  const weights = halves(data.weights);
  const weight = new Float32Array(1);
  const bits = new Uint32Array(weight.buffer);
  const collector = collectors.pop() ?? new PostingCollector();
  const codes = new StringCodes();
  let stepEnd = 0;
  for (let ordinal = 0; ordinal < count; ordinal++) {
    if (!hasValue(column, ordinal)) continue;
    if (offsets[ordinal] >= stepEnd) {
      yield;
      yield* collector.makeRoom();
      stepEnd = offsets[ordinal] + STEP_ENTRIES;
    }
    for (let e = offsets[ordinal]; e < offsets[ordinal + 1]; e++) {
      weight[0] = weights[e];
      collector.add(codes.codeOf(nameAt(e)), ordinal, bits[0]);
    }
  }
  const lists = yield* collector.finish(new KeyOrder(codes, BY_UNITS), fromByteStrings);
  collectors[0] = collector;
  return lists;
}

/** Bounds postings by their weights: either bound counts, as a query's weight may be negative. */
export function boundWeights({ numbers }: PostingLists): BoundBlock {
  const { buffer, byteOffset, length } = numbers;
  const weights = new Float32Array(buffer, byteOffset, length);
  const bounds = new Float32Array(2);
  const bits = new Uint32Array(bounds.buffer);
  return (start, end, pairs) => {
    let most = weights[start];
    let least = most;
    for (let i = start + 1; i < end; i++) {
      if (weights[i] > most) most = weights[i];
      if (weights[i] < least) least = weights[i];
    }
    bounds[0] = most;
    bounds[1] = least;
    pairs.push(bits[0], bits[1]);
  };
}

/** Tells of bounds from a store whether they are such ones. */
export function isBoundWeight(): BoundsPosting {
  const floats = new Float32Array(3);
  const bits = new Uint32Array(floats.buffer);
  return ({ number }, pairs, at) => {
    bits.set([number, pairs[at], pairs[at + 1]]);
    const [weight, most, least] = floats;
    return weight <= most && weight >= least;
  };
}

/** Plans the sections of inverted sparse vectors, but for the bounds of their postings. */
export function* planSparse(
  attribute: string,
  lists: PostingLists,
  documentCount: number,
): Steps<SectionPlan[]> {
  const compact = yield* planCompact(attribute, lists, SPARSE_LISTS, documentCount);
  const packer = new ArrayPacker();
  packPostings(packer, { strings: lists.strings, starts: compact.starts });
  return [packedSection(SPARSE_SECTION, attribute, packer), compact.section];
}

/** Opens the section of inverted sparse vectors. */
export function openSparse(block: Uint8Array): PostingDirectory {
  return unpackPostings(new ArrayUnpacker(block, "inverted sparse vectors"));
}

/**
 * What queries see of inverted sparse vectors whose postings come from `lists`, their bounds from
 * `blocks`.
 */
export function sparseView(
  { strings }: PostingDirectory,
  lists: SparseLists,
  blocks: BlockReader,
): SparseView {
  const codeOfName = remembered((name) => codeOf(strings, name));
  return {
    postings: (name) => {
      const code = codeOfName(name);
      return code < 0 ? undefined : lists.read(code);
    },
    blocks: (name) => {
      const code = codeOfName(name);
      return code < 0 ? undefined : blocks(code, lists.postingCount(code));
    },
  };
}
