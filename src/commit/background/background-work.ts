/** What one open namespace does between commits: indexes that were asked for, then merges. */

import { MIB } from "../../base/byte-sizes.ts";
import { isDatabaseError } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import type { Schema } from "../../model/schema.ts";
import type { PublishedDelta } from "../../namespace/published-state.ts";
import type { NamespaceLog } from "../opened/namespace-log.ts";
import type { NamespaceOptions, OpenedNamespace } from "../opened/namespace-options.ts";
import type { IndexBuilder } from "./index-builder.ts";

/**
 * Bytes that a merge in memory writes while indexers are expected to take the log's documents over:
 * larger segments would be copied for seconds of use.
 */
export const EXPECTED_FOLD_MERGE_BYTES_MAX = 8 * MIB;
/** How long they are believed to be at it. */
const FOLD_EXPECTED_MS_MAX = 30_000;

/** The background work of one namespace, step by step. */
export class BackgroundWork {
  readonly #options: NamespaceOptions;
  readonly #opened: OpenedNamespace;
  readonly #indexes: IndexBuilder;
  readonly #log: Pick<NamespaceLog, "waitingMs">;
  /** There was no memory for the last step. */
  #isStuck = false;

  constructor(
    options: NamespaceOptions,
    opened: OpenedNamespace,
    { indexes, log }: { indexes: IndexBuilder; log: Pick<NamespaceLog, "waitingMs"> },
  ) {
    this.#options = options;
    this.#log = log;
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
      const { documents } = this.#opened;
      const delta =
        (yield* this.#indexes.step(schema)) ??
        (yield* documents.compactStep(schema, this.#mergeBytesMax));
      if (delta !== undefined) this.#isStuck = false;
      return delta;
    } catch (error) {
      if (!isDatabaseError(error, "out_of_memory")) throw error;
      // Nothing has changed: without memory the segments stay as they are until the next commit.
      const facts = { namespace: this.#opened.generation.name, reason: error.message };
      if (!this.#isStuck) this.#options.log("warn", "no memory for merges and indexes", facts);
      this.#isStuck = true;
      return undefined;
    }
  }

  get #mergeBytesMax(): number | undefined {
    const { waitingMs } = this.#log;
    const isExpected = waitingMs !== undefined && waitingMs < FOLD_EXPECTED_MS_MAX;
    return isExpected && !this.isBehind ? EXPECTED_FOLD_MERGE_BYTES_MAX : undefined;
  }
}
