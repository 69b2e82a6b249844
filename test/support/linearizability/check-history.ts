/**
 * Decides whether a history is linearizable: whether each operation can take effect at one moment
 * between its call and its return, so that the sequential model has the same outputs.
 *
 * The algorithm is by Wing and Gong (Testing and verifying concurrent objects, 1993) with the cache
 * of Lowe (Testing for linearizability, 2017), as in Porcupine: a depth-first search over a list of
 * calls and returns, from which linearized operations are lifted. A configuration is the set of
 * linearized operations with the state that they lead to; each is entered once.
 *
 * Operations of unknown outcome are kept in a list of their own and are tried last, since most of
 * them need not be linearized. Of two configurations with the same state and the same returned
 * operations, one that has used a subset of the other's unknown operations can do all that the
 * other can. So the other is not entered: n unknown writes to a register cost n configurations in
 * place of 2ⁿ.
 */

import type { Model, Operation } from "./operation.ts";

/** Configurations that a check enters at most: about 1 KB each for 1,000 operations. */
export const CONFIGURATIONS_MAX = 500_000;

/** Result of a check. */
export type Verdict<Input, Output> =
  /** The operations that take effect, in an order that explains all outputs. */
  | { readonly kind: "linearizable"; readonly order: readonly Operation<Input, Output>[] }
  | { readonly kind: "illegal" }
  /** The limit of configurations was reached. */
  | { readonly kind: "unknown"; readonly configurations: number };

/** Checks one object's history, whose operations may come in any order. */
export function checkHistory<State, Input, Output>(
  model: Model<State, Input, Output>,
  operations: readonly Operation<Input, Output>[],
  configurationsMax = CONFIGURATIONS_MAX,
): Verdict<Input, Output> {
  const { returned, open } = linkedEntries(operations);
  const visited = new Configurations();
  const frames: Frame<State>[] = [];
  const step = (from: State, { operation }: Entry) => {
    const { input, returned: outcome } = operations[operation];
    const { ok, state } = model.step(from, input, outcome?.output);
    return ok ? { state, text: model.textOf(state) } : undefined;
  };
  let { initial: state } = model;
  let entry = returned.next;
  /** Position of the first return, once the calls before it were tried. */
  let barrier = Number.POSITIVE_INFINITY;
  visited.enter(model.textOf(state));
  while (returned.next !== undefined) {
    if (entry?.kind === "return") {
      barrier = entry.position;
      entry = open.next;
    }
    if (entry === undefined || entry.position > barrier) {
      const frame = frames.pop();
      if (frame === undefined) return { kind: "illegal" };
      ({ state, barrier } = frame);
      visited.exclude(frame.entry);
      unlift(frame.entry);
      entry = frame.entry.next;
      continue;
    }
    const next = step(state, entry);
    const last = frames.at(-1);
    // The first of two unknown operations in turn can be left out if the second leads to the same
    // state without it. The search enters that configuration sooner or later.
    const isNeedless =
      last !== undefined &&
      last.entry.match === undefined &&
      entry.match === undefined &&
      step(last.state, entry)?.text === next?.text;
    visited.include(entry);
    if (next !== undefined && !isNeedless && visited.enter(next.text)) {
      if (visited.count > configurationsMax) {
        return { kind: "unknown", configurations: configurationsMax };
      }
      frames.push({ entry, state, barrier });
      lift(entry);
      state = next.state;
      entry = returned.next;
      barrier = Number.POSITIVE_INFINITY;
    } else {
      visited.exclude(entry);
      entry = entry.next;
    }
  }
  return {
    kind: "linearizable",
    order: frames.map(({ entry: { operation } }) => operations[operation]),
  };
}

/** A linearized operation, and the search's place before it. */
interface Frame<State> {
  readonly entry: Entry;
  readonly state: State;
  readonly barrier: number;
}

/** A call or a return in its list. */
interface Entry {
  readonly kind: "head" | "call" | "return";
  /** Index of the operation. */
  readonly operation: number;
  /** Number among the returned or among the unknown operations, in the order of calls. */
  readonly number: number;
  /** Place among all calls and returns. */
  readonly position: number;
  /** Return of a call; absent for operations of unknown outcome. */
  match?: Entry;
  previous?: Entry;
  next?: Entry | undefined;
}

/** Two lists: calls and returns of operations that returned, and calls of the others. */
function linkedEntries(operations: readonly Operation<unknown, unknown>[]) {
  const events = operations
    .flatMap(({ calledAt, returned }, operation) => [
      { kind: "call" as const, at: calledAt, operation },
      ...(returned === undefined ? [] : [{ kind: "return" as const, at: returned.at, operation }]),
    ])
    // Operations that touch in one moment overlap: calls come first.
    .sort((a, b) => a.at - b.at || Number(a.kind === "return") - Number(b.kind === "return"));
  const head = { kind: "head" as const, operation: -1, number: -1, position: -1 };
  const lists = { returned: { ...head } as Entry, open: { ...head } as Entry };
  const ends = { ...lists };
  const counts = { returned: 0, open: 0 };
  const calls = new Map<number, Entry>();
  for (const [position, { kind, operation }] of events.entries()) {
    const list = operations[operation].returned === undefined ? "open" : "returned";
    const call = calls.get(operation);
    const number = call === undefined ? counts[list]++ : call.number;
    const entry: Entry = { kind, operation, number, position, previous: ends[list] };
    if (call === undefined) calls.set(operation, entry);
    else call.match = entry;
    ends[list].next = entry;
    ends[list] = entry;
  }
  return lists;
}

/** Takes a call and its return out of their list. */
function lift(call: Entry): void {
  unlink(call);
  if (call.match !== undefined) unlink(call.match);
}

/** Undoes the last `lift`. */
function unlift(call: Entry): void {
  if (call.match !== undefined) link(call.match);
  link(call);
}

function unlink(entry: Entry): void {
  if (entry.previous !== undefined) entry.previous.next = entry.next;
  if (entry.next !== undefined) entry.next.previous = entry.previous as Entry;
}

function link(entry: Entry): void {
  if (entry.previous !== undefined) entry.previous.next = entry;
  if (entry.next !== undefined) entry.next.previous = entry;
}

/** Bits of a character. */
const WORD_BITS = 16;
const WORD_FULL = 2 ** WORD_BITS - 1;

/** The set of linearized operations, and all configurations that were entered. */
class Configurations {
  count = 0;
  /** Returned operations, as words of `WORD_BITS`. */
  readonly #returned: number[] = [];
  /** Unknown operations, as a bit mask. */
  #open = 0n;
  /** Smallest masks of unknown operations, by returned operations and state. */
  readonly #entered = new Map<string, readonly bigint[]>();

  include({ match, number }: Entry): void {
    if (match === undefined) this.#open |= 1n << BigInt(number);
    else this.#word(number, (word, bit) => word | bit);
  }

  exclude({ match, number }: Entry): void {
    if (match === undefined) this.#open &= ~(1n << BigInt(number));
    else this.#word(number, (word, bit) => word & ~bit);
  }

  /** Returns false if this or a better configuration was entered before. */
  enter(state: string): boolean {
    const key = `${this.#setText()} ${state}`;
    const masks = this.#entered.get(key) ?? [];
    if (masks.some((mask) => (mask & this.#open) === mask)) return false;
    const others = masks.filter((mask) => (mask & this.#open) !== this.#open);
    this.#entered.set(key, [...others, this.#open]);
    this.count++;
    return true;
  }

  #word(number: number, change: (word: number, bit: number) => number): void {
    const at = Math.floor(number / WORD_BITS);
    this.#returned[at] = change(this.#returned[at] ?? 0, 1 << (number % WORD_BITS));
  }

  /** The returned operations as text: full words at the start are only counted. */
  #setText(): string {
    let full = 0;
    while (this.#returned[full] === WORD_FULL) full++;
    let end = this.#returned.length;
    while (end > full && this.#returned[end - 1] === 0) end--;
    return `${full}:${String.fromCharCode(...this.#returned.slice(full, end))}`;
  }
}
