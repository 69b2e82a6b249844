/** The search for ids that a request names twice, for tens of millions of them. */

import type { Steps } from "../../base/steps.ts";
import { ScalarMap } from "../../base/tables/scalar-map.ts";
import { firstOrdinals, gatherData } from "../../codec/columns-gather.ts";
import { idAt } from "../../codec/columns-value.ts";
import type { ColumnData } from "../../model/columns.ts";
import type { DocumentId } from "../../model/value.ts";
import { sortIds } from "../../segment/ids/sort-ids.ts";
import { type IdKeys, idKeys } from "../../segment/view/id-keys.ts";

/** A list of ids of the type that all lists of one search have. */
export interface IdList {
  readonly count: number;
  readonly ids: ColumnData;
}

/** Ids that one step looks up in a table, and compares with others, that no cache may have. */
const STEP_IDS = 1024;
/**
 * Slots that are probed for an id. If more are taken, a client has chosen ids of one slot: the
 * chance that others are so is below 10^-12 for 20 million ids.
 */
const PROBES_MAX = 256;
/** Halves of ids that one step compares with those before them. */
const STEP_HALVES = 1 << 19;

/**
 * The first `cap` ids that come more than once in `lists`, each once, in the order in which they
 * repeat. Ascending integers, as imports mostly have them, are told in one pass; all else takes a
 * hash table of 8 to 16 bytes for each id, which is gone afterwards. Ids that collide in it are
 * sorted instead.
 */
export function* duplicateIds(lists: readonly IdList[], cap: number): Steps<DocumentId[]> {
  const filled = lists.filter(({ count }) => count > 0);
  if (filled.length === 0 || (filled.length === 1 && (yield* isAscending(filled[0])))) return [];
  const table = new KeyTable(filled);
  const duplicates = new ScalarMap<DocumentId, true>();
  for (let list = 0; list < filled.length; list++) {
    const { ids, count } = filled[list];
    for (let i = 0; i < count && duplicates.size < cap; i++) {
      if (i > 0 && i % STEP_IDS === 0) yield;
      const outcome = table.add(list, i);
      if (outcome === "crowded") return yield* sortedDuplicates(filled, cap);
      if (outcome === "known") duplicates.set(idAt(ids, i), true);
    }
  }
  return [...duplicates.keys];
}

/** The same, in O(n log n) for any ids. */
function* sortedDuplicates(lists: readonly IdList[], cap: number): Steps<DocumentId[]> {
  const parts = lists.map(({ ids, count }) => ({ data: ids, ordinals: firstOrdinals(count) }));
  const ids = yield* gatherData(lists[0].ids, parts);
  const count = lists.reduce((sum, list) => sum + list.count, 0);
  const keys = idKeys(ids, count);
  const order = yield* sortIds(ids, count);
  const isSame = (a: number, b: number): boolean => keys.equals(order[a], keys, order[b]);
  /** Positions at which an id repeats; positions of one id are in ascending order. */
  const repeated: number[] = [];
  for (let i = 1; i < count; i++) {
    if (i % STEP_IDS === 0) yield;
    if (isSame(i - 1, i) && !(i > 1 && isSame(i - 2, i))) repeated.push(order[i]);
  }
  const first = Uint32Array.from(repeated).sort().subarray(0, cap);
  return Array.from(first, (position) => idAt(ids, position));
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

  /** "known" where the key was added before; "crowded" where there is no place for it. */
  add(list: number, index: number): "added" | "known" | "crowded" {
    const keys = this.#keys[list];
    const slots = this.#slots;
    const mask = slots.length - 1;
    const home = keys.hash(index);
    for (let probe = 0; probe < PROBES_MAX; probe++) {
      const slot = (home + probe) & mask;
      if (slots[slot] === 0) {
        slots[slot] = this.#starts[list] + index + 1;
        return "added";
      }
      if (this.#isAt(slots[slot] - 1, keys, index)) return "known";
    }
    return "crowded";
  }

  #isAt(position: number, keys: IdKeys, index: number): boolean {
    let list = this.#starts.length - 1;
    while (this.#starts[list] > position) list--;
    return this.#keys[list].equals(position - this.#starts[list], keys, index);
  }
}
