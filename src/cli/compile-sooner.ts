/**
 * Has V8 compile the server's code sooner. By itself, it compiles a function fully once that was
 * called 3,000 times in a thread, and most of a query's functions are called once for each query:
 * with two query threads, only after some 8,000 queries is all of it fast. Each thread compiles for
 * itself.
 */

import { setFlagsFromString } from "node:v8";

/** V8's flags, which other versions of it may not know; then they have no effect. */
export const COMPILER_FLAGS: readonly string[] = [
  // Calls until a function is compiled without much effort, 400 otherwise; and fully.
  "--invocation-count-for-maglev=100",
  "--invocation-count-for-turbofan=400",
  // Calls for which V8 waits, 500 otherwise, after a function has met a new kind of value.
  "--minimum-invocations-after-ic-update=100",
  // Calls of a kernel, 1,000 otherwise, until the way there is compiled.
  "--wasm-wrapper-tiering-budget=10",
];

/** For all threads of this process, those that are there and those to come. */
export function compileSooner(): void {
  for (const flag of COMPILER_FLAGS) setFlagsFromString(flag);
}
