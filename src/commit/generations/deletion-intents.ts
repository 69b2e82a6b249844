/**
 * The deletion intents `deleting/…` that this process puts (namespace-generations.ts): which
 * generations are targets of copies, and of which it is open whether they were filled or deleted.
 * While its intent is there, a collector leaves a generation alone; so an intent must go when that
 * is settled, and must stay while what a copy has put is neither committed nor removed.
 */

import type { NamespaceName } from "../../base/ids.ts";
import {
  announceDeletion,
  isAnnounced,
  isDeleted,
  withdrawDeletion,
} from "../../namespace/generations/namespace-generations.ts";
import { deletingKey, type NamespaceGeneration } from "../../storage/object-keys.ts";
import type { ObjectKey, ObjectStore } from "../../storage/object-store.ts";

/** What became of a copy that was to fill a generation. */
export type CopyTargetOutcome =
  /** The generation exists: a collector removes what is not part of it. */
  | "exists"
  /** All that was put is removed. */
  | "taken back"
  /**
   * The outcome is unknown, or what was put could not be removed: the next opening or start settles
   * it.
   */
  | "open";

/** The deletion intents of one process. */
export class DeletionIntents {
  readonly #store: ObjectStore;
  /** Number of copies that put segments under a name. */
  readonly #copyCounts = new Map<NamespaceName, number>();
  readonly #open = new Set<ObjectKey>();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /**
   * Announces the deletion of a generation that a copy is about to fill, so that a stop in between
   * leaves nothing.
   */
  async beginCopy(generation: NamespaceGeneration): Promise<void> {
    this.#copyCounts.set(generation.name, (this.#copyCounts.get(generation.name) ?? 0) + 1);
    await announceDeletion(this.#store, generation);
  }

  /**
   * Tells whether a generation that is being filled has lost its intent. A server that starts takes
   * away those of generations that exist; a grace period later a collector may remove what was put.
   */
  async isUncovered(generation: NamespaceGeneration): Promise<boolean> {
    if (await isAnnounced(this.#store, generation)) return false;
    return !(await isDeleted(this.#store, generation)); // Then it will be refused.
  }

  /**
   * Ends `beginCopy`. Throws where an intent cannot be taken away, unless what it is about was
   * committed: then that is so whatever becomes of the intent, which is taken away later.
   */
  async endCopy(generation: NamespaceGeneration, outcome: CopyTargetOutcome): Promise<void> {
    const left = (this.#copyCounts.get(generation.name) ?? 1) - 1;
    if (left > 0) this.#copyCounts.set(generation.name, left);
    else this.#copyCounts.delete(generation.name);
    if (outcome === "open") this.#open.add(deletingKey(generation));
    if (outcome === "exists") this.#open.delete(deletingKey(generation));
    if (left > 0 || this.#open.has(deletingKey(generation))) return;
    try {
      await withdrawDeletion(this.#store, generation);
    } catch (error) {
      if (outcome !== "exists") throw error;
      this.leaveOpen(generation);
    }
  }

  /** What a copy has put is neither committed nor removed, or may be, and none is under way. */
  isOpen(generation: NamespaceGeneration): boolean {
    return this.#open.has(deletingKey(generation)) && !this.#copyCounts.has(generation.name);
  }

  /** It is not known whether a deletion was committed. */
  leaveOpen(generation: NamespaceGeneration): void {
    this.#open.add(deletingKey(generation));
  }

  /** Takes away an intent that was left, now that the generation is seen to exist. */
  async settle(generation: NamespaceGeneration): Promise<void> {
    if (!this.isOpen(generation)) return;
    await withdrawDeletion(this.#store, generation);
    this.#open.delete(deletingKey(generation));
  }

  /** What was open of the generation is settled. */
  forget(generation: NamespaceGeneration): void {
    this.#open.delete(deletingKey(generation));
  }
}
