/**
 * Gives existing documents the indexes that a changed schema asks for, segment by segment.
 *
 * A new index on few documents is built before the write answers. On many it is built in the
 * background; queries that need it are told how far it is (202). Changed full-text settings are
 * different: queries keep the old index until all of the new one is there, so the namespace's
 * commits wait, and the exchange is published at once. Where memory runs out in between, the rest
 * is left to the background, for the write is durable by then.
 *
 * Stored segments are written anew by an indexer, which is told of them; until a manifest brings
 * segments that have the index, queries that need it are told so. Where full-text settings changed
 * the old ones are served until then, also in the memtable (`active-text-options.ts`).
 *
 * Segments that hold an attribute which was dropped are written anew in the same ways, without it;
 * nothing waits for that.
 */

import type { Clock } from "../../base/clock.ts";
import { isDatabaseError } from "../../base/errors.ts";
import { type SliceOptions, Slices } from "../../base/slices.ts";
import type { Steps } from "../../base/steps.ts";
import type { SegmentReads } from "../../cache/segment-reads.ts";
import type { IndexBuild } from "../../model/index-build.ts";
import type { Schema } from "../../model/schema.ts";
import { activeSchema } from "../../namespace/active-text-options.ts";
import type { NamespaceDocuments } from "../../namespace/namespace-documents.ts";
import type { NamespaceFacts } from "../../namespace/namespace-facts.ts";
import type { PublishedDelta } from "../../namespace/published-state.ts";
import {
  type StaleIndex,
  staleBuild,
  staleIndexes,
} from "../../namespace/segments/stale-indexes.ts";
import { indexState } from "../../query/operator/index-state.ts";
import type { QueryOptions } from "../../query/operator/query-options.ts";
import type { StoredSegment } from "../../segment/memtable/stored-segments.ts";
import type { IndexToBuild } from "../../write/schema/merge-schema.ts";
import {
  type NamespaceOptions,
  NamespaceRetired,
  type OpenedNamespace,
} from "../opened/namespace-options.ts";

/** Builds the indexes of one namespace. */
export class IndexBuilder {
  readonly #documents: NamespaceDocuments;
  readonly #reads: SegmentReads;
  readonly #hint: () => void;
  readonly #slicing: SliceOptions;
  /** Up to so many documents are indexed before the write answers. */
  readonly #inlineDocumentsMax: number;
  /** What stored segments lack. */
  #stale: readonly StaleIndex[];
  #building: IndexToBuild[] = [];
  /** The memtable may hold attributes that were dropped. */
  #isDropping = false;
  readonly #clock: Clock;
  #sinceMs: number | undefined;

  /** `slicing` throws `NamespaceRetired`; `hint` tells indexers that there is work. */
  constructor(
    options: NamespaceOptions,
    opened: OpenedNamespace,
    { slicing, hint }: { readonly slicing: SliceOptions; readonly hint: () => void },
  ) {
    this.#reads = options.reads;
    this.#slicing = slicing;
    this.#documents = opened.documents;
    this.#inlineDocumentsMax = options.thresholds.indexInlineDocumentsMax;
    this.#stale = opened.stale;
    this.#hint = hint;
    this.#clock = options.clock;
    this.#noteTime();
    if (this.#stale.length > 0 || opened.facts.activeTextOptions.size > 0) hint();
  }

  /** Indexers have something to do for it. */
  isWaiting({ activeTextOptions }: NamespaceFacts): boolean {
    return this.#stale.length > 0 || activeTextOptions.size > 0;
  }

  /** There is something to do in the background. */
  get isBuilding(): boolean {
    return this.#building.length > 0 || this.#isDropping;
  }

  /**
   * Starts what a changed schema asks for. Returns the deltas of what had to be built at once: all
   * of it, unless memory runs out or the instance is retired meanwhile.
   */
  async begin(
    asked: readonly IndexToBuild[],
    { before, after }: { readonly before: NamespaceFacts; readonly after: NamespaceFacts },
  ): Promise<PublishedDelta[]> {
    const isReplaced = ({ attribute, index }: IndexToBuild) => {
      return index === "full_text_search" && after.activeTextOptions.has(attribute);
    };
    const builds = asked.filter((build) => !isReplaced(build));
    if (after.activeTextOptions.size > 0 && after.activeTextOptions !== before.activeTextOptions)
      this.#hint();
    const isDropping = after.schema.dropCount !== before.schema.dropCount;
    if (isDropping && this.#documents.stored.length > 0) this.#hint();
    if (builds.length === 0 && !isDropping) return [];
    const { documentCount } = this.#documents.memtable;
    const replaces = builds.some(
      ({ attribute, index }) =>
        index === "full_text_search" &&
        before.schema.attributes.get(attribute)?.fullTextSearch !== undefined,
    );
    const schema = activeSchema(after);
    this.#building = [...this.#building, ...builds];
    this.#isDropping ||= isDropping;
    this.#noteTime();
    if (!replaces && documentCount > this.#inlineDocumentsMax) return [];
    const deltas: PublishedDelta[] = [];
    try {
      const slices = new Slices(this.#slicing);
      for (;;) {
        const delta = await slices.run(this.#documents.rebuildStep(schema));
        if (delta === undefined) break;
        deltas.push(delta);
        await this.#slicing.yield();
      }
    } catch (error) {
      if (isDatabaseError(error, "out_of_memory") || error instanceof NamespaceRetired)
        return deltas;
      throw error;
    }
    this.#end();
    this.#isDropping = false;
    return deltas;
  }

  /** One step of the background builds; undefined if there are none. Throws `out_of_memory`. */
  *step(schema: Schema): Steps<PublishedDelta | undefined> {
    if (!this.isBuilding) return undefined;
    const delta = yield* this.#documents.rebuildStep(schema);
    if (delta !== undefined) return delta;
    this.#end();
    this.#isDropping = false;
    return this.#documents.unchanged();
  }

  /** What is being built and how far it is; what no live document lacks any more is there. */
  builds(schema: Schema): IndexBuild[] {
    if (this.#documents.documentCount === 0) return [];
    const { stored } = this.#documents;
    const stale = this.#stale.map((index) => staleBuild(index, stored)).filter(isLacking);
    if (this.#building.length === 0) return stale;
    const progress = this.#documents.memtable.rebuildProgress(schema);
    return [
      ...this.#building.map((build) => ({ ...build, ...progress })).filter(isLacking),
      ...stale,
    ];
  }

  /** When the first of them was asked for, by the wall clock; undefined: there are none. */
  get sinceMs(): number | undefined {
    return this.#sinceMs;
  }

  /** What writes that search ask. */
  state(schema: Schema): NonNullable<QueryOptions["indexState"]> {
    return indexState(this.builds(schema), this.#clock.nowMs() - (this.#sinceMs ?? 0));
  }

  /** Which indexes stored segments lack, of these and by this schema. Throws what loading does. */
  lacking(stored: readonly StoredSegment[], schema: Schema): Promise<readonly StaleIndex[]> {
    return this.#reads.run(() => staleIndexes(stored, schema));
  }

  /** Takes note of what stored segments lack, now that they or the schema have changed. */
  note(stale: readonly StaleIndex[]): void {
    this.#stale = stale;
    this.#noteTime();
    if (this.#stale.length > 0) this.#hint();
  }

  /** Everything in memory has its indexes. */
  #end(): void {
    this.#building = [];
    this.#noteTime();
  }

  #noteTime(): void {
    if (this.#building.length + this.#stale.length === 0) this.#sinceMs = undefined;
    else this.#sinceMs ??= this.#clock.nowMs();
  }
}

function isLacking({ documentsDone, documentsTotal }: IndexBuild): boolean {
  return documentsDone < documentsTotal;
}
