/** What one open namespace does between commits: indexes that were asked for, then merges. */

import { isDatabaseError } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import type { Schema } from "../../model/schema.ts";
import type { PublishedDelta } from "../../namespace/published-state.ts";
import type { NamespaceOptions, OpenedNamespace } from "../namespace-options.ts";
import type { IndexBuilder } from "./index-builder.ts";

/** The background work of one namespace, step by step. */
export class BackgroundWork {
  readonly #options: NamespaceOptions;
  readonly #opened: OpenedNamespace;
  readonly #indexes: IndexBuilder;
  /** There was no memory for the last step. */
  #isStuck = false;

  constructor(options: NamespaceOptions, opened: OpenedNamespace, indexes: IndexBuilder) {
    this.#options = options;
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
    return segments.length > this.#options.thresholds.segmentsUnmergedMax;
  }

  /** Does one step; undefined if nothing could be done. `schema` is the one that indexes have. */
  *step(schema: Schema): Steps<PublishedDelta | undefined> {
    try {
      const delta =
        (yield* this.#indexes.step(schema)) ?? (yield* this.#opened.documents.compactStep(schema));
      if (delta !== undefined) this.#isStuck = false;
      return delta;
    } catch (error) {
      if (!isDatabaseError(error, "overloaded")) throw error;
      // Nothing has changed: without memory the segments stay as they are until the next commit.
      const facts = { namespace: this.#opened.generation.name, reason: error.message };
      if (!this.#isStuck) this.#options.log("warn", "no memory for merges and indexes", facts);
      this.#isStuck = true;
      return undefined;
    }
  }
}
