/** The write thread's stats for `/metrics`. */

import type { EngineMetric } from "../../api/engine.ts";
import type { NamespaceCatalog } from "../../commit/namespace-catalog.ts";
import type { RaceStats } from "../../commit/races/log-races.ts";
import type { Arenas } from "../../kernel/arena.ts";
import type { StoreAccess } from "../../storage/access/store-access.ts";
import { diskCacheMetrics } from "../disk-cache-metrics.ts";
import { objectStoreMetrics } from "../object-store-metrics.ts";
import type { LongestTurns } from "./longest-turns.ts";

/** Where the stats come from. */
export interface MetricSources {
  readonly access: StoreAccess;
  readonly catalog: NamespaceCatalog;
  readonly arenas: Arenas;
  readonly turns: Pick<LongestTurns, "maxMs">;
}

/** Collects the stats. */
export function writeThreadMetrics(sources: MetricSources): EngineMetric[] {
  const { access, catalog, arenas, turns } = sources;
  return [
    gauge(
      "trawl_write_thread_longest_turn_seconds",
      "longest time of the last minute for which one request kept all other writes waiting",
      turns.maxMs() / 1000,
    ),
    ...objectStoreMetrics(access.counts(), "write"),
    ...diskCacheMetrics(access.disk, "write"),
    counter(
      "trawl_followed_entries_total",
      "log entries of other servers that were applied to open namespaces",
      catalog.stats.followedEntries,
    ),
    ...raceMetrics(catalog.stats.races),
    ...Object.entries(catalog.stats.retired).map(([reason, value]): EngineMetric => {
      const help = "namespaces that were closed, to be opened again when they are needed";
      const labels = { reason };
      return { name: "trawl_closed_namespaces_total", help, kind: "counter", value, labels };
    }),
    gauge("trawl_open_namespaces", "namespaces held open", catalog.openCount),
    gauge("trawl_segment_memory_bytes", "memory that segments take", arenas.usedBytes),
    gauge("trawl_segment_memory_free_bytes", "memory that segments may take", arenas.freeBytes),
  ];
}

/** Metrics of conflicts among servers that write to the same namespaces. */
function raceMetrics(races: RaceStats): EngineMetric[] {
  return [
    counter(
      "trawl_lost_races_total",
      "times that an entry of another server came first, and writes were resolved again",
      races.lost,
    ),
    counter(
      "trawl_race_waits_total",
      "writes that waited for their turn, because entries of other servers came first",
      races.waited,
    ),
    counter("trawl_race_wait_seconds_total", "time of these waits", races.waitMs / 1000),
    counter(
      "trawl_race_refusals_total",
      "writes that were refused (429) after they had waited for their turn too long",
      races.refused,
    ),
    counter(
      "trawl_race_yields_total",
      "times that this server held its writes back for a server that had waited",
      races.yielded,
    ),
    counter("trawl_race_yield_seconds_total", "time of these", races.yieldMs / 1000),
  ];
}

function counter(name: string, help: string, value: number): EngineMetric {
  return { name, help, kind: "counter", value };
}

function gauge(name: string, help: string, value: number): EngineMetric {
  return { name, help, kind: "gauge", value };
}
