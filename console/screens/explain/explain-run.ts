/** Asking for a plan: without running the query, running it, or running it cold and then hot. */

import { type ReadonlySignal, signal } from "@preact/signals";
import { type ApiClient, apiPath } from "../../api/api-client.ts";
import { type ApiFault, faultOf } from "../../api/api-fault.ts";
import type { JsonMembers } from "../../query/json-value.ts";
import type { ExplainAnswer } from "./plan-tree.ts";

/** What was asked for. */
export type ExplainMode = "plan" | "measure" | "cold";

/** An explained query, and of `cold` the same asked again. */
export interface Explained {
  readonly mode: ExplainMode;
  readonly first: ExplainAnswer;
  readonly again: ExplainAnswer | undefined;
}

/** How the last request went; `doing` is read out. */
export type ExplainState =
  | { readonly kind: "none" }
  | { readonly kind: "running"; readonly doing: string }
  | { readonly kind: "done"; readonly explained: Explained }
  | { readonly kind: "failed"; readonly fault: ApiFault; readonly body: JsonMembers }
  | { readonly kind: "stopped" };

/** See the file's head. One request at a time. */
export class ExplainRun {
  readonly #client: () => ApiClient;
  readonly #namespace: string;
  readonly #state = signal<ExplainState>({ kind: "none" });
  #ended: AbortController | undefined;

  constructor(client: () => ApiClient, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** What there is to show. */
  get state(): ReadonlySignal<ExplainState> {
    return this.#state;
  }

  /** Never rejects: what goes wrong is in the state. */
  async run(body: JsonMembers, mode: ExplainMode): Promise<void> {
    this.#ended?.abort();
    const ended = new AbortController();
    this.#ended = ended;
    const { signal: aborted } = ended;
    try {
      if (mode === "cold") {
        this.#tell(ended, { kind: "running", doing: "Emptying the cache of this namespace" });
        const path = apiPath("v1", "namespaces", this.#namespace, "_debug", "purge_cache");
        await this.#client().send({ method: "GET", path, signal: aborted });
      }
      this.#tell(ended, { kind: "running", doing: mode === "cold" ? "Running cold" : "Asking" });
      const first = await this.#explain(body, mode, aborted);
      let again: ExplainAnswer | undefined;
      if (mode === "cold") {
        this.#tell(ended, { kind: "running", doing: "Running again" });
        again = await this.#explain(body, mode, aborted);
      }
      this.#tell(ended, { kind: "done", explained: { mode, first, again } });
    } catch (error) {
      const fault = faultOf(error);
      if (fault !== undefined) this.#tell(ended, { kind: "failed", fault, body });
    }
  }

  /** Ends what is under way. */
  stop(): void {
    if (this.#state.peek().kind !== "running") return;
    this.#ended?.abort();
    this.#state.value = { kind: "stopped" };
  }

  #tell(ended: AbortController, state: ExplainState): void {
    if (!ended.signal.aborted) this.#state.value = state;
  }

  #explain(body: JsonMembers, mode: ExplainMode, aborted: AbortSignal): Promise<ExplainAnswer> {
    return this.#client().json({
      method: "POST",
      path: apiPath("v2", "namespaces", this.#namespace, "explain_query"),
      json: mode === "plan" ? body : { ...body, analyze: true },
      signal: aborted,
    });
  }
}
