/**
 * Follows the manifests that indexers write for one open namespace. A newer one is read beside the
 * commits (`poll`); what it changes is applied between two of them (`adopt`).
 */

import type { SequenceNumber } from "../../base/ids.ts";
import { Slices } from "../../base/slices.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import type { ManifestStore } from "../../manifest/manifest-store.ts";
import { isReplaced } from "../../namespace/active-text-options.ts";
import type { NamespaceDocuments } from "../../namespace/namespace-documents.ts";
import type { NamespaceFacts } from "../../namespace/namespace-facts.ts";
import type { PublishedDelta } from "../../namespace/published-state.ts";
import { openManifestSegment, readCounted } from "../../namespace/recovery/open-stored-segment.ts";
import type { CountedSegment } from "../../segment/memtable/memtable-delta.ts";
import type { StoredDeletions, StoredSegment } from "../../segment/memtable/stored-segments.ts";
import { TEXT_INDEX } from "../../segment/text/text-index.ts";
import type { NamespaceLog } from "../opened/namespace-log.ts";
import type { NamespaceOptions, OpenedNamespace } from "../opened/namespace-options.ts";

/**
 * How long after its manifest was the newest a namespace takes for certain that none of the next
 * ones was collected; well under the collectors' grace period.
 */
export const MANIFEST_RELOAD_MS = 60_000;

/** What a look at the store has found. */
export type FollowOutcome =
  /** `newer`: a newer manifest waits for `adopt`. What has less than is here is nothing new. */
  | { readonly kind: "nothing new" | "newer" }
  /** It has indexes of other full-text settings: to change over at once, open again. */
  | { readonly kind: "replaced" }
  /** It covers entries that this instance has not seen. */
  | { readonly kind: "behind"; readonly indexedUpTo: SequenceNumber };

interface Adoption {
  readonly manifest: Manifest;
  readonly segments: readonly StoredSegment[];
  readonly counted: readonly CountedSegment[];
  readonly indexedUpTo: SequenceNumber;
  /** When it was the newest, by the monotonic clock. */
  readonly askedMs: number;
}

/** One namespace's view of its manifests; one `poll` at a time. */
export class ManifestFollower {
  readonly #options: NamespaceOptions;
  readonly #opened: OpenedNamespace;
  readonly #documents: NamespaceDocuments;
  readonly #manifests: ManifestStore;
  readonly #log: NamespaceLog;
  readonly #retain: () => () => void;
  #known: Manifest | undefined;
  #adoption: Adoption | undefined;
  /** When the known manifest was the newest for the last time. */
  #newestMs: number;
  #isClosed = false;
  /** Found, and not yet adopted and published. */
  #isPending = false;
  /** Callers that wait until no manifest is pending. */
  #waiting: (() => void)[] = [];

  /** `retain` keeps the documents' memory until what it returns is called. */
  constructor(
    options: NamespaceOptions,
    opened: OpenedNamespace,
    { log, retain }: { readonly log: NamespaceLog; retain(): () => void },
  ) {
    this.#retain = retain;
    this.#options = options;
    this.#opened = opened;
    this.#documents = opened.documents;
    this.#manifests = opened.manifests;
    this.#log = log;
    this.#known = opened.manifest;
    this.#newestMs = options.clock.monotonicMs();
  }

  /** Version of the manifest that was taken over last; 0 if there was none. */
  get version(): number {
    return this.#known?.version ?? 0;
  }

  /** A manifest waits to be adopted. */
  get isReady(): boolean {
    return this.#adoption !== undefined;
  }

  /**
   * Looks for a newer manifest and reads it. Costs one request if there is none. The ids that it
   * takes to adopt it are in memory afterwards, if they fit. `facts` are what this instance knows.
   * `isSure`: by listing, which finds it whatever was collected since.
   */
  async poll(facts: () => NamespaceFacts, isSure: boolean): Promise<FollowOutcome> {
    if (this.#adoption !== undefined) return { kind: "newer" };
    const askedMs = this.#options.clock.monotonicMs();
    const newest = await (isSure ? this.#manifests.load() : this.#newest(askedMs));
    if (newest === undefined || newest.version <= this.version) {
      this.#newestMs = askedMs;
      return { kind: "nothing new" };
    }
    const { generation } = this.#opened;
    const { reads } = this.#options;
    const { indexedUpTo } = newest;
    if (indexedUpTo > facts().sequence) return { kind: "behind", indexedUpTo };
    if (isReplaced(facts(), newest.state)) return { kind: "replaced" };
    if (this.#isBeforeImport(indexedUpTo)) return { kind: "nothing new" };
    const from = { store: this.#options.storeFor(undefined), reads };
    const segments = await Promise.all(
      newest.segments.map(async (entry) => {
        const known = this.#documents.stored.find(({ segment }) => segment.view.id === entry.id);
        return known ?? openManifestSegment(entry, generation, from);
      }),
    );
    await this.#deletionsIn(segments, indexedUpTo);
    const counted = await this.#readCounted(newest);
    this.#adoption = { manifest: newest, segments, counted, indexedUpTo, askedMs };
    this.#isPending = true;
    return { kind: "newer" };
  }

  /**
   * Takes over the manifest that `poll` found, once `look` has seen its segments. Nothing may be
   * committed meanwhile. Throws `corrupt` if the manifest has not the documents that are here, and
   * what loading or `look` fails with; nothing has changed then.
   */
  async adopt(
    look: (segments: readonly StoredSegment[]) => Promise<void>,
  ): Promise<PublishedDelta | undefined> {
    const adoption = this.#adoption;
    if (adoption === undefined) return undefined;
    this.#adoption = undefined;
    const { segments, indexedUpTo, manifest, askedMs } = adoption;
    const { reads } = this.#options;
    const documents = this.#documents;
    if (this.#isBeforeImport(indexedUpTo)) return undefined;
    await look(segments);
    const deletions = await this.#deletionsIn(segments, indexedUpTo);
    if (this.#isClosed) return undefined;
    const before = documents.stored;
    const delta = documents.adopt(adoption, deletions);
    this.#known = manifest;
    this.#newestMs = askedMs;
    this.#log.forget(indexedUpTo);
    const kept = new Set(documents.stored);
    for (const stored of before) if (!kept.has(stored)) reads.forget(stored.object);
    return delta;
  }

  /** New counts of deleted terms, of segments that are here already. */
  async #readCounted(newest: Manifest): Promise<CountedSegment[]> {
    const store = this.#options.storeFor(undefined);
    const before = new Map(this.#known?.segments.map((entry) => [entry.id, entry]));
    const read = newest.segments.map(async (entry): Promise<CountedSegment[]> => {
      const { id, tombstoneObject } = entry;
      const stored = this.#documents.stored.find(({ segment }) => segment.view.id === id);
      if (stored === undefined || tombstoneObject === before.get(id)?.tombstoneObject) return [];
      const { view } = stored.segment;
      if (!view.indexedAttributes.some((column) => view.hasIndex(TEXT_INDEX, column))) return [];
      const counted = await readCounted(entry, this.#opened.generation, store);
      return counted === undefined ? [] : [{ segment: id, counted }];
    });
    return (await Promise.all(read)).flat();
  }

  /**
   * A manifest of entries before the last import lacks stored segments that are here. One with it
   * follows, as its entry is to be indexed, too.
   */
  #isBeforeImport(indexedUpTo: SequenceNumber): boolean {
    return indexedUpTo < this.#documents.importedUpTo;
  }

  /** In slices, while the documents' memory stays theirs. */
  async #deletionsIn(
    segments: readonly StoredSegment[],
    indexedUpTo: SequenceNumber,
  ): Promise<StoredDeletions> {
    const slices = new Slices(this.#options);
    const release = this.#retain();
    try {
      return await this.#options.reads.runInSteps(
        () => this.#documents.deletionsIn(segments, indexedUpTo),
        (steps) => slices.run(steps),
      );
    } finally {
      release();
    }
  }

  /** Says why a newer manifest could not be taken over. */
  warn(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    const facts = { namespace: this.#opened.generation.name, reason };
    this.#options.log("warn", "cannot follow the newest manifest yet", facts);
  }

  /** Resolves when what was found is adopted and published, however many commits wait. */
  async whenAdopted(): Promise<void> {
    if (this.#isPending) await new Promise<void>((resolve) => void this.#waiting.push(resolve));
  }

  /** Nothing will be adopted any more. */
  close(): void {
    this.#isClosed = true;
    this.#adoption = undefined;
    this.settled();
  }

  /** What was found is adopted and published, or could not be. */
  settled(): void {
    this.#isPending = this.#adoption !== undefined;
    if (!this.#isPending) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  /**
   * Probing finds every version as long as none was collected since the known one was the newest:
   * the next one is the first to go.
   */
  async #newest(nowMs: number): Promise<Manifest | undefined> {
    const isRecent = nowMs - this.#newestMs < MANIFEST_RELOAD_MS;
    if (this.#known === undefined || !isRecent) return this.#manifests.load();
    return this.#manifests.loadNewer(this.#known);
  }
}
