/**
 * The tables that a query's products with codes are looked up in. Segments whose vectors are
 * rotated alike, around the same origin, share one: all of cosines are.
 */

import type { ArenaKernels } from "../../kernel/arena-kernels.ts";
import type { CodeView } from "../../segment/vectors/code-index.ts";
import { type CodeTable, codeTable } from "../../vector/one-bit-codes.ts";

interface KnownTable {
  readonly signs: Uint8Array;
  readonly origin: Float32Array;
  readonly table: CodeTable;
}

/** See the file's head. */
export class QueryTables {
  /** As it is compared with codes: of length 1 for cosines. */
  readonly query: Float32Array;
  readonly squaredLength: number;
  readonly #kernels: ArenaKernels;
  readonly #known: KnownTable[] = [];

  constructor(query: Float32Array, kernels: ArenaKernels) {
    this.query = query;
    let squared = 0;
    for (let d = 0; d < query.length; d++) squared += query[d] * query[d];
    this.squaredLength = squared;
    this.#kernels = kernels;
  }

  /** The table for the codes of a segment. */
  of({ rotation, rotatedDimensions, signs, origin }: CodeView): CodeTable {
    for (const known of this.#known) {
      if (isSame(known.origin, origin) && isSame(known.signs, signs)) return known.table;
    }
    const moved = new Float32Array(this.query.length);
    for (let d = 0; d < moved.length; d++) moved[d] = this.query[d] - origin[d];
    const rotated = new Float32Array(rotatedDimensions);
    this.#kernels.rotate(rotation, moved, rotated);
    const table = codeTable(rotated);
    // Views of a segment are valid as long as its bytes are.
    this.#known.push({ signs: signs.slice(), origin: origin.slice(), table });
    return table;
  }
}

function isSame(a: Uint8Array | Float32Array, b: Uint8Array | Float32Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
