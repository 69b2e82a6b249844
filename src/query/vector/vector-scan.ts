/** Exact distances of a segment's vectors to a query. */

import { assert, must } from "../../base/assert.ts";
import type { Ordinal } from "../../base/ids.ts";
import type { Steps } from "../../base/steps.ts";
import { hasBit, setBit } from "../../codec/bitmap.ts";
import type { ArenaKernels } from "../../kernel/arena-kernels.ts";
import { type Measure, SCAN_ROWS_MAX } from "../../kernel/kernel.ts";
import type { Column } from "../../model/columns.ts";
import type { ColumnView, SegmentView, VectorPlace } from "../../segment/view/segment-view.ts";
import { LateInteraction } from "../../vector/late-interaction.ts";
import {
  cosineDistance,
  cosineErrorMax,
  measureOf,
  unitVector,
  vectorDistance,
} from "../../vector/metric.ts";
import { eachMatch, type MatchedDocuments, matchedBits } from "../documents/matched-documents.ts";
import { andBits, presenceBits, type VisitPart } from "../documents/ordinal-bits.ts";
import { NO_THRESHOLD, type Threshold } from "../documents/top-documents.ts";
import type { Together } from "../operator/operator.ts";
import type { VectorTarget } from "../operator/plan.ts";
import type { ScanProgress, ScanWave, SegmentScan } from "../operator/scan-progress.ts";
import type { WorkStats } from "../operator/work-stats.ts";
import { chunkNeeds, forEachChunk, VectorChunks } from "./vector-chunks.ts";

/** What a scan works with. */
export interface VectorScan {
  readonly target: VectorTarget;
  /**
   * `scan` reads all rows in order and skips the others' scores, `gather` reads the wanted ones.
   */
  readonly access: "scan" | "gather";
  readonly kernels: ArenaKernels;
  readonly work: WorkStats;
  readonly together: Together;
  /**
   * Absent: all distances are wanted. That of a document which it refuses may be any that it would
   * refuse, too.
   */
  readonly threshold?: Threshold | undefined;
  /** Absent: all vectors must be in memory at the same time. */
  readonly progress?: ScanProgress | undefined;
}

/**
 * Calls `visit` with the documents in `within` that have a vector, as `eachMatch` does, and their
 * distances, rounded to float32. That of documents with an empty array of vectors is NaN.
 */
export function* scanVectors(
  scan: VectorScan,
  view: SegmentView,
  within: MatchedDocuments,
  visit: VisitPart,
): Steps<void> {
  const found = view.column(scan.target.attribute);
  if (found === undefined) return;
  const candidates = presentOf(within, found.column);
  const measure = yield* distanceMeasure(scan, candidates, { view, found });
  const { query } = scan.target;
  const partSize = query instanceof Float32Array ? partRows(query.length) : BOUNDED_PART;
  let lookSize = FIRST_LOOK;
  const visitMeasured: VisitPart = (ordinals, distances) => {
    for (let start = 0; start < ordinals.length; ) {
      const part = ordinals.subarray(start, start + lookSize);
      start += part.length;
      lookSize = Math.min(2 * lookSize, SCAN_ROWS_MAX);
      measure(part, distances);
      for (let i = 0; i < part.length; i++) {
        // Distances that overflow are the farthest, so that they can be ordered and printed.
        if (distances[i] > FLOAT32_MAX) distances[i] = FLOAT32_MAX;
      }
      scan.work.vectorsScored += part.length;
      visit(part, distances);
    }
  };
  yield* eachMatch(candidates, visitMeasured, partSize);
}

/** Those that have a value. */
function presentOf(matching: MatchedDocuments, { presence, count }: Column): MatchedDocuments {
  if (presence === undefined) return matching;
  if (matching.form === "bits") {
    return matchedBits(andBits(presenceBits(presence, count), matching.bits));
  }
  const ordinals = matching.ordinals.filter((o) => ((presence[o >> 3] >> (o & 7)) & 1) === 1);
  return { form: "list", ordinals };
}

/** Numbers of vectors that are read between two pauses, in a fraction of a millisecond. */
const NUMBERS_PER_STEP = 2 ** 20;

/** Vectors that are measured between two pauses. */
function partRows(dimensions: number): number {
  return Math.min(Math.max(Math.floor(NUMBERS_PER_STEP / dimensions), 32), SCAN_ROWS_MAX);
}

function* distanceMeasure(
  scan: VectorScan,
  candidates: MatchedDocuments,
  { view, found: column }: { readonly view: SegmentView; readonly found: ColumnView },
): Steps<VisitPart> {
  const { query } = scan.target;
  if (!(query instanceof Float32Array)) return measureMulti(scan, query, column.column);
  const place = must(column.vectors, "dense vectors have no place");
  const chunks = new VectorChunks(column, place);
  const measure = measureDense(scan, query, chunks);
  if (place.chunkRows >= column.column.count) return measure;
  const { progress, together } = scan;
  if (progress === undefined) {
    together(chunkNeeds(chunks, candidates));
    return measure;
  }
  const { buffer, byteOffset, byteLength } = query;
  const bytes = Buffer.from(buffer, byteOffset, byteLength);
  const key = () => `${scan.target.attribute} ${bytes.toString("base64")}`;
  let begun = progress.find(view, key);
  if (begun === undefined) {
    if (progress.hasAll(chunkNeeds(chunks, candidates))) return measure;
    begun = progress.start(view, key());
  }
  // What waves have found stands for all rankings by this query: none of their thresholds holds.
  const measureAll = measureDense({ ...scan, threshold: undefined }, query, chunks);
  const wave = progress.wave();
  return yield* measureInWaves(begun, { place, candidates, measure: measureAll, wave });
}

function measureDense(
  { target, kernels, access, threshold = NO_THRESHOLD }: VectorScan,
  query: Float32Array,
  chunks: VectorChunks,
): VisitPart {
  const { metric } = target;
  const sent = metric === "cosine_distance" ? unitVector(query) : query;
  const toDistances = metric === "cosine_distance" ? cosines(query, chunks, threshold) : undefined;
  const score = { measure: measureOf(metric), kernels, query: sent, chunks };
  const scored = access === "scan" ? scoreChunks(score) : scoreGathered(score);
  return (ordinals, distances) => {
    scored(ordinals, distances);
    toDistances?.(ordinals, distances);
  };
}

/** What rows are scored with. */
interface Scoring {
  readonly measure: Measure;
  readonly kernels: ArenaKernels;
  readonly query: Float32Array;
  readonly chunks: VectorChunks;
}

/** Scores all rows from the first to the last one of each chunk, some at a time. */
function scoreChunks({ measure, kernels, query, chunks }: Scoring): VisitPart {
  const { chunkRows } = chunks.place;
  return (ordinals, scored) => {
    // Others may have used the kernels since the last part.
    let queryArena: number | undefined;
    forEachChunk(ordinals, chunkRows, ({ index, start, end }) => {
      const matrix = chunks.at(index);
      const { arena } = matrix.block;
      if (arena !== queryArena) kernels.setQuery(matrix, query);
      queryArena = arena;
      const first = index * chunkRows;
      for (let at = start; at < end; ) {
        const from = ordinals[at] - first;
        let next = at + 1;
        while (next < end && ordinals[next] - first < from + SCAN_ROWS_MAX) next++;
        const to = ordinals[next - 1] + 1 - first;
        const scores = kernels.scoreRange(measure, matrix, from, to);
        for (; at < next; at++) scored[at] = scores[ordinals[at] - first - from];
      }
    });
  };
}

/** Where the rows of one call lie: nobody else runs meanwhile. */
const places = new Uint32Array(SCAN_ROWS_MAX);

/** Scores the rows alone, wherever they lie. */
function scoreGathered({ measure, kernels, query, chunks }: Scoring): VisitPart {
  return (ordinals, scored) => {
    for (let start = 0; start < ordinals.length; ) {
      const { arena, end } = chunks.placesOf(ordinals, start, places);
      const matrix = chunks.elementRows(arena);
      kernels.setQuery(matrix, query);
      scored.set(kernels.scoreRows(measure, matrix, places.subarray(0, end - start)), start);
      start = end;
    }
  };
}

/**
 * Measures what is in memory and not measured yet, and gives all distances if that is all; or else
 * throws one `BytesMissing` for the next of the missing chunks.
 */
function* measureInWaves(
  { distances, known }: SegmentScan,
  of: {
    readonly place: VectorPlace;
    readonly candidates: MatchedDocuments;
    readonly measure: VisitPart;
    readonly wave: ScanWave;
  },
): Steps<VisitPart> {
  const { place, candidates, measure, wave } = of;
  const chunkBytes = place.chunkRows * place.strideBytes;
  const isHere = new Map<number, boolean>();
  const visit: VisitPart = (ordinals, scratch) => {
    forEachChunk(ordinals, place.chunkRows, ({ index, start, end }) => {
      const part = ordinals.subarray(start, end);
      if (part.every((ordinal) => hasBit(known, ordinal))) return;
      const here = isHere.get(index) ?? wave.has(() => void place.chunk(index), chunkBytes);
      isHere.set(index, here);
      if (!here) return;
      const found = scratch.subarray(start, end);
      measure(part, found);
      for (let i = 0; i < part.length; i++) {
        distances[part[i]] = found[i];
        setBit(known, part[i]);
      }
    });
  };
  yield* eachMatch(candidates, visit, SCAN_ROWS_MAX);
  wave.end();
  return (ordinals, found) => {
    for (let i = 0; i < ordinals.length; i++) found[i] = distances[ordinals[i]];
  };
}

/** Turns dot products with the unit query into distances, rounded to float32. */
function cosines(
  query: Float32Array,
  { column, place }: VectorChunks,
  threshold: Threshold,
): VisitPart {
  const { inverseNorms } = place;
  const errorMax = cosineErrorMax(query.length);
  return (ordinals, distances) => {
    const within = { errorMax, worst: threshold.worstKey };
    for (let i = 0; i < ordinals.length; i++) {
      const ordinal = ordinals[i];
      const distance = cosineDistance(distances[i], inverseNorms[ordinal], within);
      if (distance >= 0) {
        distances[i] = distance;
        continue;
      }
      const vector = column.value(ordinal as Ordinal) as Float32Array;
      distances[i] = vectorDistance("cosine_distance", query, vector);
    }
  };
}

function measureMulti(
  { target: { metric }, threshold = NO_THRESHOLD }: VectorScan,
  queries: readonly Float32Array[],
  { data }: Column,
): VisitPart {
  assert(data.kind === "multi_vector", "several query vectors for another type");
  const { offsets, values, dimensions } = data;
  const late = new LateInteraction(metric, queries);
  return (ordinals, distances) => {
    const { worstKey } = threshold;
    for (let i = 0; i < ordinals.length; i++) {
      const start = offsets[ordinals[i]] * dimensions;
      const end = offsets[ordinals[i] + 1] * dimensions;
      distances[i] = start === end ? Number.NaN : late.distance(values, { start, end }, worstKey);
    }
  };
}

/**
 * Documents before the first read of the threshold. Doubles before each further read: while the
 * threshold is loose, few costly distances are measured in vain.
 */
const FIRST_LOOK = 32;

/**
 * Documents of several vectors between two pauses, and two looks at the threshold, which bounds the
 * work on each.
 */
const BOUNDED_PART = 8;

/** Greatest finite float32. */
const FLOAT32_MAX = 3.4028234663852886e38;
