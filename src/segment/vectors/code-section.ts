/**
 * One-bit codes of an attribute's vectors in the order of its clusters, in three sections.
 * One holds nothing but the blocks of `kernel/code-scan.ts`: block b has the codes of positions 32b
 * to 32b + 31 (`cluster-section.ts`); behind the last there are zeros. The second is packed
 * (`columns-packing.ts`): rotated dimensions and rounds (u32), the signs of the rotation (u8), the
 * origin that is subtracted first (f32), and of each cluster (f32) what its centroid is multiplied
 * by to be the mean of its rows, and the mean of the rows' squared distances from that; last, the
 * rates of `vector/hit-rates.ts` (f32). The third has the codes of the clusters' means, again in
 * blocks, and behind them the mean of each group of means (f32; `vector/mean-codes.ts`).
 *
 * What is coded is, for cosine_distance, the vector of length 1, and else the vector.
 */

import type { Steps } from "../../base/steps.ts";
import type { PlannedBytes } from "../../codec/columns-codec.ts";
import { ArrayPacker, ArrayUnpacker, corrupt } from "../../codec/columns-packing.ts";
import type { ArenaBytes } from "../../kernel/arena.ts";
import type { CodeMatrix, RotationSigns, RowMatrix } from "../../kernel/arena-kernels.ts";
import { codeBytes } from "../../kernel/code-scan.ts";
import { RATE_BINS } from "../../kernel/rate-scan.ts";
import type { ClusterCodes } from "../../vector/cluster-codes.ts";
import type { ClusterShapes } from "../../vector/coded-rows.ts";
import { type MeanCodes, meanGroups } from "../../vector/mean-codes.ts";
import { rotatedDimensions as rotatedCount } from "../../vector/one-bit-codes.ts";
import type { SectionKind, SectionPlan } from "../format/segment-layout.ts";

/** Kinds of the sections: the codes themselves, what there is to know of them, and the means'. */
export interface CodeSections {
  readonly codes: SectionKind;
  readonly description: SectionKind;
  readonly means: SectionKind;
}

/** Where the segment's rows are in the order of the clusters. */
export const CODE_SECTIONS = { codes: 17, description: 18, means: 19 } as const;
/** Where clusters have ordinals: codes of kind 17 are taken for those of ordinals. */
export const ORDINAL_CODE_SECTIONS = { codes: 21, description: 22, means: 23 } as const;
/** Of inner vectors, whose clusters have ordinals, too. */
export const INNER_CODE_SECTIONS = { codes: 33, description: 34, means: 35 } as const;

/** Rounds of a rotation that are read; four are written. */
const ROUNDS_MAX = 16;

/** What there is to know of codes. */
export interface CodeDescription {
  readonly rotatedDimensions: number;
  readonly rounds: number;
  /** Bits of the rotation's signs. */
  readonly signs: Uint8Array;
  /** Subtracted from each vector. */
  readonly origin: Float32Array;
  readonly shapes: ClusterShapes;
  /** See `vector/hit-rates.ts`. */
  readonly rates: Float32Array;
}

/** Plans all sections; the shapes are known when the codes are written, which are first. */
export function planCodes(
  attribute: string,
  codes: ClusterCodes,
  kinds: CodeSections,
): SectionPlan[] {
  const planned = [planBlocks(codes), planCodeDescription(codes), planMeanCodes(codes.means)];
  const ordered = [kinds.codes, kinds.description, kinds.means];
  return planned.map((plan, i) => ({ ...plan, kind: ordered[i], attribute }));
}

function planBlocks(codes: ClusterCodes): PlannedBytes {
  return { bytes: codes.bytes, writeTo: (target) => codes.writeTo(target) };
}

function planMeanCodes(means: MeanCodes): PlannedBytes {
  const { bytes: start, groups } = means;
  function* writeTo(target: Uint8Array): Steps<void> {
    yield* means.writeTo(target);
    target.set(new Uint8Array(groups.buffer, groups.byteOffset, groups.byteLength), start);
  }
  const bytes = start + groups.byteLength;
  return { bytes, writeTo };
}

/** Codes of the means of clusters, and where kernels read them. */
export interface OpenMeanCodes {
  readonly codes: CodeMatrix;
  /** The means of the groups' means. */
  readonly groups: RowMatrix;
}

/** Opens the section of the codes of so many means. */
export function openMeanCodes(
  { arena, offset, bytes }: ArenaBytes,
  of: {
    readonly count: number;
    readonly dimensions: number;
    readonly rotatedDimensions: number;
  },
): OpenMeanCodes {
  const nibbles = of.rotatedDimensions / 4;
  const start = codeBytes(of.count, nibbles);
  const { dimensions } = of;
  const strideBytes = dimensions * Float32Array.BYTES_PER_ELEMENT;
  if (bytes.length < start + meanGroups(of.count) * strideBytes) {
    throw corrupt("codes of means", `${bytes.length} bytes are not those of ${of.count}`);
  }
  const block = { arena, offset, bytes: bytes.length };
  return {
    codes: { block, start: 0, nibbles },
    groups: { block, start, format: "f32", dimensions, strideBytes },
  };
}

function planCodeDescription(codes: CodeDescription): PlannedBytes {
  const packer = new ArrayPacker();
  packer.word(codes.rotatedDimensions);
  packer.word(codes.rounds);
  packer.array(codes.signs);
  packer.array(codes.origin);
  packer.array(codes.shapes.lengths);
  packer.array(codes.shapes.radii);
  packer.array(codes.rates);
  const writeTo = (target: Uint8Array) => packer.writeTo(target);
  return { bytes: packer.bytes, writeTo };
}

/** A description, and where kernels read its signs. */
export interface OpenCodeDescription extends CodeDescription {
  readonly rotation: RotationSigns;
}

/** Opens the section that describes codes of vectors in so many clusters. */
export function openCodeDescription(block: ArenaBytes, clusterCount: number): OpenCodeDescription {
  const what = "codes of vectors";
  const unpacker = new ArrayUnpacker(block.bytes, what);
  const rotatedDimensions = unpacker.word();
  const rounds = unpacker.word();
  const signs = unpacker.u8();
  const origin = unpacker.f32();
  const shapes = {
    lengths: unpacker.f32(),
    radii: unpacker.f32(),
  };
  if (rotatedDimensions !== rotatedCount(origin.length)) {
    throw corrupt(what, `${rotatedDimensions} dimensions are not those of a rotation`);
  }
  if (rounds > ROUNDS_MAX) throw corrupt(what, `they are rotated in ${rounds} rounds`);
  if (signs.length !== (rotatedDimensions / 8) * rounds) {
    throw corrupt(what, `${signs.length} bytes are not the signs of ${rounds} rounds`);
  }
  for (const numbers of Object.values(shapes)) {
    if (numbers.length !== clusterCount) {
      throw corrupt(what, `they are of ${numbers.length} clusters of ${clusterCount}`);
    }
  }
  const rates = unpacker.f32();
  if (rates.length !== RATE_BINS) throw corrupt(what, `they have ${rates.length} rates`);
  const { arena, offset, bytes } = block;
  const rotation = {
    block: { arena, offset, bytes: bytes.length },
    start: signs.byteOffset - bytes.byteOffset,
    dimensions: rotatedDimensions,
    rounds,
  };
  return { rotatedDimensions, rounds, signs, origin, shapes, rates, rotation };
}
