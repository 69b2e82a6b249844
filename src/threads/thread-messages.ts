/**
 * What the threads say to each other. Messages between two threads arrive in the order in which
 * they were sent; the protocol leans on that: a write's `publish` comes before its `answer`, and a
 * query carries the deltas that its thread has not seen yet.
 */

import type { EngineAnswer, EngineMetric, OperationName } from "../api/engine.ts";
import type { NamespaceName } from "../base/ids.ts";
import type {
  NamespaceInstance,
  NamespaceState,
  PublishedDelta,
} from "../namespace/published-state.ts";

/** A shared memory that holds segments; its index is its position among all arenas. */
export interface ArenaMessage {
  readonly kind: "arena";
  readonly index: number;
  readonly memory: WebAssembly.Memory;
}

/** A log line for the main thread to print. */
export interface LogMessage {
  readonly kind: "log";
  readonly level: "info" | "warn" | "error";
  readonly message: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

/**
 * Operations that the write thread answers; `open` publishes a namespace and answers 200, `verify`
 * asks the store whether the instance of its parameter has seen all that is committed, and answers
 * 200 or 409. `refresh` brings a namespace up to date with its newest manifest.
 */
export type WriteThreadOperation = OperationName | "open" | "verify" | "refresh";

/** Main thread → write thread. */
export type ToWriteThread =
  | {
      readonly kind: "call";
      readonly call: number;
      readonly operation: WriteThreadOperation;
      readonly namespace: NamespaceName | undefined;
      readonly parameters: Readonly<Record<string, string>>;
      readonly apiVersion: "v1" | "v2";
      /** Chunks of a body follow, then `end` or `abort`. */
      readonly hasBody: boolean;
    }
  | { readonly kind: "chunk"; readonly call: number; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly kind: "end"; readonly call: number }
  /** The client is gone: a request that is not yet complete is dropped. */
  | { readonly kind: "abort"; readonly call: number }
  /** No thread reads these segments any more: their memory may be used again. */
  | { readonly kind: "release"; readonly instance: NamespaceInstance; readonly version: number }
  /** Queries have asked for these namespaces since the last message of this kind. */
  | { readonly kind: "used"; readonly namespaces: readonly NamespaceName[] }
  /** Finish running calls, make everything durable, and exit. */
  | { readonly kind: "close" };

/** Write thread → main thread. */
export type FromWriteThread =
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly code: string; readonly message: string }
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
  | { readonly kind: "long"; readonly call: number }
  | { readonly kind: "progress"; readonly call: number; readonly text: string }
  | { readonly kind: "answer"; readonly call: number; readonly answer: EngineAnswer }
  | {
      readonly kind: "publish";
      readonly namespace: NamespaceName;
      /** They become visible at once. */
      readonly deltas: readonly PublishedDelta[];
      readonly state: NamespaceState;
    }
  | { readonly kind: "metrics"; readonly metrics: readonly EngineMetric[] }
  | { readonly kind: "closed" };

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
      readonly body: Uint8Array<ArrayBuffer>;
      /** How long the query waited for its slot. */
      readonly waitedMs: number;
      /** Others may write to the store: say `strong` if the query must see what they have written. */
      readonly isShared: boolean;
      readonly update: NamespaceUpdate | undefined;
    }
  /** Brings a namespace up to date without a query, so that dropped segments are let go. */
  | { readonly kind: "update"; readonly update: NamespaceUpdate }
  /** The slots that a query asked for by `weight` are its own. */
  | { readonly kind: "admitted"; readonly call: number }
  /** They were not to be had in time. */
  | {
      readonly kind: "refused";
      readonly call: number;
      readonly message: string;
      readonly retryAfterMs: number;
    };

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
  /** The answer to come must not be given before the store was asked for newer entries. */
  | { readonly kind: "strong"; readonly call: number }
  | { readonly kind: "answer"; readonly call: number; readonly answer: EngineAnswer }
  /** The query's instance is retired: it was deleted, or closed after a fault. */
  | { readonly kind: "closed"; readonly call: number; readonly body: Uint8Array<ArrayBuffer> }
  /**
   * A stored segment is not there: it is lost, or the thread knows less than the store. `answer` is
   * what to say if it is lost.
   */
  | {
      readonly kind: "missing";
      readonly call: number;
      readonly body: Uint8Array<ArrayBuffer>;
      readonly answer: EngineAnswer;
    }
  /** The thread has let go of all segments dropped up to `version`. */
  | { readonly kind: "applied"; readonly instance: NamespaceInstance; readonly version: number }
  | { readonly kind: "metrics"; readonly metrics: readonly EngineMetric[] };
