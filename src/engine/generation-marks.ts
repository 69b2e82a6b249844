/**
 * The marks `deleting/…` that this process puts (namespace-generations.ts): which generations are
 * being filled by copies, and of which it is open whether they were filled or deleted. While its
 * mark is there, a collector leaves a generation alone; so a mark must go when that is settled, and
 * must stay while what a copy has put is neither committed nor removed.
 */

import type { NamespaceName } from "../base/ids.ts";
import {
  announceDeletion,
  isAnnounced,
  isDeleted,
  withdrawDeletion,
} from "../namespace/generations/namespace-generations.ts";
import { deletingKey, type NamespaceGeneration } from "../storage/object-keys.ts";
import type { ObjectKey, ObjectStore } from "../storage/object-store.ts";

/** What became of a copy that was to fill a generation. */
export type FillingOutcome =
  /** The generation exists: a collector removes what is not part of it. */
  | "exists"
  /** All that was put is removed. */
  | "taken back"
  /** Nobody knows, or it could not be removed: the next opening or start decides. */
  | "open";

/** The marks of one process. */
export class GenerationMarks {
  readonly #store: ObjectStore;
  /** Number of copies that put segments under a name. */
  readonly #filling = new Map<NamespaceName, number>();
  readonly #open = new Set<ObjectKey>();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Somebody puts segments into the namespace that are not committed yet. */
  isFilling(name: NamespaceName): boolean {
    return this.#filling.has(name);
  }

  /** Marks a generation that is about to be filled, so that a stop in between leaves nothing. */
  async beginFilling(at: NamespaceGeneration): Promise<void> {
    this.#filling.set(at.name, (this.#filling.get(at.name) ?? 0) + 1);
    await announceDeletion(this.#store, at);
  }

  /**
   * Tells whether a generation that is being filled has lost its mark. A server that starts takes
   * away those of generations that exist; a grace period later a collector may remove what was put.
   */
  async isUncovered(at: NamespaceGeneration): Promise<boolean> {
    if (await isAnnounced(this.#store, at)) return false;
    return !(await isDeleted(this.#store, at)); // Then it will be refused.
  }

  /** Ends `beginFilling`. */
  async endFilling(at: NamespaceGeneration, outcome: FillingOutcome): Promise<void> {
    const left = (this.#filling.get(at.name) ?? 1) - 1;
    if (left > 0) this.#filling.set(at.name, left);
    else this.#filling.delete(at.name);
    if (outcome === "open") this.#open.add(deletingKey(at));
    if (outcome === "exists") this.#open.delete(deletingKey(at));
    if (left === 0 && !this.#open.has(deletingKey(at))) await withdrawDeletion(this.#store, at);
  }

  /** What a copy has put is neither committed nor removed, or may be, and none is under way. */
  isOpen(at: NamespaceGeneration): boolean {
    return this.#open.has(deletingKey(at)) && !this.#filling.has(at.name);
  }

  /** It is not known whether a deletion was committed. */
  leaveOpen(at: NamespaceGeneration): void {
    this.#open.add(deletingKey(at));
  }

  /** Takes away a mark that was left, now that the generation is seen to exist. */
  async settle(at: NamespaceGeneration): Promise<void> {
    if (!this.isOpen(at)) return;
    await withdrawDeletion(this.#store, at);
    this.#open.delete(deletingKey(at));
  }

  /** What was open of the generation is settled. */
  forget(at: NamespaceGeneration): void {
    this.#open.delete(deletingKey(at));
  }
}
