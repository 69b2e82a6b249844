/**
 * The database as the HTTP layer sees it: one call per request, bytes in and bytes out. Everything
 * behind it (parsing, search, commit) happens in other threads; see docs/adr.
 */

import type { NamespaceName } from "../base/ids.ts";
import type { NamespaceEffect } from "../model/namespace-effect.ts";
import type { RequestScope } from "../model/request-scope.ts";
import type { QueryPhases, QueryReads, QueryWork } from "../model/request-stats.ts";
import type { TimedSpan } from "../trace/span-recorder.ts";

/** How long a stopping server waits for requests under way before it cuts their connections. */
export const DRAIN_MS_MAX = 30_000;

/** What a request asks for; each maps to one row of the API's route table. */
export type OperationName =
  | "write"
  | "start_copy"
  | "query"
  | "explain"
  | "delete_namespace"
  | "list_namespaces"
  | "get_metadata"
  | "update_metadata"
  | "get_schema"
  | "update_schema"
  | "warm_cache_hint"
  | "recall"
  | "poll_operation"
  | "purge_cache"
  | "warm_cache"
  | "export_documents"
  | "describe_namespace"
  | "import"
  | "begin_backup"
  | "read_backup"
  | "end_backup"
  | "begin_restore"
  | "look_restore"
  | "put_restore"
  | "finish_restore"
  | "end_restore"
  | "create_checkpoint"
  | "list_checkpoints"
  | "delete_checkpoint"
  | "restore_checkpoint";

/** One request, after routing, authentication and decompression. */
export interface EngineRequest {
  readonly operation: OperationName;
  /** Present for all but `list_namespaces`, backups and restores. */
  readonly namespace?: NamespaceName;
  /** Query-string and remaining path parameters: `cursor`, `prefix`, `page_size`, `token`. */
  readonly parameters: Readonly<Record<string, string>>;
  /**
   * Decompressed body in chunks; consumed as fast as the engine can take it. Large ones that are
   * all of their buffers are given away with these.
   */
  readonly body?: AsyncIterable<Uint8Array>;
  /** Version prefix of the path, for answers whose shape depends on it. */
  readonly apiVersion: "v1" | "v2";
  /** The segment before the version, if the path has one: what the client calls this server. */
  readonly region?: string | undefined;
  /** The client sent `Prefer: respond-async`. */
  readonly respondAsync: boolean;
  /** Unknown fields are refused and not ignored. */
  readonly isStrict: boolean;
  /** Id of the key that it came with; absent: none. Queries of different keys take turns. */
  readonly key?: string;
  /** What it may see beside its namespace; absent: everything. */
  readonly scope?: RequestScope | undefined;
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal;
  /** When its first byte came, by the thread's monotonic clock. Absent: now. */
  readonly arrivedMs?: number;
  /** From how many milliseconds on a query's answer has details. Absent: never. */
  readonly detailsMs?: number;
  /** The request is traced, and arrived then, in milliseconds since the epoch. */
  readonly tracedAtMs?: number | undefined;
}

/** A finished answer. Errors are answers too, already in the documented shape. */
export interface HttpAnswer {
  readonly status: number;
  /** Lower-case names; `content-type` is always present. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** What follows `body` in large answers. */
  readonly more?: readonly Uint8Array<ArrayBuffer>[];
  /** Of queries, for the log. */
  readonly times?: AnswerTimes;
  /** Of writes, for the audit; absent: none. */
  readonly effects?: readonly NamespaceEffect[];
  /** Of copies that were refused, for the audit: what they would have done. */
  readonly refused?: RefusedEffects;
  /**
   * The reason of a failure, which only operators may read: for the log. If absent, the body has
   * it.
   */
  readonly reason?: string;
  /** What was done for it, if it was traced. */
  readonly spans?: readonly TimedSpan[];
}

/** What was asked for and not done. */
export interface RefusedEffects {
  readonly effects: readonly NamespaceEffect[];
  /** Of the refusal, also where its client is gone or has no room for it. */
  readonly status: number;
}

/** Where the time of a query went, in milliseconds from the first byte of its request. */
export interface AnswerTimes {
  readonly workedMs: number;
  /** For its slot, its turn, bytes, embeddings. */
  readonly waitedMs: number;
  /** What was asked for, in one word; undefined where that was not read. */
  readonly kind?: string | undefined;
  /** Where they were asked for. */
  readonly details?: QueryDetails | undefined;
  /** Of traced queries: work of the thread that answers, by the kind of operator that did it. */
  readonly operatorsUs?: Readonly<Record<string, number>>;
}

/** Why a query took its time. Nothing that users have stored or asked for is in it. */
export interface QueryDetails {
  readonly phases: QueryPhases;
  /** What it looks like, with the kinds of literals in their places; absent if it was not read. */
  readonly shape?: string;
  /** Nodes of its plan; absent if it was not planned. */
  readonly plan?: string;
  /** Live documents and segments of what it saw. */
  readonly documents?: number;
  readonly segments?: number | undefined;
  /** What is not zero, all subqueries together; what other threads did counts when it was done. */
  readonly work: Partial<QueryWork>;
  /** Absent where all was in memory, or it has not run to its end. */
  readonly reads?: QueryReads;
}

/** The pieces of an answer, in order. */
export function answerPieces({ body, more = [] }: HttpAnswer): readonly Uint8Array[] {
  return [body, ...more];
}

/** Bytes of an answer's body, all pieces together. */
export function answerBytes(answer: HttpAnswer): number {
  return answerPieces(answer).reduce((bytes, piece) => bytes + piece.byteLength, 0);
}

/** An answer whose body is JSON: in UTF-8, or an object to write as such. */
export function jsonAnswer(status: number, json: Uint8Array | object): HttpAnswer {
  const body = json instanceof Uint8Array ? json : new TextEncoder().encode(JSON.stringify(json));
  return { status, headers: { "content-type": "application/json" }, body };
}

/** State for `/readyz` and the banner. */
export interface EngineStatus {
  readonly ready: boolean;
  /** Why not, when not. */
  readonly reason?: string;
}

/** The running database. */
export interface Engine {
  /** Answers one request. Never rejects for operating errors; a rejection is a bug. */
  handle(request: EngineRequest): Promise<HttpAnswer>;
  /** Ends the queries that run, and refuses new ones: the server is about to stop. */
  stopQueries(): void;
  status(): EngineStatus;
  /** A namespace may have a newer manifest: takes it over soon, if the namespace is open. */
  followManifest(namespace: NamespaceName): void;
  /** A request has ended; `bytes` are those of its decompressed body and its response. */
  noteBytes(bytes: number): void;
  /** Counters and gauges by Prometheus name, with help text, for `/metrics`. */
  metrics(): readonly EngineMetric[];
  /** Lets running requests finish, makes everything durable, and stops the threads. */
  close(): Promise<void>;
}

/** One number for `/metrics`. */
export interface EngineMetric {
  readonly name: string;
  readonly help: string;
  readonly kind: "counter" | "gauge";
  readonly value: number;
  readonly labels?: Readonly<Record<string, string>>;
}
