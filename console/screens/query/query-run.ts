/** Running a query: one at a time, until the next begins, one stops it, or the screen goes. */

import { type ReadonlySignal, signal } from "@preact/signals";
import { type ApiClient, apiPath } from "../../api/api-client.ts";
import { type ApiFault, faultOf } from "../../api/api-fault.ts";
import type { Json } from "../../query/json-value.ts";

/** How the last run went. */
export type RunState =
  | { readonly kind: "none" }
  | { readonly kind: "running" }
  | {
      readonly kind: "done";
      readonly answer: Json;
      readonly text: string;
      readonly roundTripMs: number;
      /** What the server passed over in the request. */
      readonly warning: string | undefined;
    }
  /** `text` is the request that failed. */
  | { readonly kind: "failed"; readonly fault: ApiFault; readonly text: string }
  | { readonly kind: "stopped" };

/** What running needs. */
export interface QueryRunOptions {
  readonly client: () => ApiClient;
  readonly namespace: string;
  /** Milliseconds that only rise. */
  readonly nowMs: () => number;
}

/** See the file's head. */
export class QueryRun {
  readonly #options: QueryRunOptions;
  readonly #state = signal<RunState>({ kind: "none" });
  #ended: AbortController | undefined;

  constructor(options: QueryRunOptions) {
    this.#options = options;
  }

  /** What there is to show. */
  get state(): ReadonlySignal<RunState> {
    return this.#state;
  }

  /** Sends a request as it is written. Never rejects: what goes wrong is in the state. */
  async run(text: string): Promise<void> {
    this.#ended?.abort();
    const ended = new AbortController();
    this.#ended = ended;
    this.#state.value = { kind: "running" };
    const { client, namespace, nowMs } = this.#options;
    const startMs = nowMs();
    try {
      const answer = await client().send<Json>({
        method: "POST",
        path: apiPath("v2", "namespaces", namespace, "query"),
        body: text,
        signal: ended.signal,
      });
      if (ended.signal.aborted) return;
      const { value, text: answerText, headers } = answer;
      const warning = headers.get("trawl-warning") ?? undefined;
      const roundTripMs = nowMs() - startMs;
      this.#state.value = { kind: "done", answer: value, text: answerText, roundTripMs, warning };
    } catch (error) {
      const fault = faultOf(error);
      if (ended.signal.aborted || fault === undefined) return;
      this.#state.value = { kind: "failed", fault, text };
    }
  }

  /** Ends the run; the server ends the query when its client has left. */
  stop(): void {
    if (this.#state.peek().kind !== "running") return;
    this.#ended?.abort();
    this.#state.value = { kind: "stopped" };
  }
}
