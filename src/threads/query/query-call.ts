/** A query on the main thread, from its slot to its outcome. */

import type { HttpAnswer } from "../../api/engine.ts";
import { assert } from "../../base/assert.ts";
import type { NamespaceName } from "../../base/ids.ts";
import type { NamespaceState, VerifiedState } from "../../namespace/published-state.ts";
import type { QueryOperation } from "../thread-messages.ts";
import type { HeldSlots } from "./query-admission.ts";
import type { QueryDeadlines } from "./query-deadlines.ts";

/** A query as it is handed to a thread. */
export interface DispatchedQuery {
  readonly operation: QueryOperation;
  readonly namespace: NamespaceName;
  readonly parameters: Readonly<Record<string, string>>;
  /** See `RequestScope`. */
  readonly forcedFilter?: string | undefined;
  /** Id of the key that it came with; absent: none. */
  readonly key?: string | undefined;
  /** Unknown members of the body are refused. */
  readonly isStrict: boolean;
  /** Moves to the query thread. */
  readonly body: Uint8Array<ArrayBuffer>;
  /**
   * Since it arrived what is published of the namespace was brought up to all that it must see: the
   * store need not be asked again.
   */
  readonly mayTrust?: boolean;
  /** A segment was missing since it arrived, and the namespace was brought up to date. */
  readonly wasRefreshed?: boolean;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal;
  /** Its answer is fetched later: `--query-timeout` does not end it. */
  readonly isJob?: boolean;
  /** When its first byte came, by the monotonic clock. Absent: now. */
  readonly arrivedMs?: number;
  /** From how many milliseconds on its answer has details. Absent: never. */
  readonly detailsMs?: number | undefined;
  /** It is traced; see `EngineRequest`. */
  readonly tracedAtMs?: number | undefined;
}

/** A query whose time of arrival is known. */
export type ArrivedQuery = DispatchedQuery & { readonly arrivedMs: number };

/** What became of a query. */
export type DispatchOutcome =
  | { readonly kind: "answered"; readonly answer: HttpAnswer }
  /** The namespace was deleted or closed before it ran; open it and dispatch `query` once more. */
  | { readonly kind: "closed"; readonly query: DispatchedQuery }
  /** It ran on an older state than it must see; dispatch `query` once more. */
  | { readonly kind: "outdated"; readonly query: DispatchedQuery }
  /**
   * A stored segment is missing: bring the namespace up to date and dispatch `query` once more. If
   * it is missing then, too, `answer` says so.
   */
  | { readonly kind: "missing"; readonly query: DispatchedQuery; readonly answer: HttpAnswer };

/** The result of asking the store about an instance. */
export type Verification =
  | { readonly kind: "verified"; readonly state: VerifiedState }
  /** The instance is closed. */
  | { readonly kind: "closed" }
  /** The store could not be read; `answer` has the reason. */
  | { readonly kind: "failed"; readonly answer: HttpAnswer };

/**
 * Where a query is:
 *
 * ```
 * queued ── begin ──▶ running ── answer ──▶ verifying ──▶ ended
 *   │ ▲                │ │                                  ▲
 *   │ └── handOver ────┘ └── answer, close, miss ───────────┤
 *   └── close ─────────────────────────────────────────────┘
 * ```
 *
 * It is `queued` until a thread has it, and `verifying` while its answer waits for the object
 * store: whether other servers have written what the query must see.
 */
export type QueryCallState = "queued" | "running" | "verifying" | "ended";

/** A run of a query on one thread. */
export interface QueryRun {
  /** Names it in messages. */
  readonly call: number;
  /** The thread's number. */
  readonly thread: number;
  /** What it counts for in the load of the thread. */
  readonly load: number;
  /** When it was sent there, by the monotonic clock. */
  readonly sentMs: number;
  /** State of the namespace that the query sees. */
  readonly seen: NamespaceState;
  /** The query may have to run again, by the word of the store. */
  readonly isShared: boolean;
}

const STORE_WORD = "the object store to tell whether other servers have written";

/** See the file's head. Methods that do not fit its state fail an assertion. */
export class QueryCall {
  readonly slots: HeldSlots;
  /** Bytes of its body, also while a thread has it. */
  readonly bodyBytes: number;
  readonly #deadlines: Pick<QueryDeadlines, "during">;
  readonly #outcome = Promise.withResolvers<DispatchOutcome>();
  #query: ArrivedQuery;
  #state: QueryCallState = "queued";
  #run: QueryRun | undefined;
  /** The body, where the thread has the original and the query may have to run again. */
  #keptBody: Uint8Array<ArrayBuffer> | undefined;
  #verification: Promise<Verification> | undefined;
  #isCancelled = false;

  /** `slots` is what the query holds; the creator of the call releases it. */
  constructor(query: ArrivedQuery, slots: HeldSlots, deadlines: Pick<QueryDeadlines, "during">) {
    this.#query = query;
    this.slots = slots;
    this.bodyBytes = query.body.length;
    this.#deadlines = deadlines;
  }

  /** Resolves at the end. */
  get outcome(): Promise<DispatchOutcome> {
    return this.#outcome.promise;
  }

  get state(): QueryCallState {
    return this.#state;
  }

  get query(): ArrivedQuery {
    return this.#query;
  }

  /** The last run; undefined before the first. */
  get run(): QueryRun | undefined {
    return this.#run;
  }

  /** Its thread was told to end it. */
  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  /** A thread gets it, with its body. */
  begin(run: QueryRun): void {
    this.#move("queued", "running");
    this.#run = run;
    this.#keptBody = run.isShared ? this.#query.body.slice() : undefined;
  }

  /** Its answer waits for the word of the store; undefined: what it sees is known to be new. */
  verify(verification: Promise<Verification> | undefined): void {
    this.#verification = verification;
  }

  /** Tells whether its thread is to be told to end it: that is so while it runs. */
  cancel(): boolean {
    if (this.#state !== "running") return false;
    this.#isCancelled = true;
    return true;
  }

  /** Its thread has answered it. */
  answer(answer: HttpAnswer): void {
    const [verification, body] = [this.#verification, this.#keptBody];
    if (verification === undefined || body === undefined || this.#run === undefined) {
      this.#end("running", { kind: "answered", answer });
      return;
    }
    this.#move("running", "verifying");
    const { seen } = this.#run;
    const again = { ...this.#query, body, mayTrust: true };
    this.#deadlines.during(this.#query, verification, STORE_WORD).then(
      (word) => this.#end("verifying", outcomeOf(word, { answer, seen, again })),
      (error: unknown) => {
        this.#move("verifying", "ended");
        this.#outcome.reject(error);
      },
    );
  }

  /** The namespace is not open, before it runs. */
  close(): void {
    this.#end("queued", { kind: "closed", query: this.#query });
  }

  /** Its thread has met a closed namespace, and returns the body. */
  closedWith(body: Uint8Array<ArrayBuffer>): void {
    this.#end("running", { kind: "closed", query: { ...this.#query, body, mayTrust: true } });
  }

  /** Its thread has missed a segment, returns the body, and would answer so. */
  miss(body: Uint8Array<ArrayBuffer>, answer: HttpAnswer): void {
    const query = { ...this.#query, body, wasRefreshed: true };
    if (this.#query.wasRefreshed) this.answer(answer);
    else this.#end("running", { kind: "missing", query, answer });
  }

  /** Its thread has no time for it, and returns the body; another one is to begin it. */
  handOver(body: Uint8Array<ArrayBuffer>): void {
    this.#move("running", "queued");
    this.#query = { ...this.#query, body };
    this.#verification = undefined;
  }

  #end(from: QueryCallState, outcome: DispatchOutcome): void {
    this.#move(from, "ended");
    this.#outcome.resolve(outcome);
  }

  #move(from: QueryCallState, to: QueryCallState): void {
    assert(this.#state === from, `a query is ${this.#state}, and ${from} before it is ${to}`);
    this.#state = to;
  }
}

/** Decides about a query that ran on the state `seen`, by the word of the store. */
function outcomeOf(
  word: Verification,
  ran: {
    readonly answer: HttpAnswer;
    readonly seen: Pick<NamespaceState, "sequence">;
    readonly again: DispatchedQuery;
  },
): DispatchOutcome {
  switch (word.kind) {
    case "closed":
      return { kind: "closed", query: ran.again };
    case "failed":
      return { kind: "answered", answer: word.answer };
    case "verified": {
      const isOutdated = ran.seen.sequence < word.state.sequence;
      if (isOutdated) return { kind: "outdated", query: ran.again };
      return { kind: "answered", answer: ran.answer };
    }
  }
}
