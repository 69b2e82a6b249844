/** Work in steps, between which a thread may do something else. */

/**
 * Work that pauses: it yields where whoever runs it may do other work before the next step, and
 * returns its result. Steps are short (a millisecond or less, as far as that can be said) so that
 * nobody waits long. What a step looks at must stay as it is until the work ends, and what others
 * use in between, such as scratch memory, must not be needed across a pause. Ended early by
 * `return()`, its `finally` blocks run.
 *
 * Generator functions are declared at the top of a module, or as methods: V8 makes a hidden class
 * for each closure that is one, which only the collector of old objects takes away.
 */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs all steps without a pause. */
export function runSteps<T>(steps: Steps<T>): T {
  let next = steps.next();
  while (next.done !== true) next = steps.next();
  return next.value;
}

/** `items.map(change)`, with a pause after each `perStep` items. */
export function* mapInSteps<T, U>(
  items: readonly T[],
  perStep: number,
  change: (item: T, index: number) => U,
): Steps<U[]> {
  const changed: U[] = [];
  for (let i = 0; i < items.length; i++) {
    changed.push(change(items[i], i));
    if (i % perStep === perStep - 1) yield;
  }
  return changed;
}

/** Work without a pause in it. */
// biome-ignore lint/correctness/useYield: one step is all there is
export function* oneStep<T>(work: () => T): Steps<T> {
  return work();
}
