/** Bounds what the patterns of a request cost, before they are compiled. */

import { invalid } from "../../base/errors.ts";
import { PATTERN_SIZE_MAX } from "../../model/contract-limits.ts";
import { chargeTest, type StringTest } from "../filter/pattern/string-test.ts";
import type { QueryMemory } from "../operator/query-memory.ts";

/** Bytes that compiling takes for each character of a pattern, and for each instruction. */
const COMPILED_BYTES = 64;

/** A pattern that is about to be compiled. */
export interface SizedPattern {
  readonly attribute: string;
  /** Name of the operator. */
  readonly operator: string;
  /** Path in the request; undefined if unknown. */
  readonly path: string | undefined;
  /** Characters as it is written. */
  readonly length: number;
  /** Instructions of its program, and ranges of its classes of characters. */
  readonly size: number;
}

/** Counts the size and the memory of the patterns of one request. */
export class PatternBudget {
  readonly #memory: QueryMemory | undefined;
  #size = 0;

  /** Without memory, what patterns take of it is not counted. */
  constructor(memory?: QueryMemory) {
    this.#memory = memory;
  }

  /** Returns an unused budget with the same memory. */
  renewed(): PatternBudget {
    return new PatternBudget(this.#memory);
  }

  /** Size that is left. */
  get sizeLeft(): number {
    return PATTERN_SIZE_MAX - this.#size;
  }

  /**
   * Takes what a pattern needs while it is compiled, and returns what gives that back. Throws
   * `invalid` if the patterns of the request are too large, or if there is no memory for it.
   */
  take({ attribute, operator, path, length, size }: SizedPattern): () => void {
    const total = this.#size + size;
    if (total > PATTERN_SIZE_MAX) {
      const where = path ?? `filter error in key \`${attribute}\``;
      throw invalid(
        `💔 ${where}: with this ${operator} pattern (size ${size}), the request's patterns have a ` +
          `size of ${total}, at most ${PATTERN_SIZE_MAX} are allowed; lower its repeat counts, ` +
          "name fewer characters, or send several requests",
        { attribute, path },
      );
    }
    this.#size = total;
    const bytes = COMPILED_BYTES * (length + size);
    this.#memory?.take(bytes, "patterns");
    return () => this.#memory?.give(bytes);
  }

  /** Takes the memory of a compiled test and of all that running it remembers. */
  charge(test: StringTest): void {
    chargeTest(test, this.#memory);
  }
}
