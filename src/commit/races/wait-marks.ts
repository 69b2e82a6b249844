/**
 * Wait marks: empty objects by which servers that lose the races for a log's numbers tell the
 * winners that they wait. A mark is named after its writer, and says nothing but that. It may be
 * lost, or stay behind when its server dies: a winner that waits for it in vain removes it, and so
 * does a collector.
 */

import type { WriterId } from "../../log/writer-id.ts";
import {
  type NamespaceGeneration,
  parseWaitMark,
  waitMarkKey,
  waitMarkPrefix,
} from "../../storage/object-keys.ts";
import { ALWAYS, type ObjectStore } from "../../storage/object-store.ts";

/** Marks that a look sees; others wait until these are gone. */
const WAIT_MARKS_MAX = 100;
const EMPTY = new Uint8Array(0);

/** What the marks of one log need. */
export interface WaitMarksOptions {
  readonly store: ObjectStore;
  readonly generation: NamespaceGeneration;
  /** Whose mark `put` and `withdraw` change. */
  readonly writer: WriterId;
}

/** The marks of one log, as one of its writers sees them. */
export class WaitMarks {
  readonly #options: WaitMarksOptions;
  /** What is wanted of the own mark; the store follows. */
  #isWanted = false;
  /** The store may have something else. */
  #isDue = false;
  #changing: Promise<void> | undefined;

  constructor(options: WaitMarksOptions) {
    this.#options = options;
  }

  /** Whether the own mark is there, or on its way. */
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

  /** Resolves when the store has what is wanted, or has failed. */
  async settle(): Promise<void> {
    await this.#changing;
  }

  /** One change at a time, so that the last one wins; those that come meanwhile become one. */
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
      // The next lost race puts it again, and others remove it.
      await Promise.resolve(change).catch(() => {});
    }
    this.#changing = undefined;
  }
}
