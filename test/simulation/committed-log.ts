/**
 * What was committed, as the store saw it: the batches of all logs in the order in which their
 * entries took effect. Checks on the way what holds for every log by itself (I7).
 */

import { sequenceNumber } from "../../src/base/ids.ts";
import { decodeWalEntry } from "../../src/log/wal-entry.ts";
import { decodeBatches, type WriteBatch } from "../../src/log/wal-records.ts";
import {
  type NamespaceGeneration,
  parseDeletedKey,
  parseGenerationPrefix,
  parseWalKey,
} from "../../src/storage/object-keys.ts";
import type { ObjectKey } from "../../src/storage/object-store.ts";
import type { Effect } from "./simulated-object-store.ts";

/** A batch that a log holds. */
export interface Commit {
  /** Number of the event at which it took effect. */
  readonly event: number;
  readonly generation: NamespaceGeneration;
  readonly sequence: number;
  /** The end of a generation by its deletion mark alone has none. */
  readonly batch: WriteBatch;
}

/** All logs of a run. */
export interface CommittedLog {
  readonly commits: readonly Commit[];
  /** Entries that took effect where no reader looks any more; what they say never happened. */
  readonly strays: readonly Commit[];
  readonly faults: readonly string[];
}

interface Life {
  last: number;
  isOver: boolean;
}

/** Reads the logs out of everything that was ever put. */
export async function readCommittedLog(effects: readonly Effect[]): Promise<CommittedLog> {
  const reading = new Reading();
  for (const effect of effects) if (effect.kind === "put") await reading.take(effect);
  return reading;
}

class Reading implements CommittedLog {
  readonly commits: Commit[] = [];
  readonly strays: Commit[] = [];
  readonly faults: string[] = [];
  readonly #lives = new Map<string, Life>();
  readonly #seen = new Set<ObjectKey>();

  async take({ key, event, body }: Effect): Promise<void> {
    const deleted = parseDeletedKey(key);
    if (deleted !== undefined) this.#end(deleted, event);
    const generation = generationOf(key);
    const sequence = generation && parseWalKey(generation, key);
    if (generation === undefined || sequence === undefined || body === undefined) return;
    const isFirst = !this.#seen.has(key);
    this.#seen.add(key);
    const entry = await decodeWalEntry(body, generation, sequenceNumber(sequence));
    const batches = decodeBatches(entry.records, key);
    const commits = batches.map((batch) => ({ event, generation, sequence, batch }));
    const life = this.#lifeOf(generation);
    if (!isFirst || life.isOver) {
      this.strays.push(...commits);
      return;
    }
    if (sequence !== life.last + 1) this.faults.push(`I7: ${key} follows entry ${life.last}`);
    life.last = sequence;
    this.commits.push(...commits);
    life.isOver = batches.some((batch) => batch.some(({ kind }) => kind === "delete_namespace"));
  }

  /** A deletion mark that no entry comes before. */
  #end(generation: NamespaceGeneration, event: number): void {
    const life = this.#lifeOf(generation);
    if (life.isOver) return;
    life.isOver = true;
    if (life.last === 0) return; // It never lived: a copy that came to nothing.
    this.commits.push({
      event,
      generation,
      sequence: life.last + 1,
      batch: [{ kind: "delete_namespace" }],
    });
  }

  #lifeOf({ name, generation: generationNumber }: NamespaceGeneration): Life {
    const key = `${name}/${generationNumber}`;
    const life = this.#lives.get(key) ?? { last: 0, isOver: false };
    this.#lives.set(key, life);
    return life;
  }
}

/** The generation whose prefix a key is under. */
export function generationOf(key: string): NamespaceGeneration | undefined {
  const match = /^namespaces\/[^/]+\/\d+\//.exec(key);
  return match === null ? undefined : parseGenerationPrefix(match[0]);
}
