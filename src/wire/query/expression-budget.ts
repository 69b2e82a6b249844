import { invalid } from "../../base/errors.ts";
import { EMBED_CLAUSES_MAX } from "../../model/contract-limits.ts";

/** Nesting of filter and rank expressions; our choice, bounds recursion. */
export const EXPRESSION_DEPTH_MAX = 32;
/** Nodes of all filter and rank expressions of a request; our choice. */
export const EXPRESSION_NODES_MAX = 65_536;

/** Entries of all sparse vectors of one request; our choice: 256 of the largest. */
const SPARSE_ENTRIES_ALL_MAX = 262_144;

/**
 * Counts what one request's expressions use of their bounds. A parser enters each node before its
 * children and leaves it after them; after an error the budget is of no more use.
 */
export class ExpressionBudget {
  #depth = 0;
  #nodes = 0;
  #embeds = 0;
  #entries = 0;

  /** Begins a node of a filter or rank expression. */
  enter(path: string): void {
    this.#nodes++;
    this.#depth++;
    if (this.#depth > EXPRESSION_DEPTH_MAX) {
      throw invalid(`💔 ${path}: expressions may be nested at most ${EXPRESSION_DEPTH_MAX} deep`);
    }
    if (this.#nodes > EXPRESSION_NODES_MAX) {
      throw invalid(`💔 ${path}: a request may have at most ${EXPRESSION_NODES_MAX} expressions`);
    }
  }

  /** Ends the node that was entered last. */
  leave(): void {
    this.#depth--;
  }

  /** Counts the entries of a sparse vector. */
  addEntries(path: string, count: number): void {
    this.#entries += count;
    if (this.#entries <= SPARSE_ENTRIES_ALL_MAX) return;
    throw invalid(
      `💔 ${path}: the sparse vectors of a request may have at most ${SPARSE_ENTRIES_ALL_MAX} ` +
        "entries in all",
    );
  }

  /** Counts an `Embed` clause. */
  addEmbed(path: string): void {
    this.#embeds++;
    if (this.#embeds > EMBED_CLAUSES_MAX) {
      throw invalid(`💔 ${path}: a request may have at most ${EMBED_CLAUSES_MAX} Embed clauses`);
    }
  }
}
