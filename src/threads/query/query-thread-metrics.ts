import type { EngineMetric } from "../../api/engine.ts";
import type { ResidentRanges } from "../../cache/resident-ranges.ts";
import { QUERY_PHASES, type QueryPhases } from "../../model/request-stats.ts";
import type { QueryService } from "./query-service.ts";
import type { ReadAhead } from "./read-ahead.ts";

/** Where stats of reads come from. */
interface ReadSources {
  readonly readAhead: Pick<ReadAhead, "stats"> | undefined;
  readonly reads: Pick<ResidentRanges, "touches">;
}

/** What a service of queries has done so far; `thread` is the label of its metrics. */
export function queryThreadMetrics(
  service: Pick<QueryService, "stats" | "turnStats">,
  sources: ReadSources,
  thread: string,
): EngineMetric[] {
  const { queries, documentsScanned, postingsTouched, vectorsScored, clustersProbed } =
    service.stats;
  const { valuesCompared, stringsTested, textsAnalyzed, positionsRead } = service.stats;
  const { entriesTouched, blocksSkipped, codesScanned, candidatesReranked } = service.stats;
  const { candidatesSkipped, divided, helped, cancelled, timedOut } = service.stats;
  const { workedMs, waitedMs, phases } = service.stats;
  const { slices, longestSliceMs } = service.turnStats;
  const labels = { thread };
  const counter = (name: string, help: string, value: number): EngineMetric => {
    return { name, help, kind: "counter", value, labels };
  };
  return [
    counter("trawl_queries_total", "query requests run", queries),
    counter("trawl_documents_scanned_total", "documents looked at", documentsScanned),
    counter("trawl_values_compared_total", "values that filters compared", valuesCompared),
    counter("trawl_strings_tested_total", "strings that patterns were tried on", stringsTested),
    counter("trawl_texts_analyzed_total", "texts that phrase filters analyzed", textsAnalyzed),
    counter("trawl_positions_read_total", "positions that phrase filters read", positionsRead),
    counter("trawl_entries_touched_total", "sorted values that filters took", entriesTouched),
    counter("trawl_postings_touched_total", "postings read", postingsTouched),
    counter(
      "trawl_blocks_skipped_total",
      "blocks of postings that rankings passed over",
      blocksSkipped,
    ),
    counter("trawl_vectors_scored_total", "vectors compared", vectorsScored),
    counter("trawl_clusters_probed_total", "clusters that ANN looked into", clustersProbed),
    counter("trawl_codes_scanned_total", "distances that codes estimated or bounded", codesScanned),
    counter(
      "trawl_candidates_reranked_total",
      "vectors that were compared since their bounds allowed it",
      candidatesReranked,
    ),
    counter(
      "trawl_candidates_skipped_total",
      "documents that a ranking refused at once, so many better ones were known",
      candidatesSkipped,
    ),
    counter("trawl_queries_cancelled_total", "queries ended since nobody waited", cancelled),
    counter("trawl_queries_timed_out_total", "queries ended by --query-timeout", timedOut),
    counter("trawl_query_work_seconds_total", "time that queries worked", workedMs / 1000),
    counter(
      "trawl_query_wait_seconds_total",
      "time that queries waited, for slots, turns, bytes or embeddings",
      waitedMs / 1000,
    ),
    ...phaseMetrics(phases, thread),
    counter("trawl_query_slices_total", "slices of work of queries", slices),
    {
      ...counter("trawl_query_longest_slice_seconds", "the longest slice", longestSliceMs / 1000),
      kind: "gauge",
    },
    ...readMetrics(sources, counter),
    counter(
      "trawl_divided_plans_total",
      "plans, or requests of several, of which idle threads were offered parts",
      divided,
    ),
    counter("trawl_helped_parts_total", "parts run for queries of other threads", helped),
  ];
}

function readMetrics(
  { readAhead, reads }: ReadSources,
  counter: (name: string, help: string, value: number) => EngineMetric,
): EngineMetric[] {
  const { touched, resident } = reads.touches;
  return [
    counter("trawl_cache_looks_total", "looks of queries at ranges of stored segments", touched),
    counter("trawl_cache_hits_total", "those that found them in memory", resident),
    counter(
      "trawl_read_ahead_turns_total",
      "times that a part of a namespace was read ahead behind cold queries",
      readAhead?.stats.turns ?? 0,
    ),
    counter(
      "trawl_read_ahead_bytes_total",
      "bytes of segments asked for ahead of queries",
      readAhead?.stats.bytes ?? 0,
    ),
  ];
}

function phaseMetrics(phases: QueryPhases, thread: string): EngineMetric[] {
  return QUERY_PHASES.map((phase) => ({
    name: "trawl_query_phase_seconds_total",
    help: "time of queries by phase",
    kind: "counter",
    value: phases[phase] / 1000,
    labels: { thread, phase },
  }));
}
