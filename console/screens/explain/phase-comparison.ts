/** The phases of a query that was run, and of the same one run again, beside each other. */

import type { QueryAnalysis } from "./plan-tree.ts";

/** One phase. */
export interface ComparedPhase {
  readonly name: string;
  /** Its time, in words. */
  readonly first: string;
  readonly again: string;
  /** Of the longest phase of the first run, from 0 to 1. */
  readonly share: number;
}

const PHASE_WORDS: Readonly<Record<string, string>> = {
  queue: "queue: until a query thread had it",
  parse: "parse: its JSON was read",
  embed: "embed: a model was waited for",
  plan: "plan: the order of work was chosen",
  read: "read: bytes that were not in memory",
  search: "search: filters, scores, documents",
  rerank: "rerank: a model was waited for",
  serialize: "serialize: the answer was written",
  wait: "wait: other queries had their turn",
};

/** Milliseconds from which on a phase is worth a line. */
const SHOWN_MS_MIN = 0.005;

/** The phases that took time in either run. */
export function comparedPhases(
  first: QueryAnalysis | undefined,
  again: QueryAnalysis | undefined,
): ComparedPhase[] {
  if (first === undefined) return [];
  const longest = Math.max(...Object.values(first.phases), SHOWN_MS_MIN);
  return Object.entries(first.phases)
    .filter(([name, ms]) => Math.max(ms, again?.phases[name] ?? 0) >= SHOWN_MS_MIN)
    .map(([name, ms]) => ({
      name: PHASE_WORDS[name.replace(/_ms$/, "")] ?? name,
      first: `${ms.toFixed(2)} ms`,
      again: again === undefined ? "" : `${(again.phases[name] ?? 0).toFixed(2)} ms`,
      share: ms / longest,
    }));
}

/** What the runs tell, in a sentence or two. */
export function comparisonText(
  first: QueryAnalysis | undefined,
  again: QueryAnalysis | undefined,
): string {
  if (first === undefined) return "";
  if (again === undefined) return `${runText(first)}.`;
  const start = `Cold: ${runText(first)}. Hot: ${runText(again)}.`;
  const { exhaustive_search_count: fresh, approx_namespace_size: all } = first.performance;
  if (first.reads.rounds > 0 || fresh < all) return start;
  return (
    `${start} All ${all.toLocaleString("en-US")} documents are in the log, which is always in ` +
    "memory: there was nothing to read, so what differs is chance and warmed-up code."
  );
}

function runText({ performance, reads }: QueryAnalysis): string {
  const many = reads.loaded_bytes.toLocaleString("en-US");
  const rounds = `${reads.rounds} ${reads.rounds === 1 ? "round" : "rounds"}`;
  const read =
    reads.rounds === 0
      ? "all was in memory"
      : `${many} bytes were read in ${rounds}, one after the other`;
  const { query_execution_ms: ran, server_total_ms: whole } = performance;
  return `${ran} ms to run, ${whole} ms in the server; ${read}`;
}
