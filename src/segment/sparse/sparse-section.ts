/**
 * Sparse vectors of an attribute by dimension: posting lists (`posting-section.ts`) by dimension
 * name, the numbers being weights as bits of f32.
 */

import { assert } from "../../base/assert.ts";
import { runSteps } from "../../base/steps.ts";
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
import { codeOf, fromByteStrings, latin1, sortInSteps } from "../postings/term-section.ts";

/** Sparse vectors of one attribute by dimension. */
export interface SparseView {
  /** Ordinals with a weight for the dimension, ascending, and the weights; undefined if none. */
  postings(
    name: string,
  ): { readonly ordinals: Uint32Array; readonly weights: Float32Array } | undefined;
}

const collector = new PostingCollector();

/** Inverts a column of sparse vectors. */
export function buildSparse(column: Column): PostingLists {
  const { data, count } = column;
  assert(data.kind === "sparse", `no sparse vectors are of kind ${data.kind}`);
  const { offsets, names } = data;
  const base = names.offsets[offsets[0]];
  const joined = latin1(names.bytes.subarray(base, names.offsets[offsets[count]]));
  const bits = new Uint32Array(Float32Array.from(halves(data.weights)).buffer);
  for (let ordinal = 0; ordinal < count; ordinal++) {
    if (!hasValue(column, ordinal)) continue;
    for (let e = offsets[ordinal]; e < offsets[ordinal + 1]; e++) {
      const name = joined.substring(names.offsets[e] - base, names.offsets[e + 1] - base);
      collector.add(name, ordinal, bits[e]);
    }
  }
  return runSteps(collector.finish(sortInSteps, fromByteStrings));
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
