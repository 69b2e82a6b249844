import type { Clock } from "../../../src/base/clock.ts";
import type { Operation } from "./operation.ts";

/** Effect of a call, as far as its caller knows. */
export type Outcome<Output> =
  | { readonly kind: "returned"; readonly output: Output }
  /** The call may take effect, now or later. */
  | { readonly kind: "unknown" }
  /** The call has had no effect, and will have none. */
  | { readonly kind: "none" };

/** A call that is to be recorded. */
export interface RecordedCall<Input> {
  readonly caller: string;
  readonly input: Input;
  /** Greatest age, at the call, of the state that its output shows. */
  readonly staleMs: number;
}

/** Records the operations of concurrent callers in one process, whose order of events is known. */
export class History<Input, Output> {
  readonly operations: Operation<Input, Output>[] = [];
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** When each event was. */
  readonly #times: number[] = [];

  constructor(clock: Pick<Clock, "monotonicMs">) {
    this.#clock = clock;
  }

  /**
   * Runs a call and records it, unless it had no effect. One whose output may be of an older state
   * is recorded as if it had been called when that state was there at the earliest.
   */
  async record(
    { caller, input, staleMs }: RecordedCall<Input>,
    run: () => Promise<Outcome<Output>>,
  ): Promise<Outcome<Output>> {
    const now = this.#event();
    const oldestMs = this.#times[now] - staleMs;
    const calledAt = this.#times.findIndex((ms) => ms >= oldestMs);
    const call = { caller, input, calledAt };
    const outcome = await run();
    const at = this.#event();
    if (outcome.kind === "returned") {
      this.operations.push({ ...call, returned: { at, output: outcome.output } });
    } else if (outcome.kind === "unknown") {
      this.operations.push(call);
    }
    return outcome;
  }

  #event(): number {
    return this.#times.push(this.#clock.monotonicMs()) - 1;
  }
}
