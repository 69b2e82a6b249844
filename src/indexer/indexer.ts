/**
 * Indexes, compacts and collects namespaces, one step at a time. All that it knows comes from the
 * store: a namespace is due if its log is long, which hints tell soon and a sweep over all
 * namespaces tells in any case. A hint is removed before the work that it asks for, so that one
 * which comes meanwhile stays, and is put again if the work fails. Hints go before the sweep, and
 * a log that grows faster than it is indexed does not keep the others waiting.
 */

import { isDatabaseError } from "../base/errors.ts";
import {
  INDEX_POLL_MS,
  INDEX_RETRY_MS,
  INDEX_STEP_SHRINK,
  INDEX_SWEEP_MS,
} from "../base/limits.ts";
import { collectGarbage, type GarbageMemory, newGarbageMemory } from "../engine/collect-garbage.ts";
import { storePages } from "../engine/store-pages.ts";
import { isDeleted } from "../namespace/generations/namespace-generations.ts";
import {
  DIRTY_PREFIX,
  dirtyKey,
  generationPrefix,
  NAMESPACES_PREFIX,
  type NamespaceGeneration,
  namespacePrefix,
  parseDirtyKey,
  parseGenerationPrefix,
  parseNamespacePrefix,
} from "../storage/object-keys.ts";
import { ALWAYS } from "../storage/object-store.ts";
import { compactNamespace } from "./compact-namespace.ts";
import { type IndexOutcome, indexNamespace } from "./index-namespace.ts";
import type { IndexerParts } from "./indexer-options.ts";

interface Known {
  readonly at: NamespaceGeneration;
  readonly garbage: GarbageMemory;
  /** Bytes of the log that fit one step. */
  stepBytes: number;
  /** Not before; by the monotonic clock. What cannot be merged may still have garbage. */
  readonly retryAtMs: { index: number; collect: number };
  /** When garbage is looked for next; undefined: there is none that waits. */
  collectAtMs: number | undefined;
}

/** One indexer over one store. */
export class Indexer {
  readonly #parts: IndexerParts;
  readonly #known = new Map<string, Known>();
  #sweepAtMs = 0;
  #heardAtMs = 0;
  #stopping = false;

  constructor(parts: IndexerParts) {
    this.#parts = parts;
  }

  /** Works until `stop`. */
  async run(): Promise<void> {
    while (!this.#stopping) {
      try {
        await this.pass();
      } catch (error) {
        if (!isDatabaseError(error)) throw error;
        this.#parts.log("warn", "cannot look for work", { reason: error.message });
      }
      if (!this.#stopping) await this.#parts.clock.sleep(INDEX_POLL_MS);
    }
  }

  /** Ends `run` after the step under way. */
  stop(): void {
    this.#stopping = true;
  }

  /** Generations that it has in mind: those with garbage that waits, and those that failed. */
  get knownCount(): number {
    return this.#known.size;
  }

  /** Does everything that is due now. */
  async pass(): Promise<void> {
    await this.#hear();
    const nowMs = this.#parts.clock.monotonicMs();
    if (nowMs >= this.#sweepAtMs) {
      this.#sweepAtMs = nowMs + INDEX_RETRY_MS; // Unless it comes to its end.
      await this.#sweep();
      this.#sweepAtMs = nowMs + INDEX_SWEEP_MS;
    }
    for (const known of [...this.#known.values()]) {
      if (this.#stopping) return;
      const isDue = known.collectAtMs !== undefined && known.collectAtMs <= nowMs;
      if (isDue) await this.#attempt(known, "collect", () => this.#collect(known));
      else this.#forgetIdle(known);
      await this.#hearInBetween();
    }
  }

  /** Indexes all of a namespace's log, whatever its length. */
  async indexAll(at: NamespaceGeneration): Promise<void> {
    const known = this.#knownAt(at);
    await this.#index(known);
    await this.#collect(known);
  }

  async #hinted(): Promise<NamespaceGeneration[]> {
    const found: NamespaceGeneration[] = [];
    for await (const page of storePages(this.#parts.store, DIRTY_PREFIX)) {
      for (const key of page.keys) {
        const at = parseDirtyKey(key);
        if (at !== undefined) found.push(at);
      }
    }
    return found;
  }

  /** Does what hints ask for. */
  async #hear(): Promise<void> {
    this.#heardAtMs = this.#parts.clock.monotonicMs();
    for (const at of await this.#hinted()) await this.#work(at);
  }

  /** The same where other work takes long. */
  async #hearInBetween(): Promise<void> {
    if (this.#parts.clock.monotonicMs() - this.#heardAtMs >= INDEX_POLL_MS) await this.#hear();
  }

  async #work(at: NamespaceGeneration): Promise<void> {
    if (this.#stopping) return;
    const known = this.#knownAt(at);
    const { store } = this.#parts;
    await this.#attempt(known, "index", async () => {
      await store.delete(dirtyKey(at));
      let isDone = false;
      try {
        isDone = await this.#index(known);
      } finally {
        // The failure of the work is the one to tell; without the hint, servers hint again.
        const again = async () => void (await store.put(dirtyKey(at), new Uint8Array(0), ALWAYS));
        if (!isDone) await again().catch(() => {});
      }
    });
  }

  /** Looks at all generations of all namespaces. */
  async #sweep(): Promise<void> {
    const { store } = this.#parts;
    for await (const page of storePages(store, NAMESPACES_PREFIX, "/")) {
      for (const prefix of page.prefixes) {
        const name = parseNamespacePrefix(prefix);
        if (name === undefined) continue;
        for await (const inner of storePages(store, namespacePrefix(name), "/")) {
          for (const generation of inner.prefixes) {
            const at = parseGenerationPrefix(generation);
            if (this.#stopping) return;
            if (at !== undefined) await this.#lookAt(this.#knownAt(at));
            await this.#hearInBetween();
          }
        }
      }
    }
  }

  async #lookAt(known: Known): Promise<void> {
    await this.#attempt(known, "index", async () => {
      if (await this.#isLong(known.at)) await this.#index(known);
    });
    await this.#attempt(known, "collect", () => this.#collect(known));
    this.#forgetIdle(known);
  }

  /** Counts entries without reading them: those that a manifest covers wait to be collected. */
  async #isLong(at: NamespaceGeneration): Promise<boolean> {
    const { indexTailEntries } = this.#parts.thresholds;
    let count = 0;
    for await (const { keys } of storePages(this.#parts.store, `${generationPrefix(at)}wal/`)) {
      count += keys.length;
      if (count >= indexTailEntries) return true;
    }
    return false;
  }

  /** Indexes the log as it is now. False if it was stopped, or another indexer came first. */
  async #index(known: Known): Promise<boolean> {
    const { at } = known;
    const { log, store } = this.#parts;
    known.collectAtMs ??= this.#parts.clock.monotonicMs();
    // What a dead generation's log holds is what came too late; it may have gaps.
    if (await isDeleted(store, at)) return true;
    for (;;) {
      const outcome = await this.#indexStep(known);
      if (outcome.kind === "indexed" && outcome.entryCount > 0) {
        const { entryCount: entries, documentCount: documents } = outcome;
        log("info", "indexed", { namespace: at.name, entries, documents });
      }
      const isFirst = outcome.kind !== "conflict" && (await this.#compact(known));
      known.collectAtMs ??= this.#parts.clock.monotonicMs();
      if (this.#stopping || !isFirst) return false;
      if (outcome.kind === "absent" || outcome.isWhole) return true;
    }
  }

  /** A log may take many times its size in memory: steps that do not fit are made smaller. */
  async #indexStep(known: Known): Promise<IndexOutcome> {
    for (;;) {
      try {
        return await indexNamespace(this.#parts, known.at, known.stepBytes);
      } catch (error) {
        const isLeast = known.stepBytes < 1;
        if (isLeast || !isDatabaseError(error, "overloaded")) throw error;
        known.stepBytes = Math.floor(known.stepBytes / INDEX_STEP_SHRINK);
      }
    }
  }

  /**
   * Merges what is due; false if another indexer was faster. Where memory is short, segments stay
   * as they are; the log must not wait for them.
   */
  async #compact({ at }: Known): Promise<boolean> {
    const { log } = this.#parts;
    while (!this.#stopping) {
      const outcome = await compactNamespace(this.#parts, at).catch((error: unknown) => {
        if (!isDatabaseError(error, "overloaded")) throw error;
        const facts = { namespace: at.name, reason: error.message };
        log("warn", "cannot compact a namespace now", facts);
      });
      if (outcome?.kind !== "compacted") return outcome?.kind !== "conflict";
      const { inputCount, bytesWritten } = outcome;
      const facts = { namespace: at.name, segments: inputCount, bytes: bytesWritten };
      log("info", "compacted", facts);
    }
    return true;
  }

  async #collect(known: Known): Promise<void> {
    const { at, garbage } = known;
    let { waitingCount, needsIndex, waitsFor } = await collectGarbage(this.#parts, at, garbage);
    for (const by of waitsFor) {
      const sharer = this.#knownAt(by);
      await this.#attempt(sharer, "index", async () => void (await this.#index(sharer)));
    }
    if (needsIndex) await this.#index(known);
    if (needsIndex || waitsFor.length > 0) {
      ({ waitingCount } = await collectGarbage(this.#parts, at, garbage));
    }
    const nowMs = this.#parts.clock.monotonicMs();
    known.collectAtMs = waitingCount > 0 ? nowMs + this.#parts.garbageGraceMs : undefined;
  }

  /** What fails in one namespace must not keep the others waiting. */
  async #attempt(
    known: Known,
    kind: keyof Known["retryAtMs"],
    step: () => Promise<void>,
  ): Promise<void> {
    const nowMs = this.#parts.clock.monotonicMs();
    if (nowMs < known.retryAtMs[kind]) return;
    try {
      await step();
    } catch (error) {
      if (!isDatabaseError(error)) throw error;
      known.retryAtMs[kind] = nowMs + INDEX_RETRY_MS;
      const facts = { namespace: known.at.name, reason: error.message };
      this.#parts.log("warn", `cannot ${kind} a namespace now`, facts);
    }
  }

  #forgetIdle({ at, collectAtMs, retryAtMs }: Known): void {
    const nowMs = this.#parts.clock.monotonicMs();
    const isWaiting = nowMs < retryAtMs.index || nowMs < retryAtMs.collect;
    if (collectAtMs === undefined && !isWaiting) this.#known.delete(generationPrefix(at));
  }

  #knownAt(at: NamespaceGeneration): Known {
    const key = generationPrefix(at);
    let known = this.#known.get(key);
    if (known === undefined) {
      const { stepBytesMax: stepBytes } = this.#parts;
      const garbage = newGarbageMemory();
      const retryAtMs = { index: 0, collect: 0 };
      known = { at, garbage, stepBytes, retryAtMs, collectAtMs: undefined };
      this.#known.set(key, known);
    }
    return known;
  }
}
