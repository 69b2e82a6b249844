/**
 * Wait marks: empty objects that announce to the winners of races for a log's numbers that another
 * server waits. The key of a mark names its writer. A mark may be lost, or stay behind when its
 * server dies: a winner that has waited for it without result removes it, and so does garbage
 * collection.
 */

import type { WriterId } from "../../log/writer-id.ts";
import {
  type NamespaceGeneration,
  parseWaitMark,
  waitMarkKey,
  waitMarkPrefix,
} from "../../storage/object-keys.ts";
import { ALWAYS, type ObjectStore } from "../../storage/object-store.ts";

/** Marks that a listing returns; others wait until these are gone. */
const WAIT_MARKS_MAX = 100;
const EMPTY = new Uint8Array(0);

/** Options of `WaitMarks`. */
export interface WaitMarksOptions {
  readonly store: ObjectStore;
  readonly generation: NamespaceGeneration;
  /** The writer whose mark `put` and `withdraw` change. */
  readonly writer: WriterId;
}

/** The marks of one log, as one of its writers sees them. */
export class WaitMarks {
  readonly #options: WaitMarksOptions;
  /** True if the own mark should be there; the store follows. */
  #isWanted = false;
  /** True if the store may differ from `#isWanted`. */
  #isDue = false;
  #changing: Promise<void> | undefined;

  constructor(options: WaitMarksOptions) {
    this.#options = options;
  }

  /** True if the own mark is there or about to be put. */
  get isPut(): boolean {
    return this.#isWanted;
  }

  /** Other writers that wait. Costs one listing. */
  async others(): Promise<WriterId[]> {
    const { store, generation, writer } = this.#options;
    const prefix = waitMarkPrefix(generation);
    const { keys } = await store.list({ prefix, limit: WAIT_MARKS_MAX });
    const writers = keys.flatMap((key) => parseWaitMark(generation, key) ?? []);
    return writers.filter((other) => other !== writer) as WriterId[];
  }

  /** Puts the own mark, again if it was put before: others may have removed it. */
  put(): void {
    this.#change(true);
  }

  /** Removes the own mark. */
  withdraw(): void {
    if (this.#isWanted) this.#change(false);
  }

  /** Removes the mark of a writer that does not come. */
  async remove(writer: WriterId): Promise<void> {
    const { store, generation } = this.#options;
    await store.delete(waitMarkKey(generation, writer));
  }

  /** Resolves when the store has the wanted state, or has failed. */
  async settle(): Promise<void> {
    await this.#changing;
  }

  /**
   * Runs one change at a time, so that the last one wins; changes that come in between become one.
   */
  #change(isWanted: boolean): void {
    this.#isWanted = isWanted;
    this.#isDue = true;
    this.#changing ??= this.#run();
  }

  async #run(): Promise<void> {
    const { store, generation, writer } = this.#options;
    const key = waitMarkKey(generation, writer);
    while (this.#isDue) {
      this.#isDue = false;
      const change = this.#isWanted ? store.put(key, EMPTY, ALWAYS) : store.delete(key);
      // After a failed put, the next lost race puts the mark again. After a failed delete, other
      // servers remove it.
      await Promise.resolve(change).catch(() => {});
    }
    this.#changing = undefined;
  }
}
