/** Lines of an explained plan about what it has cost when it was run. */

import type { QueryReads, QueryWork } from "../../model/request-stats.ts";

/** One line about a query, with all that is not zero. */
export function explainWork(work: QueryWork): string {
  const counts: readonly [count: number, words: string][] = [
    [work.documentsScanned, "documents scanned"],
    [work.valuesCompared, "values compared"],
    [work.stringsTested, "strings tested by patterns"],
    [work.textsAnalyzed, "texts analyzed for phrases"],
    [work.positionsRead, "positions read for phrases"],
    [work.entriesTouched, "entries of sorted values touched"],
    [work.postingsTouched, "postings touched"],
    [work.blocksSkipped, "blocks of postings skipped"],
    [work.clustersProbed, "clusters probed"],
    [work.codesScanned, "codes scanned"],
    [work.candidatesReranked, "candidates reranked"],
    [work.vectorsScored, "vectors scored"],
    [work.candidatesSkipped, "candidates skipped"],
    [work.bytesReturned, "bytes returned"],
  ];
  const shown = counts.filter(([count]) => count > 0).map(([count, words]) => `${count} ${words}`);
  return `Work: ${shown.join(", ") || "none"}`;
}

/** One line about a request. */
export function explainReads({ rounds, loadedBytes, storeBytes }: QueryReads): string {
  if (rounds === 0) return "Reads: none, all was in memory";
  return `Reads: ${rounds} rounds, ${loadedBytes} bytes loaded, ${storeBytes} bytes of the store`;
}
