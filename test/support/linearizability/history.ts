import type { Operation } from "./operation.ts";

/** Effect of a call, as far as its caller knows. */
export type Outcome<Output> =
  | { readonly kind: "returned"; readonly output: Output }
  /** The call may take effect, now or later. */
  | { readonly kind: "unknown" }
  /** The call has had no effect, and will have none. */
  | { readonly kind: "none" };

/** Records the operations of concurrent callers in one process, whose order of events is known. */
export class History<Input, Output> {
  readonly operations: Operation<Input, Output>[] = [];
  #events = 0;

  /** Runs a call and records it, unless it had no effect. */
  async record(
    call: { readonly caller: string; readonly input: Input },
    run: () => Promise<Outcome<Output>>,
  ): Promise<Outcome<Output>> {
    const calledAt = this.#events++;
    const outcome = await run();
    const at = this.#events++;
    if (outcome.kind === "returned") {
      this.operations.push({ ...call, calledAt, returned: { at, output: outcome.output } });
    } else if (outcome.kind === "unknown") {
      this.operations.push({ ...call, calledAt });
    }
    return outcome;
  }
}
