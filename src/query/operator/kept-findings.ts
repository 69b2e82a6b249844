import type { PartOutcome } from "./division.ts";

/**
 * What was found for each subquery of a request, kept while the request is run again for bytes that
 * were missing of what it returns.
 */
export class KeptFindings {
  readonly #outcomes = new Map<number, PartOutcome>();
  #bytes = 0;

  /** Memory that was taken for all of it. */
  get bytes(): number {
    return this.#bytes;
  }

  /** How many subqueries have been found. */
  get size(): number {
    return this.#outcomes.size;
  }

  /** Undefined if the subquery has not been found yet. */
  get(index: number): PartOutcome | undefined {
    return this.#outcomes.get(index);
  }

  /** Keeps what was found once, for which `bytes` of memory were taken. */
  set(index: number, outcome: PartOutcome, bytes: number): void {
    this.#outcomes.set(index, outcome);
    this.#bytes += bytes;
  }
}
