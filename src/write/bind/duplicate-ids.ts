/** The search for ids that a request names twice, for tens of millions of them. */

import type { Steps } from "../../base/steps.ts";
import { idAt } from "../../codec/columns-value.ts";
import type { ColumnData } from "../../model/columns.ts";
import type { DocumentId } from "../../model/value.ts";
import { type IdKeys, idKeys } from "../../segment/ids/id-section.ts";

/** A list of ids of the type that all lists of one search have. */
export interface IdList {
  readonly count: number;
  readonly ids: ColumnData;
}

/** Ids that one step looks up in a table, and compares with others, that no cache may have. */
const STEP_IDS = 1024;
/** Halves of ids that one step compares with those before them. */
const STEP_HALVES = 1 << 19;

/**
 * The first `cap` ids that come more than once in `lists`, each once, in the order in which they
 * repeat. Ascending integers, as imports mostly have them, are told in one pass; all else takes a
 * hash table of 8 to 16 bytes for each id, which is gone afterwards.
 */
export function* duplicateIds(lists: readonly IdList[], cap: number): Steps<DocumentId[]> {
  const filled = lists.filter(({ count }) => count > 0);
  if (filled.length === 0 || (filled.length === 1 && (yield* isAscending(filled[0])))) return [];
  const table = new KeyTable(filled);
  const duplicates = new Set<DocumentId>();
  for (let list = 0; list < filled.length; list++) {
    const { ids, count } = filled[list];
    for (let i = 0; i < count && duplicates.size < cap; i++) {
      if (i > 0 && i % STEP_IDS === 0) yield;
      if (!table.add(list, i)) duplicates.add(idAt(ids, i));
    }
  }
  return [...duplicates];
}

function* isAscending({ ids, count }: IdList): Steps<boolean> {
  if (count < 2) return true;
  if (ids.kind !== "u64") return false;
  // Halves are compared, as reading whole elements would make bigints of them.
  const { buffer, byteOffset } = ids.values;
  const halves = new Uint32Array(buffer, byteOffset, 2 * count);
  for (let i = 2; i < halves.length; i += 2) {
    if (i > 0 && i % STEP_HALVES === 0) yield;
    const high = halves[i + 1];
    const highBefore = halves[i - 1];
    if (high < highBefore || (high === highBefore && halves[i] <= halves[i - 2])) return false;
  }
  return true;
}

/** Open addressing, at most half full. A slot holds 1 + the position in all lists, or 0. */
class KeyTable {
  readonly #keys: readonly IdKeys[];
  /** Position of the first id of each list. */
  readonly #starts: readonly number[];
  readonly #slots: Uint32Array;

  constructor(lists: readonly IdList[]) {
    let total = 0;
    this.#starts = lists.map(({ count }) => {
      total += count;
      return total - count;
    });
    this.#keys = lists.map(({ ids, count }) => idKeys(ids, count));
    this.#slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * total)));
  }

  /** Returns false where the key was added before. */
  add(list: number, index: number): boolean {
    const keys = this.#keys[list];
    const slots = this.#slots;
    const mask = slots.length - 1;
    let slot = keys.hash(index) & mask;
    for (; slots[slot] !== 0; slot = (slot + 1) & mask) {
      if (this.#isAt(slots[slot] - 1, keys, index)) return false;
    }
    slots[slot] = this.#starts[list] + index + 1;
    return true;
  }

  #isAt(position: number, keys: IdKeys, index: number): boolean {
    let list = this.#starts.length - 1;
    while (this.#starts[list] > position) list--;
    return this.#keys[list].equals(position - this.#starts[list], keys, index);
  }
}
