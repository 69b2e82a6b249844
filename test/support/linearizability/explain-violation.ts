/** Makes the history of a violation short enough to be read. */

import { checkHistory } from "./check-history.ts";
import type { Model, Operation } from "./operation.ts";

/** Operations shown at most; those that were called last. */
const SHOWN_MAX = 20;
/** Configurations of each check of a shortened history. */
const CONFIGURATIONS_MAX = 50_000;

/** Describes an operation without its times, such as `upsert v7 → 1 affected`. */
export type OperationText<Input, Output> = (input: Input, output: Output | undefined) => string;

/**
 * Describes an illegal history by a small part of it. The part ends with the first return that no
 * order explains. Before that, operations are left out as long as the others remain legal, and the
 * last one remains illegal. If it is stale, which means that it were legal if it had been called
 * earlier, it remains so: the write of what it has returned is not left out.
 */
export function explainViolation<State, Input, Output>(
  model: Model<State, Input, Output>,
  operations: readonly Operation<Input, Output>[],
  textOf: OperationText<Input, Output>,
): string {
  type History = readonly Operation<Input, Output>[];
  const verdict = (history: History) => checkHistory(model, history, CONFIGURATIONS_MAX);
  const is = (kind: string, history: History) => verdict(history).kind === kind;
  const last = firstIllegalReturn(operations, (history) => is("illegal", history));
  const isStale = (history: History) => is("linearizable", calledFirst(history, last));
  const whole = beginning(operations, last).sort((a, b) => a.calledAt - b.calledAt);
  const wasStale = isStale(whole);
  const isNeedless = (others: History) =>
    is("illegal", others) &&
    is("linearizable", beginning(others, last - 1)) &&
    (!wasStale || isStale(others));
  let needed: History = whole;
  let count: number;
  // Later operations depend on earlier ones, which can be left out once the later ones are.
  do {
    count = needed.length;
    for (const operation of needed) {
      if (operation.returned?.at === last) continue;
      const others = needed.filter((other) => other !== operation);
      if (isNeedless(others)) needed = others;
    }
  } while (needed.length < count);
  const before = verdict(beginning(needed, last - 1));
  const order = before.kind === "linearizable" ? before.order : [];
  const state = order.reduce(
    (from, { input, returned }) => model.step(from, input, returned?.output).state,
    model.initial,
  );
  const shown = needed.slice(-SHOWN_MAX);
  const left = needed.length - shown.length;
  return [
    `no order of these operations explains the output of the marked one${
      wasStale ? ", which is of an earlier state" : ""
    }:`,
    ...(left > 0 ? [`  … ${left} operations before`] : []),
    ...shown.map(({ caller, input, calledAt, returned }) => {
      const mark = returned?.at === last ? "→" : " ";
      const times = `${calledAt} to ${returned?.at ?? "?"}`.padEnd(14);
      return `${mark} ${times} ${caller}: ${textOf(input, returned?.output)}`;
    }),
    `an order of the others leads to ${model.textOf(state)}`,
  ].join("\n");
}

/** Time of the return with which the history becomes illegal. */
function firstIllegalReturn<Input, Output>(
  operations: readonly Operation<Input, Output>[],
  isIllegal: (some: readonly Operation<Input, Output>[]) => boolean,
): number {
  const returns = operations
    .flatMap(({ returned }) => (returned === undefined ? [] : [returned.at]))
    .sort((a, b) => a - b);
  let low = 0;
  let high = returns.length - 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isIllegal(beginning(operations, returns[middle]))) high = middle;
    else low = middle + 1;
  }
  return returns[low];
}

/** The history as it was known at a time: what returned later is unknown. */
function beginning<Input, Output>(
  operations: readonly Operation<Input, Output>[],
  end: number,
): Operation<Input, Output>[] {
  return operations
    .filter(({ calledAt }) => calledAt <= end)
    .map((operation) => {
      const { returned, ...call } = operation;
      return returned === undefined || returned.at > end ? call : operation;
    });
}

/** The history with one operation, by its return, called before all others. */
function calledFirst<Input, Output>(
  operations: readonly Operation<Input, Output>[],
  last: number,
): Operation<Input, Output>[] {
  return operations.map((operation) =>
    operation.returned?.at === last
      ? { ...operation, calledAt: Number.NEGATIVE_INFINITY }
      : operation,
  );
}
