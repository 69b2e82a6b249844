/**
 * Gives existing documents the indexes that a changed schema asks for, segment by segment.
 *
 * A new index on few documents is built before the write answers. On many it is built in the
 * background; queries that need it are told how far it is (202). Changed full-text settings are
 * different: queries keep the old index until all of the new one is there, so the namespace's
 * commits wait, and the exchange is published at once.
 */

import { INDEX_INLINE_DOCUMENTS_MAX } from "../base/limits.ts";
import type { Schema } from "../model/schema.ts";
import type { IndexToBuild } from "../write/merge-schema.ts";
import type { NamespaceDocuments } from "./namespace-documents.ts";
import type { IndexBuild, PublishedDelta } from "./published-state.ts";

/** Builds the indexes of one namespace. */
export class IndexBuilder {
  readonly #documents: NamespaceDocuments;
  #building: IndexToBuild[] = [];

  constructor(documents: NamespaceDocuments) {
    this.#documents = documents;
  }

  /** Starts builds. Returns the deltas of what had to be built at once. */
  async begin(
    builds: readonly IndexToBuild[],
    schemas: { readonly before: Schema; readonly after: Schema },
    yieldTurn: () => Promise<void>,
  ): Promise<PublishedDelta[]> {
    const { documentCount } = this.#documents.memtable;
    const replaces = builds.some(
      ({ attribute, index }) =>
        index === "full_text_search" &&
        schemas.before.attributes.get(attribute)?.fullTextSearch !== undefined,
    );
    if (!replaces && documentCount > INDEX_INLINE_DOCUMENTS_MAX) {
      this.#building = [...this.#building, ...builds];
      return [];
    }
    return this.buildAll(schemas.after, yieldTurn);
  }

  /** Builds everything that is missing. */
  async buildAll(schema: Schema, yieldTurn: () => Promise<void>): Promise<PublishedDelta[]> {
    const deltas: PublishedDelta[] = [];
    for (;;) {
      const delta = this.#documents.rebuildStep(schema);
      if (delta === undefined) return deltas;
      deltas.push(delta);
      await yieldTurn();
    }
  }

  /** One step of the background builds; undefined if there are none. */
  step(schema: Schema): PublishedDelta | undefined {
    if (this.#building.length === 0) return undefined;
    const delta = this.#documents.rebuildStep(schema);
    if (delta !== undefined) return delta;
    this.#building = [];
    return this.#documents.unchanged();
  }

  /** What is being built and how far it is. */
  builds(schema: Schema): IndexBuild[] {
    if (this.#building.length === 0) return [];
    const progress = this.#documents.memtable.rebuildProgress(schema);
    return this.#building.map((build) => ({ ...build, ...progress }));
  }
}
