/**
 * Sparse vectors of an attribute by dimension: posting lists (`posting-section.ts`) by dimension
 * name, the numbers being weights as bits of f32.
 */

import { assert } from "../../base/assert.ts";
import type { Steps } from "../../base/steps.ts";
import { ArrayPacker, ArrayUnpacker } from "../../codec/columns-packing.ts";
import { halves, hasValue } from "../../codec/columns-value.ts";
import type { Column } from "../../model/columns.ts";
import type { SectionPlan } from "../format/segment-layout.ts";
import type { PostingRanges } from "../postings/posting-ranges.ts";
import {
  PostingCollector,
  type PostingDirectory,
  type PostingLists,
  packPostings,
  planPostings,
  unpackPostings,
} from "../postings/posting-section.ts";
import {
  byteStringReader,
  codeOf,
  fromByteStrings,
  sortInSteps,
} from "../postings/term-section.ts";

/** Sparse vectors of one attribute by dimension. */
export interface SparseView {
  /** Ordinals with a weight for the dimension, ascending, and the weights; undefined if none. */
  postings(
    name: string,
  ): { readonly ordinals: Uint32Array; readonly weights: Float32Array } | undefined;
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
      collector.add(nameAt(e), ordinal, bits[0]);
    }
  }
  const lists = yield* collector.finish(sortInSteps, fromByteStrings);
  collectors[0] = collector;
  return lists;
}

/** Kind of the section of inverted sparse vectors without their postings. */
export const SPARSE_SECTION = 7;
/** Kinds of the sections of sparse vectors' postings. */
export const SPARSE_POSTINGS = { ordinals: 11, numbers: 12 } as const;

/** Plans the sections of inverted sparse vectors. */
export function planSparse(attribute: string, lists: PostingLists): SectionPlan[] {
  const packer = new ArrayPacker();
  packPostings(packer, lists);
  const writeTo = (target: Uint8Array) => packer.writeTo(target);
  const head = { kind: SPARSE_SECTION, attribute, bytes: packer.bytes, writeTo };
  return [head, ...planPostings(attribute, lists, SPARSE_POSTINGS)];
}

/** Opens the section of inverted sparse vectors. */
export function openSparse(block: Uint8Array): PostingDirectory {
  return unpackPostings(new ArrayUnpacker(block, "inverted sparse vectors"));
}

/** What queries see of inverted sparse vectors whose postings come from `ranges`. */
export function sparseView(directory: PostingDirectory, ranges: PostingRanges): SparseView {
  const { strings, starts } = directory;
  const postings = (name: string) => {
    const code = codeOf(strings, name);
    if (code < 0) return undefined;
    const { ordinals, numbers } = ranges.read(starts[code], starts[code + 1]);
    const { buffer, byteOffset, length } = numbers;
    return { ordinals, weights: new Float32Array(buffer, byteOffset, length) };
  };
  return { postings };
}
