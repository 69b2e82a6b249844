/**
 * What the threads say to each other. Messages between two threads arrive in the order in which
 * they were sent; the protocol leans on that: a write's `publish` comes before its `answer`, and a
 * query carries the deltas that its thread has not seen yet.
 */

import type { MessagePort } from "node:worker_threads";
import type { EngineMetric, HttpAnswer } from "../api/engine.ts";
import type { CallMessage } from "../api/write-call.ts";
import type { ErrorCode, SentError } from "../base/errors.ts";
import type { NamespaceName, SegmentId } from "../base/ids.ts";
import type { Touches } from "../cache/resident-ranges.ts";
import type { ArenaMessage } from "../kernel/arena.ts";
import type { NamespaceEffect } from "../model/namespace-effect.ts";
import type { NamespacePatterns } from "../model/namespace-pattern.ts";
import type { RecallRequest } from "../model/recall.ts";
import type {
  NamespaceInstance,
  NamespaceState,
  PublishedDelta,
  VerifiedState,
} from "../namespace/published-state.ts";
import type { FindingsData, PlanPart } from "../query/operator/division.ts";
import type { Plan } from "../query/operator/plan.ts";
import type { QueryStats } from "../query/operator/work-stats.ts";

/** How often idle namespaces are closed, and the write thread hears which ones are queried. */
export const IDLE_SWEEP_MS = 10_000;
/** How often threads report their stats to the main thread; our choice. */
export const METRICS_INTERVAL_MS = 1_000;

/** A log line for the main thread to print. */
export interface LogMessage {
  readonly kind: "log";
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/** What the engine asks the write thread for itself, to answer a query. */
export type EngineQuestion =
  /**
   * `open` publishes a namespace with all that was committed before; `refresh` takes over its
   * newest manifest as well. Both fail with `not_found`, which suggests `visible` names only.
   */
  | {
      readonly kind: "open" | "refresh";
      readonly namespace: NamespaceName;
      readonly visible: NamespacePatterns;
    }
  /**
   * Brings an instance up to all that was committed `stalenessMsMax` milliseconds ago. The reply
   * has its state; without a state, the instance is closed.
   */
  | {
      readonly kind: "verify";
      readonly namespace: NamespaceName;
      readonly instance: NamespaceInstance;
      readonly stalenessMsMax: number;
    };

/** Main thread → write thread. */
export type ToWriteThread =
  /** Chunks of a body follow if it has one, then `end` or `abort`. */
  | CallMessage
  /** Answered by `reply` or `failure`. */
  | { readonly kind: "ask"; readonly call: number; readonly question: EngineQuestion }
  | { readonly kind: "chunk"; readonly call: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "end"; readonly call: number }
  /** The client is gone: a request that is not yet complete is dropped. */
  | { readonly kind: "abort"; readonly call: number }
  /** No thread reads these segments any more: their memory may be used again. */
  | { readonly kind: "release"; readonly instance: NamespaceInstance; readonly version: number }
  /** Queries have asked for these namespaces since the last message of this kind. */
  | { readonly kind: "used"; readonly namespaces: readonly NamespaceName[] }
  /** An indexer has saved a manifest. */
  | { readonly kind: "manifest"; readonly namespace: NamespaceName }
  /** Finish running calls, make everything durable, and exit. */
  | { readonly kind: "close" };

/** Write thread → main thread. */
export type FromWriteThread =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly error: SentError }
  | ArenaMessage
  | LogMessage
  /** Body bytes that were parsed: the sender may go on. The piece goes back to be filled again. */
  | {
      readonly kind: "consumed";
      readonly call: number;
      readonly bytes: number;
      readonly piece: Uint8Array<ArrayBuffer>;
    }
  /** The call may take long: answer asynchronously if the client wants that. */
  | {
      readonly kind: "long";
      readonly call: number;
      /** What it is about to do. */
      readonly effects: readonly NamespaceEffect[];
    }
  | { readonly kind: "progress"; readonly call: number; readonly text: string }
  | { readonly kind: "answer"; readonly call: number; readonly answer: HttpAnswer }
  | { readonly kind: "reply"; readonly call: number; readonly state: VerifiedState | undefined }
  | { readonly kind: "failure"; readonly call: number; readonly error: SentError }
  /** The call has ended without an answer, as it was told to. */
  | { readonly kind: "aborted"; readonly call: number }
  | {
      readonly kind: "publish";
      readonly namespace: NamespaceName;
      /** They become visible at once. */
      readonly deltas: readonly PublishedDelta[];
      readonly state: NamespaceState;
    }
  /** Indexers have something to do. */
  | { readonly kind: "hinted" }
  | { readonly kind: "metrics"; readonly metrics: readonly EngineMetric[] }
  | { readonly kind: "closed" };

/** An ANN ranking of a query, whose recall is to be measured. */
export interface RecallSample {
  readonly namespace: NamespaceName;
  readonly instance: NamespaceInstance;
  readonly request: RecallRequest;
}

/** What became of a sample. */
export type RecallOutcome =
  | { readonly kind: "measured"; readonly recall: number }
  /** What it is about is gone: the namespace, or its attribute. */
  | { readonly kind: "skipped" }
  | { readonly kind: "failed" };

/** Operations that query threads answer. */
export type QueryOperation = "query" | "explain" | "recall" | "export_documents";

/** Main thread → query thread. */
export type ToQueryThread =
  | ArenaMessage
  | {
      readonly kind: "query";
      readonly call: number;
      readonly operation: QueryOperation;
      readonly namespace: NamespaceName;
      readonly instance: NamespaceInstance;
      readonly parameters: Readonly<Record<string, string>>;
      /** See `RequestScope`. */
      readonly forcedFilter: string | undefined;
      /** Id of the key that it came with; empty without one. */
      readonly key: string;
      /** Unknown members of the body are refused. */
      readonly isStrict: boolean;
      /** Its answer is fetched later: `--query-timeout` does not end it. */
      readonly isJob: boolean;
      readonly body: Uint8Array<ArrayBuffer>;
      /** Since the first byte of the request. */
      readonly waitedMs: number;
      /** When the message was sent, in milliseconds since the epoch. */
      readonly sentAtMs: number;
      /** From how many milliseconds on its answer has details. Absent: never. */
      readonly detailsMs?: number | undefined;
      /** It is traced; see `EngineRequest`. */
      readonly tracedAtMs?: number | undefined;
      /** Others may write to the store: say `fresh` if the query must see what they have written. */
      readonly isShared: boolean;
      readonly update: NamespaceUpdate | undefined;
    }
  /** Brings a namespace up to date without a query, so that dropped segments are let go. */
  | { readonly kind: "update"; readonly update: NamespaceUpdate }
  /** Take parts of another thread's query, and send what was found to the port. */
  | {
      readonly kind: "help";
      readonly offer: PartsOffer;
      readonly port: MessagePort;
      /** Brings the namespace to the version of the offer. */
      readonly update: NamespaceUpdate | undefined;
    }
  /** Measure a sample while there is nothing else to do, and answer with `measured`. */
  | {
      readonly kind: "measure";
      readonly call: number;
      readonly sample: RecallSample;
      readonly update: NamespaceUpdate | undefined;
    }
  /** Nobody waits for the query, or the measurement, any more: it ends with this error. */
  | {
      readonly kind: "cancel";
      readonly call: number;
      readonly code: ErrorCode;
      readonly message: string;
    }
  /** The slots that a query asked for by `weight` are its own. */
  | { readonly kind: "admitted"; readonly call: number }
  /** They were not to be had in time. */
  | {
      readonly kind: "refused";
      readonly call: number;
      readonly message: string;
      readonly retryAfterMs: number;
    };

/** Parts of a running query's plan, for threads that idle. */
export interface PartsOffer {
  readonly instance: NamespaceInstance;
  /** Of what the query sees of the namespace. */
  readonly version: number;
  readonly plan: Plan;
  /** By the indexes that the parts name them by. */
  readonly segments: readonly SegmentId[];
  readonly parts: readonly PlanPart[];
  /** Of a `PartBoard`. */
  readonly board: SharedArrayBuffer;
}

/** What a helping thread sends to the query's own thread, of one part. */
export interface PartMessage {
  /** Its index. */
  readonly part: number;
  readonly data: FindingsData;
  readonly work: QueryStats;
  readonly touches: Touches;
}

/** What a query thread has not seen yet of a namespace. */
export interface NamespaceUpdate {
  /** Applied in order. A whole state (`full`) replaces what was there. */
  readonly deltas: readonly PublishedDelta[];
  readonly state: NamespaceState;
  readonly version: number;
}

/** Query thread → main thread. */
export type FromQueryThread =
  | LogMessage
  /** The query weighs more than the one slot it runs with; it waits for `admitted` or `refused`. */
  | { readonly kind: "weight"; readonly call: number; readonly weight: number }
  /** Threads that idle may help, as many as there are ports. */
  | { readonly kind: "offer"; readonly offer: PartsOffer; readonly ports: readonly MessagePort[] }
  /**
   * The answer to come must not be given before it is known that what the query sees has all that
   * was committed so long ago; 0: before the query arrived.
   */
  | { readonly kind: "fresh"; readonly call: number; readonly stalenessMsMax: number }
  | { readonly kind: "answer"; readonly call: number; readonly answer: HttpAnswer }
  /** The query's instance is retired: it was deleted, or closed after a fault. */
  | { readonly kind: "closed"; readonly call: number; readonly body: Uint8Array<ArrayBuffer> }
  /** The query takes longer than the thread has time for: another one is to run it. */
  | { readonly kind: "handed_over"; readonly call: number; readonly body: Uint8Array<ArrayBuffer> }
  /**
   * A stored segment is not there: it is lost, or the thread knows less than the store. `answer` is
   * what to say if it is lost.
   */
  | {
      readonly kind: "missing";
      readonly call: number;
      readonly body: Uint8Array<ArrayBuffer>;
      readonly answer: HttpAnswer;
    }
  /** A query has run whose ranking was drawn. */
  | { readonly kind: "sampled"; readonly sample: RecallSample }
  | { readonly kind: "measured"; readonly call: number; readonly outcome: RecallOutcome }
  /** The thread has let go of all segments dropped up to `version`. */
  | { readonly kind: "applied"; readonly instance: NamespaceInstance; readonly version: number }
  | { readonly kind: "metrics"; readonly metrics: readonly EngineMetric[] };
