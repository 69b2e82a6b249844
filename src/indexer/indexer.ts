/**
 * Indexes, compacts and collects namespaces, one step at a time. All that it knows comes from the
 * store: a namespace is due if its log is long, which hints tell soon and a sweep over all
 * namespaces tells in any case. A hint is removed before the work that it asks for, so that one
 * which comes meanwhile stays, and is put again if the work fails. Hints go before the sweep, and
 * a log that grows faster than it is indexed does not keep the others waiting.
 */

import { isDatabaseError } from "../base/errors.ts";
import { isDeleted } from "../namespace/generations/namespace-generations.ts";
import {
  DIRTY_PREFIX,
  dirtyKey,
  generationPrefix,
  type NamespaceGeneration,
  parseDirtyKey,
} from "../storage/object-keys.ts";
import { ALWAYS } from "../storage/object-store.ts";
import { storePages } from "../storage/store-pages.ts";
import { collectGarbage } from "./collect-garbage.ts";
import { type CompactionOutcome, compactNamespace } from "./compact-namespace.ts";
import { type GarbageMemory, newGarbageMemory } from "./garbage/sightings.ts";
import { IdlePace, INDEX_POLL_MS } from "./idle-pace.ts";
import { type IndexOutcome, indexNamespace } from "./index-namespace.ts";
import type { IndexerOptions, IndexerStep } from "./indexer-options.ts";
import { listGenerations, SettledGenerations } from "./settled-generations.ts";

/** A step that does not fit the memory is made smaller by this factor, down to one entry. */
const INDEX_STEP_SHRINK = 4;
/** Time for which an indexer skips a namespace after a failure there; it doubles after damage. */
export const INDEX_RETRY_MS = 30_000;
/** Longest such time. */
const INDEX_RETRY_MS_MAX = 600_000;
/**
 * Longest interval between two checks of garbage that cannot be removed: it is shared, or a
 * checkpoint's.
 */
const COLLECT_MS_MAX = 3_600_000;

type StepKind = "index" | "merge" | "collect";

interface Known {
  readonly generation: NamespaceGeneration;
  readonly garbage: GarbageMemory;
  /** What the log of one step may weigh. */
  stepWeight: number;
  /** Not before; by the monotonic clock. What cannot be merged may still have garbage. */
  readonly retryAtMs: Record<StepKind, number>;
  /** Failures in a row by what is damaged. */
  readonly damages: Record<StepKind, number>;
  /** When garbage is looked for next; undefined: there is none that waits. */
  collectAtMs: number | undefined;
  /** Objects that waited at the last look, and looks in a row at which they were the same. */
  garbageCount: number;
  idleCollections: number;
  /** Stored segments, when garbage was looked for last. */
  segmentCount: number;
  /** When segments that rest may be merged; undefined: there are none. */
  restedAtMs: number | undefined;
  /** Greatest weight of a merge that is tried: less after one that did not fit the memory. */
  mergeWeightMax: number;
}

/** One indexer over one store. */
export class Indexer {
  readonly #options: IndexerOptions;
  readonly #known = new Map<string, Known>();
  readonly #settled: SettledGenerations;
  readonly #pace: IdlePace;
  #hintsReadAtMs = 0;
  #stopping = false;
  /** Somebody has work. */
  #isWoken = false;
  #rest = new AbortController();

  constructor(options: IndexerOptions) {
    const { clock, isWoken = false } = options;
    this.#options = options;
    this.#settled = new SettledGenerations(clock);
    this.#pace = new IdlePace(clock, { isWoken });
  }

  /** Works until `stop`. */
  async run(): Promise<void> {
    while (!this.#stopping) {
      try {
        await this.pass();
      } catch (error) {
        if (!isDatabaseError(error)) throw error;
        this.#options.log("warn", "cannot look for work", { reason: error.message });
      }
      if (!this.#stopping) await this.#restUntilWoken();
    }
  }

  /** There is a hint: ends a rest, or leaves out the next one. */
  wake(): void {
    this.#isWoken = true;
    this.#rest.abort();
  }

  /** Ends `run` after the step under way. */
  stop(): void {
    this.#stopping = true;
  }

  /** Generations that it has in mind: with garbage that waits, at rest, and those that failed. */
  get knownCount(): number {
    return this.#known.size;
  }

  /** Does everything that is due now. */
  async pass(): Promise<void> {
    await this.#readHints();
    const nowMs = this.#options.clock.monotonicMs();
    if (this.#pace.isSweepDue) {
      this.#pace.beginSweep(INDEX_RETRY_MS);
      await this.#sweep();
      this.#pace.endSweep();
    }
    for (const known of [...this.#known.values()]) {
      if (this.#stopping) return;
      const isRested = known.restedAtMs !== undefined && known.restedAtMs <= nowMs;
      if (isRested) await this.#attempt(known, "merge", () => this.#mergeRested(known));
      const { collectAtMs = Number.POSITIVE_INFINITY } = known;
      if (collectAtMs <= this.#options.clock.monotonicMs())
        await this.#attempt(known, "collect", () => this.#collect(known));
      else this.#forgetIdle(known);
      await this.#readHintsInBetween();
    }
  }

  /** Indexes all of a namespace's log, whatever its length. */
  async indexAll(generation: NamespaceGeneration): Promise<void> {
    const known = this.#knownOf(generation);
    await this.#index(known);
    await this.#collect(known);
  }

  async #restUntilWoken(): Promise<void> {
    this.#rest = new AbortController();
    const { signal } = this.#rest;
    const restMs = this.#pace.restMs(this.#dueAtMs());
    if (!this.#isWoken) await this.#options.clock.sleep(restMs, signal).catch(() => {});
    this.#isWoken = false;
  }

  /** When the next waiting step is due, by the monotonic clock. */
  #dueAtMs(): number {
    const nowMs = this.#options.clock.monotonicMs();
    let dueAtMs = Number.POSITIVE_INFINITY;
    for (const { collectAtMs, restedAtMs, retryAtMs } of this.#known.values()) {
      if (collectAtMs !== undefined)
        dueAtMs = Math.min(dueAtMs, Math.max(collectAtMs, retryAtMs.collect));
      if (restedAtMs !== undefined)
        dueAtMs = Math.min(dueAtMs, Math.max(restedAtMs, retryAtMs.merge));
      // A failed index step has put its hint again, which is due after the retry time.
      if (retryAtMs.index > nowMs) dueAtMs = Math.min(dueAtMs, retryAtMs.index);
    }
    return dueAtMs;
  }

  async #hinted(): Promise<NamespaceGeneration[]> {
    const found: NamespaceGeneration[] = [];
    for await (const page of storePages(this.#options.store, { prefix: DIRTY_PREFIX })) {
      for (const key of page.keys) {
        const generation = parseDirtyKey(key);
        if (generation !== undefined) found.push(generation);
      }
    }
    return found;
  }

  /** Does what hints ask for. */
  async #readHints(): Promise<void> {
    this.#hintsReadAtMs = this.#options.clock.monotonicMs();
    for (const generation of await this.#hinted()) await this.#work(generation);
  }

  /** The same where other work takes long. */
  async #readHintsInBetween(): Promise<void> {
    if (this.#options.clock.monotonicMs() - this.#hintsReadAtMs >= INDEX_POLL_MS)
      await this.#readHints();
  }

  async #work(generation: NamespaceGeneration): Promise<void> {
    if (this.#stopping) return;
    const known = this.#knownOf(generation);
    const { store } = this.#options;
    await this.#attempt(known, "index", async () => {
      this.#pace.noteWork();
      await store.delete(dirtyKey(generation));
      let isDone = false;
      try {
        isDone = await this.#index(known);
      } finally {
        // The failure of the work is the one to tell; without the hint, servers hint again.
        const again = async () =>
          void (await store.put(dirtyKey(generation), new Uint8Array(0), ALWAYS));
        if (!isDone) await again().catch(() => {});
      }
    });
  }

  /** Visits all generations of all namespaces, except those in which nothing has changed. */
  async #sweep(): Promise<void> {
    const { store, clock } = this.#options;
    for await (const listed of listGenerations(store, clock)) {
      if (this.#stopping) return;
      if (!this.#settled.has(listed)) {
        await this.#poll(this.#knownOf(listed.generation));
        const isOver = !this.#known.has(generationPrefix(listed.generation));
        if (isOver) this.#settled.add(listed);
      }
      await this.#readHintsInBetween();
    }
  }

  async #poll(known: Known): Promise<void> {
    await this.#attempt(known, "index", async () => {
      if (await this.#isLong(known.generation)) await this.#index(known);
    });
    await this.#attempt(known, "collect", () => this.#collect(known));
    // An indexer that was stopped may have left several.
    if (known.segmentCount > 1) {
      await this.#attempt(known, "merge", async () => {
        if ((await this.#compactOnce(known, false)) === "compacted") await this.#collect(known);
      });
    }
    this.#forgetIdle(known);
  }

  /** Counts entries without reading them: those that a manifest covers wait to be collected. */
  async #isLong(generation: NamespaceGeneration): Promise<boolean> {
    const { indexTailEntries } = this.#options.thresholds;
    let count = 0;
    for await (const { keys } of storePages(this.#options.store, {
      prefix: `${generationPrefix(generation)}wal/`,
    })) {
      count += keys.length;
      if (count >= indexTailEntries) return true;
    }
    return false;
  }

  /** Indexes the log as it is now. False if it was stopped, or another indexer came first. */
  async #index(known: Known): Promise<boolean> {
    const { generation } = known;
    const { log, store } = this.#options;
    known.collectAtMs ??= this.#options.clock.monotonicMs();
    // What a deleted generation's log holds is what came too late; it may have gaps.
    if (await isDeleted(store, generation)) return true;
    for (;;) {
      const startMs = this.#options.clock.nowMs();
      const outcome = await this.#indexStep(known);
      if (outcome.kind === "indexed" && outcome.entryCount > 0) {
        const { entryCount: entries, documentCount: documents } = outcome;
        log("info", "indexed", { namespace: generation.name, entries, documents });
        this.#tell("index", known, { startMs, counts: { entries, documents } });
        this.#options.onManifest?.(generation);
      }
      const isFirst = outcome.kind !== "conflict" && (await this.#compact(known));
      known.collectAtMs ??= this.#options.clock.monotonicMs();
      if (this.#stopping || !isFirst) return false;
      if (outcome.kind === "absent" || outcome.isWhole) return true;
    }
  }

  /** A log may take many times its size in memory: steps that do not fit are made smaller. */
  async #indexStep(known: Known): Promise<IndexOutcome> {
    for (;;) {
      try {
        return await indexNamespace(this.#options, known.generation, known.stepWeight);
      } catch (error) {
        const isLeast = known.stepWeight < 1;
        if (isLeast || !isDatabaseError(error, "out_of_memory")) throw error;
        known.stepWeight = Math.floor(known.stepWeight / INDEX_STEP_SHRINK);
      }
    }
  }

  /** Merges segments that rest once, so that hints are heard before the next merge. */
  async #mergeRested(known: Known): Promise<void> {
    const { clock, store } = this.#options;
    try {
      if (await isDeleted(store, known.generation)) known.restedAtMs = undefined;
      else await this.#compactOnce(known, true);
    } catch (error) {
      // What cannot be read is no better later.
      const isLost = isDatabaseError(error, "corrupt", "too_new", "too_old");
      known.restedAtMs = isLost ? undefined : clock.monotonicMs() + INDEX_RETRY_MS;
      throw error;
    }
    known.collectAtMs ??= clock.monotonicMs();
  }

  /** Merges what is due, but for what only rests; false if another indexer was faster. */
  async #compact(known: Known): Promise<boolean> {
    while (!this.#stopping) {
      const kind = await this.#compactOnce(known, false);
      if (kind !== "compacted") return kind !== "conflict";
    }
    return true;
  }

  /**
   * Does what is due most, and notes when to look at segments that rest. Where memory is short,
   * segments stay as they are; the log must not wait for them.
   */
  async #compactOnce(
    known: Known,
    mergesRested: boolean,
  ): Promise<CompactionOutcome["kind"] | "out of memory"> {
    const { clock, log } = this.#options;
    const { generation, mergeWeightMax: weightMax } = known;
    const limits = { weightMax, mergesRested };
    const startMs = clock.nowMs();
    const compacting = compactNamespace(this.#options, generation, limits);
    const outcome = await compacting.catch((error: unknown) => {
      if (!isDatabaseError(error, "out_of_memory")) throw error;
      return { kind: "out of memory", reason: error.message } as const;
    });
    known.restedAtMs = againAtMs(outcome, clock.monotonicMs());
    if (outcome.kind === "too large") known.mergeWeightMax = Math.floor(outcome.weight / 2);
    if ("reason" in outcome) {
      const facts = { namespace: generation.name, reason: outcome.reason };
      log("warn", "cannot compact a namespace now", facts);
    }
    if (outcome.kind === "compacted") {
      known.mergeWeightMax = Math.min(2 * weightMax, this.#options.segmentWeightMax);
      const { inputCount, bytesWritten } = outcome;
      const facts = { namespace: generation.name, segments: inputCount, bytes: bytesWritten };
      log("info", "compacted", facts);
      const counts = { segments: inputCount, bytes: bytesWritten };
      this.#tell("compact", known, { startMs, counts });
      this.#options.onManifest?.(generation);
    }
    return outcome.kind;
  }

  #tell(
    kind: IndexerStep["kind"],
    known: Known,
    done: Pick<IndexerStep, "startMs" | "counts">,
  ): void {
    const { clock, onStep, garbageGraceMs } = this.#options;
    const { generation, collectAtMs } = known;
    this.#pace.noteWork();
    // A log that can be indexed does not wait longer each time that a merge behind it fails.
    known.damages[kind === "index" ? "index" : "merge"] = 0;
    // Objects that the new manifest leaves out do not wait for garbage that cannot be removed.
    if (collectAtMs !== undefined)
      known.collectAtMs = Math.min(collectAtMs, clock.monotonicMs() + garbageGraceMs);
    onStep?.({ kind, namespace: generation.name, ...done, endMs: clock.nowMs() });
  }

  async #collect(known: Known): Promise<void> {
    const { generation, garbage } = known;
    let { waitingCount, removedCount, needsIndex, waitsFor, segmentCount } = await collectGarbage(
      this.#options,
      generation,
      garbage,
    );
    known.segmentCount = segmentCount;
    for (const by of waitsFor) {
      const sharer = this.#knownOf(by);
      await this.#attempt(sharer, "index", async () => void (await this.#index(sharer)));
    }
    if (needsIndex) await this.#index(known);
    if (needsIndex || waitsFor.length > 0) {
      ({ waitingCount, removedCount } = await collectGarbage(this.#options, generation, garbage));
    }
    const { clock, garbageGraceMs } = this.#options;
    const isSame = removedCount === 0 && waitingCount === known.garbageCount;
    known.idleCollections = isSame ? known.idleCollections + 1 : 0;
    known.garbageCount = waitingCount;
    // Objects seen for the first time may be removed a grace period later.
    const waitMs = garbageGraceMs * 2 ** Math.max(0, known.idleCollections - 1);
    const isWaiting = waitingCount > 0;
    known.collectAtMs = isWaiting
      ? clock.monotonicMs() + Math.min(waitMs, Math.max(garbageGraceMs, COLLECT_MS_MAX))
      : undefined;
  }

  /** What fails in one namespace must not keep the others waiting. */
  async #attempt(known: Known, kind: StepKind, step: () => Promise<void>): Promise<void> {
    const nowMs = this.#options.clock.monotonicMs();
    if (nowMs < known.retryAtMs[kind]) return;
    try {
      await step();
      known.damages[kind] = 0;
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
      // A store that fails may work again soon; damage stays.
      const isLost = isDatabaseError(error, "corrupt", "too_new", "too_old");
      const retryMs = INDEX_RETRY_MS * (isLost ? 2 ** known.damages[kind]++ : 1);
      known.retryAtMs[kind] = nowMs + Math.min(retryMs, INDEX_RETRY_MS_MAX);
      const facts = { namespace: known.generation.name, reason: error.message };
      this.#options.log("warn", `cannot ${kind} a namespace now`, facts);
    }
  }

  #forgetIdle({ generation, collectAtMs, restedAtMs, retryAtMs }: Known): void {
    const nowMs = this.#options.clock.monotonicMs();
    const isWaiting = Object.values(retryAtMs).some((atMs) => nowMs < atMs);
    const isKept = isWaiting || collectAtMs !== undefined || restedAtMs !== undefined;
    if (!isKept) this.#known.delete(generationPrefix(generation));
  }

  #knownOf(generation: NamespaceGeneration): Known {
    const key = generationPrefix(generation);
    let known = this.#known.get(key);
    if (known === undefined) {
      const { stepWeightMax: stepWeight, segmentWeightMax: mergeWeightMax } = this.#options;
      const garbage = newGarbageMemory();
      const retryAtMs = { index: 0, merge: 0, collect: 0 };
      const damages = { ...retryAtMs };
      const counts = { garbageCount: 0, idleCollections: 0, segmentCount: 0 };
      const due = { collectAtMs: undefined, restedAtMs: undefined, mergeWeightMax };
      known = { generation, garbage, stepWeight, retryAtMs, damages, ...counts, ...due };
      this.#known.set(key, known);
    }
    return known;
  }
}

/** When to look again at segments that rest, after what became of a compaction. */
function againAtMs(
  outcome: CompactionOutcome | { readonly kind: "out of memory" },
  nowMs: number,
): number | undefined {
  switch (outcome.kind) {
    // What does not fit by itself fits no better later.
    case "out of memory":
    case "nothing to do":
      return undefined;
    case "rest":
      return nowMs + outcome.forMs;
    case "compacted":
      return nowMs;
    case "conflict":
      return nowMs + INDEX_POLL_MS;
    case "too large":
      return nowMs + INDEX_RETRY_MS;
  }
}
