/**
 * Applies log entries to one open namespace: to its facts, its documents and its indexes. The
 * entries of its own commit groups come ready (`commit-group.ts`); `prepare` makes those of other
 * servers ready. Callers have the namespace's turn.
 */

import type { Slices } from "../../base/slices.ts";
import { activeSchema } from "../../namespace/active-text-options.ts";
import type { NamespaceFacts } from "../../namespace/namespace-facts.ts";
import type { PublishedDelta } from "../../namespace/published-state.ts";
import {
  applyEntry,
  discardEntry,
  factsAfterEntry,
  type LogEntry,
  type PreparedEntry,
  prepareEntry,
} from "../../namespace/recovery/replay-entry.ts";
import type { StaleIndex } from "../../namespace/segments/stale-indexes.ts";
import type { StoredSegment } from "../../segment/memtable/stored-segments.ts";
import type { IndexBuilder } from "../background/index-builder.ts";
import type { NamespaceOptions, OpenedNamespace } from "../opened/namespace-options.ts";

/** An entry that can be applied without fail. */
export interface ReadyEntry {
  readonly entry: PreparedEntry;
  /** Indexes that stored segments lack from then on; undefined: those that they lacked before. */
  readonly stale: readonly StaleIndex[] | undefined;
}

/** One namespace's state as of the last entry. */
export class EntryApplier {
  readonly #options: NamespaceOptions;
  readonly #opened: OpenedNamespace;
  readonly #indexes: IndexBuilder;
  #facts: NamespaceFacts;

  constructor(options: NamespaceOptions, opened: OpenedNamespace, indexes: IndexBuilder) {
    this.#options = options;
    this.#opened = opened;
    this.#indexes = indexes;
    this.#facts = opened.facts;
  }

  /** As of the last entry that was applied. */
  get facts(): NamespaceFacts {
    return this.#facts;
  }

  /**
   * Makes an entry of another server ready, in slices. Throws what loading fails with, and
   * `out_of_memory` where there is no memory; nothing has changed then.
   */
  async prepare(entry: LogEntry, slices: Slices): Promise<ReadyEntry> {
    const { generation, documents } = this.#opened;
    const { reads } = this.#options;
    const before = this.#facts;
    const base = {
      generation,
      store: this.#options.storeFor(undefined),
      reads,
      slices,
      documents,
      facts: before,
    };
    const prepared = await prepareEntry(entry, base);
    try {
      const after = factsAfterEntry(before, prepared, documents.stored.length > 0);
      const imported = prepared.batches.flatMap((batch) => batch.imported);
      const stale = await this.lackingAfter(after, imported);
      return { entry: prepared, stale };
    } catch (error) {
      discardEntry(prepared, documents);
      throw error;
    }
  }

  /** Which indexes stored segments will lack after an entry; undefined if the schema stays. */
  async lackingAfter(
    after: NamespaceFacts,
    imported: readonly StoredSegment[],
  ): Promise<readonly StaleIndex[] | undefined> {
    if (after.schema === this.#facts.schema || after.deleted) return undefined;
    const { stored } = this.#opened.documents;
    return this.#indexes.lacking([...stored, ...imported], activeSchema(after));
  }

  /** Applies the next entry. The deltas are to be published together, and with the new facts. */
  async apply({ entry, stale }: ReadyEntry): Promise<PublishedDelta[]> {
    const { documents } = this.#opened;
    const before = this.#facts;
    const { facts, deltas, builds } = applyEntry(entry, { facts: before, documents });
    this.#facts = facts;
    deltas.push(...(await this.#indexes.begin(builds, { before, after: facts })));
    if (stale !== undefined) this.#indexes.note(stale);
    return deltas;
  }

  /** Gives back what an entry holds that nobody is to see here. */
  discard({ entry }: ReadyEntry): void {
    discardEntry(entry, this.#opened.documents);
  }

  /** The facts go on; a retired namespace has no documents, and the next opening reads the log. */
  pass(ready: ReadyEntry): void {
    this.discard(ready);
    this.#facts = factsAfterEntry(this.#facts, ready.entry, false);
  }
}
