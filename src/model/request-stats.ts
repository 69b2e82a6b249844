/** What a request did and cost, as its answer reports it. */

import type { DocumentId } from "./value.ts";

/** Logical bytes that a query is billed. */
export interface QueryBilling {
  readonly bytesQueried: number;
  readonly bytesReturned: number;
}

/** What a query looked at to find its answer. */
export interface QueryWork {
  /** Live documents that some part of the query looked at. */
  readonly documentsScanned: number;
  /** Values that filters compared one by one, those of deleted documents among them. */
  readonly valuesCompared: number;
  /** Strings that patterns were tried on: a distinct value of a segment counts once. */
  readonly stringsTested: number;
  /** Documents whose stored text phrase filters analyzed, since they have all the terms. */
  readonly textsAnalyzed: number;
  /** Positions of terms that phrase filters read, of documents that have all the terms. */
  readonly positionsRead: number;
  /** Sorted values that filters took as they lie; a bitmap of them counts as its words. */
  readonly entriesTouched: number;
  readonly postingsTouched: number;
  /** Blocks of posting lists none of whose postings could matter. */
  readonly blocksSkipped: number;
  readonly vectorsScored: number;
  /** Clusters that ANN searches looked into; none where they looked at all vectors. */
  readonly clustersProbed: number;
  /** Rows whose distances were estimated or bounded by their codes. */
  readonly codesScanned: number;
  /** Those of them that were compared exactly then; part of `vectorsScored`. */
  readonly candidatesReranked: number;
  /** Documents that rankings refused at once, since so many better ones were known. */
  readonly candidatesSkipped: number;
  /**
   * Logical bytes: 8 for a uint id, 16 for a uuid, else the string's; 4 for `$dist`; attributes.
   */
  readonly bytesReturned: number;
}

/** What was read of stored segments for a request: nothing where all was in memory. */
export interface QueryReads {
  /** Loads, one after the other. */
  readonly rounds: number;
  /** Brought to the query's thread: from the memory of others, a local disk, or the store. */
  readonly loadedBytes: number;
  /** Of reads for which the store was asked; whole pages, so it may be more than was loaded. */
  readonly storeBytes: number;
}

/** What the time of a query goes to, in the order in which that comes. */
export const QUERY_PHASES = [
  "queue",
  "parse",
  "embed",
  "plan",
  "read",
  "search",
  "rerank",
  "serialize",
  "wait",
] as const;

/**
 * One of them. `queue` lasts until a thread has the query (the arrival of its body, its slot);
 * `embed` and `rerank` are waits for models, `read` for bytes of stored segments, and `wait` for
 * anything else: turns of other queries, further slots. The others are work; names and operands are
 * bound in `plan`.
 */
export type QueryPhase = (typeof QUERY_PHASES)[number];

/** Milliseconds of each phase; together they are the query's whole time. */
export type QueryPhases = Readonly<Record<QueryPhase, number>>;

/** No time in any phase; a new object. */
export function noPhases(): Record<QueryPhase, number> {
  // Written out: each query makes one.
  return {
    queue: 0,
    parse: 0,
    embed: 0,
    plan: 0,
    read: 0,
    search: 0,
    rerank: 0,
    serialize: 0,
    wait: 0,
  };
}

/** Adds the times of one query to those of others. */
export function addPhases(sum: Record<QueryPhase, number>, phases: QueryPhases): void {
  for (const phase of QUERY_PHASES) sum[phase] += phases[phase];
}

/** A step of a query, and how long it has worked at it. */
export interface QueryStep {
  /** As errors and plans name it; has words of the request. */
  readonly name: string;
  readonly ms: number;
}

/** Native embedding within one request. */
export interface EmbeddingStats {
  readonly tokens: number;
  readonly ms: number;
}

/** How a query went. Milliseconds may have fractions; answers round them up. */
export interface QueryPerformance {
  /** 0 to 1. */
  readonly cacheHitRatio: number;
  readonly cacheTemperature: "hot" | "warm" | "cold";
  /** Includes the wait for a slot. */
  readonly serverTotalMs: number;
  readonly executionMs: number;
  /** Documents searched without an index. */
  readonly exhaustiveCount: number;
  readonly namespaceDocumentCount: number;
  /** Milliseconds since the epoch; undefined before the first write of documents. */
  readonly lastIncludedWriteAtMs: number | undefined;
  readonly embedding: EmbeddingStats | undefined;
}

/** What a request that was explained has cost when it was run. */
export interface QueryAnalysis {
  /** One for each subquery. */
  readonly works: readonly QueryWork[];
  readonly reads: QueryReads;
  readonly performance: QueryPerformance;
  readonly phases: QueryPhases;
  /** Those that were worked at, the longest first. */
  readonly steps: readonly QueryStep[];
}

/** What a write did. */
export interface WriteCounts {
  /** Undefined: the request had no operation of the kind. */
  readonly upserted: number | undefined;
  readonly patched: number | undefined;
  readonly deleted: number | undefined;
  /** Documents that match a filter were left for a later request. */
  readonly remaining: boolean;
  /** In the order of the answer; undefined unless asked for. */
  readonly affected:
    | {
        readonly upserted: readonly DocumentId[];
        readonly patched: readonly DocumentId[];
        readonly deleted: readonly DocumentId[];
      }
    | undefined;
}
