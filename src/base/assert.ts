/** Assertions are for bugs of this program. User input and stored bytes never reach them. */

/** Throws if `condition` is false: the program itself is wrong. */
export function assert(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}

/** Returns `value`, which the caller knows to be present. */
export function must<T>(value: T | undefined | null, message: string): T {
  if (value === undefined || value === null) throw new Error(`assertion failed: ${message}`);
  return value;
}

/** Marks a branch that the types exclude. */
export function unreachable(value: never): never {
  throw new Error(`assertion failed: unreachable value ${String(value)}`);
}
