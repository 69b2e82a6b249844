/** Compares what the approximate search finds with the truth. */

import { invalid } from "../../base/errors.ts";
import type { Ordinal } from "../../base/ids.ts";
import type { Random } from "../../base/random.ts";
import { ScalarSet } from "../../base/tables/scalar-map.ts";
import { bitmapOrdinals } from "../../codec/bitmap.ts";
import type {
  AttributeSelection,
  DocumentQuery,
  QueryRequest,
  VectorRank,
} from "../../model/query.ts";
import type { ResultDocument } from "../../model/query-result.ts";
import type { RecallRequest, RecallResult } from "../../model/recall.ts";
import { searchedVectorAttributes } from "../../model/schema.ts";
import type { DocumentId } from "../../model/value.ts";
import { joinReads, type ReadingSteps } from "../../segment/format/reading-steps.ts";
import { andBits, presenceBits } from "../documents/ordinal-bits.ts";
import { together } from "../operator/missing-bytes.ts";
import type { QueryOptions } from "../operator/query-options.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { runRequest } from "./run-request.ts";

/**
 * Runs sampled stored vectors, or the given ranking, as ANN and as exact kNN queries, and averages
 * the share of neighbours found. Without any vector nothing is missed: recall is 1.
 */
export function* measureRecall(
  snapshot: Snapshot,
  request: RecallRequest,
  options: QueryOptions,
  random: Random,
): ReadingSteps<RecallResult> {
  const ranks = recallRanks(snapshot, request, random);
  const measured = yield* joinReads(
    ranks.map((rank) => measure(rank, { snapshot, request, options })),
  );
  return {
    recall: measured.length === 0 ? 1 : mean(measured.map(({ recall }) => recall)),
    exhaustiveCount: mean(measured.map(({ truth }) => truth.length)),
    annCount: mean(measured.map(({ found }) => found.length)),
    groundTruth: request.includeGroundTruth
      ? measured.map(({ rank, truth }) => ({ query: queryOf(rank), neighbours: truth }))
      : undefined,
  };
}

interface Measuring {
  readonly snapshot: Snapshot;
  readonly request: RecallRequest;
  readonly options: QueryOptions;
}

function* measure(rank: VectorRank, { snapshot, request, options }: Measuring) {
  const found = yield* search(snapshot, { ...rank, method: "ANN" }, request, options);
  const truth = yield* search(snapshot, { ...rank, method: "kNN" }, request, options);
  return { rank, found, truth, recall: recallOf(found, truth) };
}

function recallRanks(snapshot: Snapshot, request: RecallRequest, random: Random): VectorRank[] {
  const { rankBy, sampleCount } = request;
  if (rankBy !== undefined) {
    if (rankBy.kind === "vector" && rankBy.operand.kind !== "embed") return [rankBy];
    throw invalid("💔 rank_by of a recall measurement must be an ANN ranking with a vector");
  }
  const [attribute] = searchedVectorAttributes(snapshot.schema);
  if (attribute === undefined) {
    throw invalid("💔 the namespace has no vector attribute with an ANN index to measure");
  }
  return sampleVectors(snapshot, attribute, sampleCount, random).map((values) => ({
    kind: "vector",
    method: "ANN",
    attribute,
    operand: { kind: "vector", values },
  }));
}

/** Draws stored vectors of live documents, each at most once. */
function sampleVectors(
  { segments }: Snapshot,
  attribute: string,
  sampleCount: number,
  random: Random,
): Float32Array[] {
  const places = segments.map(({ view, liveBitmap }) => {
    const column = view.column(attribute);
    if (column === undefined) return { column, ordinals: new Uint32Array(0) };
    const present = presenceBits(column.column.presence, view.documentCount);
    return { column, ordinals: bitmapOrdinals(andBits(present, liveBitmap)) };
  });
  const total = places.reduce((sum, { ordinals }) => sum + ordinals.length, 0);
  const wanted = Math.min(sampleCount, total);
  const chosen = new Set<number>();
  // Floyd's sampling without replacement: one draw for each sample.
  for (let top = total - wanted; top < total; top++) {
    const drawn = random.below(top + 1);
    chosen.add(chosen.has(drawn) ? top : drawn);
  }
  const valueAt = (chosenPosition: number) => {
    let position = chosenPosition;
    let index = 0;
    while (position >= places[index].ordinals.length) position -= places[index++].ordinals.length;
    const { column, ordinals } = places[index];
    return column?.value(ordinals[position] as Ordinal) as Float32Array;
  };
  return together([...chosen].map((position) => () => valueAt(position)));
}

function* search(
  snapshot: Snapshot,
  rankBy: VectorRank,
  { topK, filter, includeGroundTruth }: RecallRequest,
  options: QueryOptions,
): ReadingSteps<readonly ResultDocument[]> {
  // Vectors are read where they are shown.
  const selection: AttributeSelection = includeGroundTruth
    ? { kind: "include", names: new Set([rankBy.attribute]) }
    : { kind: "none" };
  const query: DocumentQuery = {
    kind: "documents",
    rankBy,
    filter,
    limit: topK,
    limitPer: undefined,
    offset: 0,
    selection,
    computed: new Map(),
    distanceMetric: undefined,
  };
  const request: QueryRequest = {
    kind: "single",
    queries: [query],
    fusion: undefined,
    consistency: "strong",
    vectorEncoding: "float",
  };
  const { results } = yield* runRequest(snapshot, request, { ...options, division: undefined });
  const [result] = results;
  return result.kind === "documents" ? result.documents : [];
}

function recallOf(found: readonly ResultDocument[], truth: readonly ResultDocument[]): number {
  if (truth.length === 0) return 1;
  const ids = new ScalarSet<DocumentId>();
  for (const { id } of found) ids.add(id);
  return truth.filter(({ id }) => ids.has(id)).length / truth.length;
}

function queryOf({ operand }: VectorRank): Float32Array {
  return operand.kind === "vector" ? operand.values : new Float32Array(0);
}

function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((a, b) => a + b) / values.length;
}
