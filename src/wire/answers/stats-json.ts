/** Billing and performance members of answers. */

import {
  type EmbeddingStats,
  QUERY_PHASES,
  type QueryAnalysis,
  type QueryBilling,
  type QueryPerformance,
  type QueryWork,
} from "../../model/request-stats.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { writeFloat, writeTime } from "./value-json.ts";

/** Writes the object that bills a query. */
export function writeQueryBilling(json: JsonWriter, billing: QueryBilling): void {
  json.raw(
    `{"billable_logical_bytes_queried":${billing.bytesQueried},` +
      `"billable_logical_bytes_returned":${billing.bytesReturned}}`,
  );
}

/** Writes the object that tells how a query went. */
export function writeQueryPerformance(json: JsonWriter, performance: QueryPerformance): void {
  json.raw('{"cache_hit_ratio":');
  writeFloat(json, performance.cacheHitRatio);
  json.raw(
    `,"cache_temperature":"${performance.cacheTemperature}"` +
      `,"server_total_ms":${wholeMs(performance.serverTotalMs)}` +
      `,"query_execution_ms":${wholeMs(performance.executionMs)}` +
      `,"exhaustive_search_count":${performance.exhaustiveCount}` +
      `,"approx_namespace_size":${performance.namespaceDocumentCount}`,
  );
  if (performance.lastIncludedWriteAtMs !== undefined) {
    json.raw(',"last_included_write_at":');
    writeTime(json, performance.lastIncludedWriteAtMs);
  }
  writeEmbedding(json, performance.embedding);
  json.raw("}");
}

/** Writes the object that tells what a request has cost that was explained and run. */
export function writeQueryAnalysis(
  json: JsonWriter,
  { works, reads, performance, phases, steps }: QueryAnalysis,
): void {
  const { rounds, loadedBytes, storeBytes } = reads;
  json.raw(
    `{"queries":[${works.map(workText).join(",")}],"reads":{"rounds":${rounds},` +
      `"loaded_bytes":${loadedBytes},"store_bytes":${storeBytes}},"performance":`,
  );
  writeQueryPerformance(json, performance);
  const times = QUERY_PHASES.map((phase) => `"${phase}_ms":${thousandths(phases[phase])}`);
  json.raw(`,"phases":{${times.join(",")}},"steps":[`);
  for (const [i, { name, ms }] of steps.entries()) {
    json.raw(i > 0 ? ',{"step":' : '{"step":');
    json.string(name);
    json.raw(`,"ms":${thousandths(ms)}}`);
  }
  json.raw("]}");
}

/** Milliseconds to the microsecond. */
function thousandths(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function workText(work: QueryWork): string {
  return (
    `{"documents_scanned":${work.documentsScanned},"values_compared":${work.valuesCompared},` +
    `"strings_tested":${work.stringsTested},"texts_analyzed":${work.textsAnalyzed},` +
    `"positions_read":${work.positionsRead},"entries_touched":${work.entriesTouched},` +
    `"postings_touched":${work.postingsTouched},"blocks_skipped":${work.blocksSkipped},` +
    `"clusters_probed":${work.clustersProbed},"codes_scanned":${work.codesScanned},` +
    `"candidates_reranked":${work.candidatesReranked},"vectors_scored":${work.vectorsScored},` +
    `"candidates_skipped":${work.candidatesSkipped},"bytes_returned":${work.bytesReturned}}`
  );
}

/** Writes the object that tells how a write went. */
export function writeWritePerformance(
  json: JsonWriter,
  performance: {
    readonly serverTotalMs: number;
    readonly embedding: EmbeddingStats | undefined;
  },
): void {
  json.raw(`{"server_total_ms":${wholeMs(performance.serverTotalMs)}`);
  writeEmbedding(json, performance.embedding);
  json.raw("}");
}

function writeEmbedding(json: JsonWriter, embedding: EmbeddingStats | undefined): void {
  if (embedding === undefined) return;
  json.raw(`,"embedding_tokens":${embedding.tokens},"embedding_ms":${wholeMs(embedding.ms)}`);
}

/** Rounds up, and to at least 1: clients take 0 for "not measured". */
function wholeMs(ms: number): number {
  return Math.max(1, Math.ceil(ms));
}
