/** Histories of concurrent operations, and sequential specifications to hold them against. */

/** A call of a client with its outcome. Times are of one counter or clock of the caller. */
export interface Operation<Input, Output> {
  /** Names the caller in messages. */
  readonly caller: string;
  readonly input: Input;
  readonly calledAt: number;
  /**
   * If absent, the outcome is unknown: the operation takes effect at some time after `calledAt`, or
   * never.
   */
  readonly returned?: { readonly at: number; readonly output: Output };
}

/** A sequential specification of an object. */
export interface Model<State, Input, Output> {
  readonly initial: State;
  /**
   * Applies an input. `ok` is false if the object cannot return `output` in this state. Without an
   * output every outcome is possible.
   */
  step(
    state: State,
    input: Input,
    output: Output | undefined,
  ): { readonly ok: boolean; readonly state: State };
  /** Returns the same text for equal states, and different texts for others. */
  textOf(state: State): string;
}
