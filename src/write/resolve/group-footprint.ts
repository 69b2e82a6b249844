/**
 * Which documents the batches of one group commit touch. A batch that reads is resolved against the
 * state before the group, so it may only join if it reads nothing that an earlier one changed.
 */

import type { Steps } from "../../base/steps.ts";
import { ScalarSet } from "../../base/tables/scalar-map.ts";
import { idAt } from "../../codec/columns-value.ts";
import type { ColumnData } from "../../model/columns.ts";
import type { DocumentId } from "../../model/value.ts";
import type { BoundBatch } from "../bind/bind-batch.ts";
import type { ResolvedBatch } from "./resolve-batch.ts";

/** Ids that one step looks at. */
const STEP_IDS = 2048;

/** Collects a group. Plain upserts and deletes read nothing and always fit. */
export class GroupFootprint {
  readonly #lists: { readonly ids: ColumnData; readonly count: number }[] = [];
  /** Made when the first batch asks: most groups only write. */
  #keys: ScalarSet<DocumentId> | undefined;

  /** Adds a batch that joined. */
  *add(resolved: ResolvedBatch): Steps<void> {
    const { documents, deletes } = resolved;
    for (const list of [documents, deletes]) {
      if (!list || list.count === 0) continue;
      this.#lists.push(list);
      if (this.#keys) yield* addKeys(this.#keys, list);
    }
  }

  /** Tells whether a batch must wait for the next group. Conservative: may say yes without need. */
  *conflictsWith(batch: BoundBatch): Steps<boolean> {
    if (this.#lists.length === 0) return false;
    if (batch.deleteByFilter || batch.patchByFilter) return true;
    return (
      (yield* this.#touches(batch.upsertCondition ? batch.upserts : undefined)) ||
      (yield* this.#touches(batch.patches?.documents)) ||
      (yield* this.#touches(batch.deleteCondition ? batch.deletes : undefined))
    );
  }

  *#touches(
    list: { readonly ids: ColumnData; readonly count: number } | undefined,
  ): Steps<boolean> {
    if (!list || list.count === 0) return false;
    if (!this.#keys) {
      this.#keys = new ScalarSet();
      for (const earlier of this.#lists) yield* addKeys(this.#keys, earlier);
    }
    for (let i = 0; i < list.count; i++) {
      if (i > 0 && i % STEP_IDS === 0) yield;
      if (this.#keys.has(idAt(list.ids, i))) return true;
    }
    return false;
  }
}

function* addKeys(
  keys: ScalarSet<DocumentId>,
  list: { readonly ids: ColumnData; readonly count: number },
): Steps<void> {
  for (let i = 0; i < list.count; i++) {
    if (i > 0 && i % STEP_IDS === 0) yield;
    keys.add(idAt(list.ids, i));
  }
}
