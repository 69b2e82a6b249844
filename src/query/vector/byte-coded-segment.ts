/** Bounds of how far one segment's rows are from a query, by their byte codes. */

import { must } from "../../base/assert.ts";
import type { KthLeast } from "../../base/numbers/kth-least.ts";
import type { Steps } from "../../base/steps.ts";
import { countBits } from "../../codec/bitmap.ts";
import type { ArenaBytes } from "../../kernel/arena.ts";
import type { ArenaKernels } from "../../kernel/arena-kernels.ts";
import { BYTE_CODE_ALIGNMENT } from "../../kernel/byte-code-scan.ts";
import { FOUND_WORDS } from "../../kernel/code-scan.ts";
import { SCAN_ROWS_MAX } from "../../kernel/kernel.ts";
import { BYTE_CODE_INDEX, type ByteCodeView } from "../../segment/vectors/byte-code-index.ts";
import { CLUSTER_INDEX } from "../../segment/vectors/cluster-index.ts";
import type { VectorPlace } from "../../segment/view/segment-view.ts";
import { type ByteQuery, byteQuery, reachOf } from "../../vector/byte-bounds.ts";
import { unitVector } from "../../vector/metric.ts";
import { andBits, eachPart, type OrdinalBits, presenceBits } from "../documents/ordinal-bits.ts";
import type { Need, SegmentMatches } from "../operator/operator.ts";
import type { VectorTarget } from "../operator/plan.ts";
import type { FoundRows } from "./found-rows.ts";
import { chunksWith } from "./vector-chunks.ts";

/** Codes that are read between two pauses, in a fraction of a millisecond. */
const CODES_PER_STEP = 2 ** 21;
/** Rows before the first look at the threshold, and twice as many before each that follows. */
const FIRST_LOOK = 32;

/** What a segment has. */
interface OpenCodes {
  readonly codes: ByteCodeView;
  readonly vectors: VectorPlace;
  readonly isFresh: boolean;
}

/** The matches of one segment with codes, and a query. */
export class ByteCodedSegment {
  /** Matches that have a vector. */
  readonly candidates: OrdinalBits;
  readonly candidateCount: number;
  /** It is in memory, where all vectors lie end to end (`memtable-indexes.ts`). */
  readonly isFresh: boolean;
  readonly #codes: ByteCodeView;
  readonly #target: VectorTarget;
  readonly #vectors: VectorPlace;
  readonly #query: ByteQuery;
  /** What a run has looked at stays where it is until it ends. */
  readonly #chunks = new Map<number, ArenaBytes>();

  private constructor(
    { codes, vectors, isFresh }: OpenCodes,
    candidates: OrdinalBits,
    { target, sent }: { readonly target: VectorTarget; readonly sent: Float32Array },
  ) {
    this.candidates = candidates;
    this.candidateCount = countBits(candidates);
    this.isFresh = isFresh;
    this.#codes = codes;
    this.#vectors = vectors;
    this.#target = target;
    this.#query = byteQuery(sent, target.metric, codes.origin);
  }

  /** Undefined where no codes tell of the query. Throws `BytesMissing`. */
  static open(
    { view, matches }: SegmentMatches,
    target: VectorTarget,
  ): ByteCodedSegment | undefined {
    const { attribute, metric, query } = target;
    if (!(query instanceof Float32Array)) return undefined;
    const codes = view.index(BYTE_CODE_INDEX, attribute);
    const { column, vectors } = view.column(attribute) ?? {};
    if (codes === undefined || vectors === undefined) return undefined;
    if (codes.metric !== metric || codes.dimensions !== query.length) return undefined;
    const sent = metric === "cosine_distance" ? unitVector(query) : query;
    // All cosine distances from the zero vector are 1.
    if (metric === "cosine_distance" && sent.every((element) => element === 0)) return undefined;
    const presence = column?.presence;
    const candidates =
      presence === undefined
        ? matches
        : andBits(presenceBits(presence, view.documentCount), matches);
    const isFresh = !view.hasIndex(CLUSTER_INDEX, attribute);
    return new ByteCodedSegment({ codes, vectors, isFresh }, candidates, { target, sent });
  }

  /** Looks at all codes that a scan reads. */
  codeNeeds(): Need[] {
    const chunks = chunksWith(this.candidates, this.#codes.chunkRows);
    return chunks.map((index) => () => void this.#chunk(index));
  }

  /** Bytes of all that those looks look at, about. */
  get codeBytes(): number {
    const { chunkRows, strideBytes } = this.#codes;
    return chunksWith(this.candidates, chunkRows).length * chunkRows * strideBytes;
  }

  /** Bytes of the candidates' vectors. */
  get vectorBytes(): number {
    return this.candidateCount * this.#vectors.strideBytes;
  }

  /** Looks at all vectors that a search without codes reads. */
  vectorNeeds(): Need[] {
    const chunks = chunksWith(this.candidates, this.#vectors.chunkRows);
    return chunks.map((index) => () => void this.#vectors.chunk(index));
  }

  /**
   * Adds the candidates that may be as near as any k others, by what `uppers`, of the k least upper
   * bounds, knows when it comes to them. `goesOn` hears at each pause how many were looked at since
   * the last one; returns whether all were. Throws `BytesMissing`.
   */
  *scan(
    kernels: ArenaKernels,
    { uppers, found }: { readonly uppers: KthLeast; readonly found: FoundRows },
    goesOn: (looked: number) => boolean,
  ): Steps<boolean> {
    const places = new Uint32Array(SCAN_ROWS_MAX);
    let lookSize = FIRST_LOOK;
    let looked = 0;
    const visit = (ordinals: Uint32Array): void => {
      looked = ordinals.length;
      for (let start = 0; start < ordinals.length; ) {
        const limit = Math.min(start + lookSize, ordinals.length);
        const { arena, end } = this.#placesOf(ordinals.subarray(start, limit), places);
        const query = { ...this.#query, worst: this.reach(uppers.worst) };
        const near = kernels.scanByteCodes(arena, places.subarray(0, end), query);
        for (let at = 0; at < near.count * FOUND_WORDS; at += FOUND_WORDS) {
          found.add(ordinals[start + near.rows[at]], near.bounds[at + 1]);
          uppers.offer(near.bounds[at + 2]);
        }
        start += end;
        lookSize = Math.min(2 * lookSize, SCAN_ROWS_MAX);
      }
    };
    const rows = Math.floor(CODES_PER_STEP / this.#codes.dimensions);
    const partSize = Math.min(Math.max(rows, FIRST_LOOK), SCAN_ROWS_MAX);
    for (const _pause of eachPart(this.candidates, visit, partSize)) {
      if (!goesOn(looked)) return false;
      yield;
    }
    return true;
  }

  /** The greatest lower bound of a row that may be as near as what has this upper bound. */
  reach(upper: number): number {
    return reachOf(upper, this.#target.metric, this.#codes.dimensions);
  }

  /** Writes where the rows of ascending ordinals lie, as far as they are in one arena. */
  #placesOf(
    ordinals: Uint32Array,
    places: Uint32Array,
  ): { readonly arena: number; readonly end: number } {
    const { chunkRows, strideBytes } = this.#codes;
    const stride = strideBytes / BYTE_CODE_ALIGNMENT;
    let arena: number | undefined;
    let chunkEnd = 0;
    /** Where ordinal 0 would be if all were in the chunk. */
    let origin = 0;
    for (let i = 0; i < ordinals.length; i++) {
      if (ordinals[i] >= chunkEnd) {
        const index = Math.floor(ordinals[i] / chunkRows);
        const chunk = this.#chunk(index);
        arena ??= chunk.arena;
        if (chunk.arena !== arena) return { arena, end: i };
        chunkEnd = (index + 1) * chunkRows;
        origin = chunk.offset / BYTE_CODE_ALIGNMENT - index * chunkRows * stride;
      }
      places[i] = origin + ordinals[i] * stride;
    }
    return { arena: must(arena, "no rows have no place"), end: ordinals.length };
  }

  #chunk(index: number): ArenaBytes {
    const known = this.#chunks.get(index) ?? this.#codes.chunk(index);
    this.#chunks.set(index, known);
    return known;
  }
}
