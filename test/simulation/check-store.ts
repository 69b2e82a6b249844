/**
 * Holds what was put into the store, removed from it and left in it against the histories: every
 * manifest names objects that are there and counts the documents right (I7, I13); nothing goes that
 * is still reached, and what nothing reaches is gone at the end (I12).
 */

import { sequenceNumber } from "../../src/base/ids.ts";
import { decodeWalEntry } from "../../src/log/wal-entry.ts";
import { decodeBatches } from "../../src/log/wal-records.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import { decodeManifest } from "../../src/manifest/manifest-codec.ts";
import {
  DELETED_PREFIX,
  generationPrefix,
  manifestKey,
  type NamespaceGeneration,
  parseCoverageKey,
  parseManifestKey,
  parsePinKey,
  parseWalKey,
  segmentKey,
  segmentPrefix,
} from "../../src/storage/object-keys.ts";
import type { ObjectKey } from "../../src/storage/object-store.ts";
import { type CommittedLog, generationOf } from "./committed-log.ts";
import type { PlacedCommits } from "./place-commits.ts";
import type { Effect, SimulatedObjectStore } from "./simulated-object-store.ts";

/** Says what is wrong with what was put and removed, and with what is left. */
export async function storeFaults(
  store: SimulatedObjectStore,
  log: CommittedLog,
  placed: PlacedCommits,
): Promise<string[]> {
  const replay = new Replay(log, placed);
  for (const effect of store.effects) await replay.take(effect);
  replay.checkLeft();
  return replay.faults;
}

/** One life of a namespace, as far as its objects tell. */
interface Life {
  readonly generation: NamespaceGeneration;
  newest: Manifest | undefined;
  /** Objects that each entry of the log brings in. */
  readonly imports: Map<number, readonly ObjectKey[]>;
  /** Event from which on it is over. */
  readonly overAt: number;
}

class Replay {
  readonly faults: string[] = [];
  readonly #present = new Set<ObjectKey>();
  readonly #bodies = new Map<ObjectKey, Uint8Array>();
  readonly #lives = new Map<string, Life>();
  readonly #log: CommittedLog;
  readonly #placed: PlacedCommits;

  constructor(log: CommittedLog, placed: PlacedCommits) {
    this.#log = log;
    this.#placed = placed;
  }

  async take(effect: Effect): Promise<void> {
    const { kind, key, event } = effect;
    if (kind === "put") this.#present.add(key);
    else this.#present.delete(key);
    if (kind === "delete") this.#bodies.delete(key);
    const generation = generationOf(key);
    if (generation === undefined) return;
    const life = this.#lifeOf(generation);
    if (kind === "put" && parsePinKey(generation, key) === undefined) this.#checkUnchanged(effect);
    if (kind === "delete") this.#removed(life, effect);
    else if (event < life.overAt) await this.#put(life, effect);
  }

  /** What has a number or a name of its own is put once. */
  #checkUnchanged({ key, body, event, by }: Effect): void {
    const before = this.#bodies.get(key);
    if (before !== undefined && body !== undefined && Buffer.compare(before, body) !== 0) {
      this.faults.push(`I7: ${by} overwrites ${key} (event ${event})`);
    }
    if (body !== undefined) this.#bodies.set(key, body);
  }

  /** What nothing reaches. */
  checkLeft(): void {
    const live = [...this.#lives.values()].filter(({ overAt }) => !Number.isFinite(overAt));
    const reached = new Set(live.flatMap((life) => [...reach(life)]));
    for (const key of this.#present) {
      const generation = generationOf(key);
      const isKept =
        generation === undefined ? this.#isMark(key) : this.#isKept(generation, key, reached);
      if (!isKept) this.faults.push(`I12: ${key} is left`);
    }
  }

  #isKept(
    generation: NamespaceGeneration,
    key: ObjectKey,
    reached: ReadonlySet<ObjectKey>,
  ): boolean {
    const life = this.#lifeOf(generation);
    const sharer = parsePinKey(generation, key);
    if (sharer !== undefined) {
      const by = this.#lifeOf(sharer);
      const isNeeded = [...reach(by)].some((name) => name.startsWith(segmentPrefix(generation)));
      return isNeeded && !Number.isFinite(by.overAt);
    }
    const isLive = !Number.isFinite(life.overAt);
    const covered = parseCoverageKey(generation, key);
    if (covered !== undefined) return isLive && covered === life.newest?.indexedUpTo;
    const sequence = parseWalKey(generation, key);
    const isEntry = sequence !== undefined && sequence > (life.newest?.indexedUpTo ?? 0);
    return reached.has(key) || (isEntry && isLive);
  }

  async #put(life: Life, { key, body = new Uint8Array(0), event }: Effect): Promise<void> {
    const { generation } = life;
    const sequence = parseWalKey(generation, key);
    if (sequence !== undefined) return this.#putEntry(life, { key, body, sequence });
    const version = parseManifestKey(generation, key);
    if (version === undefined || version <= (life.newest?.version ?? 0)) return;
    const { manifest } = await decodeManifest(body, generation, version);
    life.newest = manifest;
    const what = `${key} (event ${event})`;
    if (version > 1 && !this.#present.has(manifestKey(generation, version - 1))) {
      this.faults.push(`I7: ${what} follows no version`);
    }
    for (const name of reach(life)) {
      if (!this.#present.has(name)) this.faults.push(`I7: ${what} names ${name}, which is missing`);
    }
    const wanted = this.#countsAt(generation, manifest.indexedUpTo);
    const count = manifest.segments.reduce((sum, s) => sum + s.documentCount - s.deletedCount, 0);
    if (!wanted.includes(count)) {
      this.faults.push(
        `I13: ${what} has ${count} documents up to ${manifest.indexedUpTo}, not ${wanted}`,
      );
    }
  }

  async #putEntry(
    { generation, imports }: Life,
    { key, body, sequence }: { key: ObjectKey; body: Uint8Array; sequence: number },
  ): Promise<void> {
    if (imports.has(sequence)) return; // Others have moved on since.
    const entry = await decodeWalEntry(body, generation, sequenceNumber(sequence));
    const named = decodeBatches(entry.records, key)
      .flat()
      .flatMap((record) => {
        if (record.kind !== "import") return [];
        return record.segments.flatMap(({ id, owner, tombstoneObject }) => [
          segmentKey(owner ?? generation, id),
          ...(tombstoneObject ? [segmentKey(generation, tombstoneObject as typeof id)] : []),
        ]);
      });
    imports.set(sequence, named);
    for (const name of named) {
      if (!this.#present.has(name)) this.faults.push(`I7: ${key} names ${name}, which is missing`);
    }
  }

  #removed(life: Life, { key, event, by }: Effect): void {
    const sequence = parseWalKey(life.generation, key);
    const isOver = event >= life.overAt;
    const isEntry = sequence !== undefined && !isOver && life.imports.has(sequence);
    const isNeeded =
      (isEntry && sequence > (life.newest?.indexedUpTo ?? 0)) ||
      [...this.#lives.values()].some((other) => event < other.overAt && reach(other).has(key));
    if (isNeeded) this.faults.push(`I12: ${by} removes ${key} (event ${event}), which is needed`);
  }

  /** Numbers of documents that the namespace may have after an entry. */
  #countsAt(
    { name, generation: generationNumber }: NamespaceGeneration,
    sequence: number,
  ): number[] {
    const { positions } = this.#placed.timeline(name);
    const index = positions.findLastIndex((position) => {
      return position.generation === generationNumber && position.sequence === sequence;
    });
    const states = index < 0 ? [] : this.#placed.timeline(name).possibleStates(index);
    return states.map((state) => state?.documents.size ?? 0);
  }

  /** Marks of deletions stay, and so may hints of living namespaces: their log may be long. */
  #isMark(key: string): boolean {
    const match = /^dirty\/(.*)$/.exec(key);
    const life = match && this.#lives.get(`namespaces/${match[1]}/`);
    return key.startsWith(DELETED_PREFIX) || life?.overAt === Number.POSITIVE_INFINITY;
  }

  #lifeOf(generation: NamespaceGeneration): Life {
    const key = generationPrefix(generation);
    let life = this.#lives.get(key);
    if (life === undefined) {
      const own = this.#log.commits.filter((commit) => {
        return (
          commit.generation.name === generation.name &&
          commit.generation.generation === generation.generation
        );
      });
      const end = own.find(({ batch }) =>
        batch.some((record) => record.kind === "delete_namespace"),
      );
      // What never had an entry never was.
      const overAt = own.length === 0 ? 0 : (end?.event ?? Number.POSITIVE_INFINITY);
      life = { generation, newest: undefined, imports: new Map(), overAt };
      this.#lives.set(key, life);
    }
    return life;
  }
}

/** Objects that the newest manifest, or an entry after it, names. */
function reach({ generation, newest, imports }: Life): Set<ObjectKey> {
  const reached = new Set<ObjectKey>();
  if (newest !== undefined) {
    reached.add(manifestKey(generation, newest.version));
    for (const { id, owner, tombstoneObject } of newest.segments) {
      reached.add(segmentKey(owner ?? generation, id));
      if (tombstoneObject) reached.add(segmentKey(generation, tombstoneObject as typeof id));
    }
  }
  for (const [sequence, keys] of imports) {
    if (sequence > (newest?.indexedUpTo ?? 0)) for (const key of keys) reached.add(key);
  }
  return reached;
}
