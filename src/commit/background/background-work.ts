/** What one open namespace does between commits: indexes that were asked for, then merges. */

import { isDatabaseError } from "../../base/errors.ts";
import type { NamespaceParts, OpenedNamespace } from "../../engine/namespace-parts.ts";
import type { Schema } from "../../model/schema.ts";
import type { PublishedDelta } from "../../namespace/published-state.ts";
import type { IndexBuilder } from "./index-builder.ts";

/** The background work of one namespace, step by step. */
export class BackgroundWork {
  readonly #parts: NamespaceParts;
  readonly #opened: OpenedNamespace;
  readonly #indexes: IndexBuilder;
  /** There was no memory for the last step. */
  #isStuck = false;

  constructor(parts: NamespaceParts, opened: OpenedNamespace, indexes: IndexBuilder) {
    this.#parts = parts;
    this.#opened = opened;
    this.#indexes = indexes;
  }

  /** It must not fall behind further: a step has to go between two commits. */
  get isUrgent(): boolean {
    return this.isBehind || this.#indexes.isBuilding;
  }

  /** More segments wait for merges than queries should have to look at. */
  get isBehind(): boolean {
    const { segments } = this.#opened.documents.memtable;
    return segments.length > this.#parts.thresholds.segmentsUnmergedMax;
  }

  /** Does one step; undefined if nothing could be done. `schema` is the one that indexes have. */
  step(schema: Schema): PublishedDelta | undefined {
    try {
      const delta = this.#indexes.step(schema) ?? this.#opened.documents.compactStep(schema);
      if (delta !== undefined) this.#isStuck = false;
      return delta;
    } catch (error) {
      if (!isDatabaseError(error, "overloaded")) throw error;
      // Nothing has changed: without memory the segments stay as they are until the next commit.
      const facts = { namespace: this.#opened.at.name, reason: error.message };
      if (!this.#isStuck) this.#parts.log("warn", "no memory for merges and indexes", facts);
      this.#isStuck = true;
      return undefined;
    }
  }
}
