/**
 * Holds the openings that servers had to repeat against what happened in the store. Where several
 * servers write, entries of others are applied, and nothing is opened again for their sake.
 */

import { namespaceName } from "../../src/base/ids.ts";
import { NAMESPACE_POLL_MS } from "../../src/commit/namespace-catalog.ts";
import { LOG_END_KNOWN_MS_MAX } from "../../src/commit/opened/namespace-log.ts";
import type { Retirement } from "../../src/commit/opened/namespace-options.ts";
import { nextSequence } from "../../src/log/wal-entry.ts";
import { decodeManifest } from "../../src/manifest/manifest-codec.ts";
import {
  deletedKey,
  NAMESPACES_PREFIX,
  type NamespaceGeneration,
  parseManifestKey,
  walKey,
} from "../../src/storage/object-keys.ts";
import type { Commit, CommittedLog } from "./committed-log.ts";
import type { Operation } from "./operation.ts";
import type { Effect } from "./simulated-object-store.ts";

/** Longest time of a poll that finds newer manifests, over a store without faults. */
const POLL_TAKES_MS_MAX = 500;

/** A namespace that a server took out of service. */
export interface Reopening extends Retirement {
  readonly event: number;
  /** The simulated time, in milliseconds. */
  readonly atMs: number;
  /** The server. */
  readonly by: string;
}

/** What happened in a run, as far as it excuses an opening. */
export interface ReopeningCauses {
  readonly effects: readonly Effect[];
  readonly log: CommittedLog;
  /** What clients asked for. */
  readonly operations: readonly Operation[];
  /** The store has answered with damaged bytes. */
  readonly isDamaged: boolean;
  /** Calls of the store have failed at times. */
  readonly hasFailed: boolean;
  /** A server may not have reached the store, or not run, for longer than it trusts what it knows. */
  readonly mayHaveSlept: boolean;
}

/** Says which openings had no reason. */
export async function reopeningFaults(
  reopenings: readonly Reopening[],
  causes: ReopeningCauses,
): Promise<string[]> {
  const faults: string[] = [];
  for (const reopening of reopenings) {
    if (await isExcused(reopening, causes)) continue;
    const { by, namespace, generation: generationNumber, sequence, reason, event } = reopening;
    const what = `${by} opens ${namespace}/${generationNumber} again after entry ${sequence}`;
    faults.push(`${what} (event ${event}): ${reason}, for no reason`);
  }
  return faults;
}

async function isExcused(
  reopening: Reopening,
  { effects, log, operations, isDamaged, hasFailed, mayHaveSlept }: ReopeningCauses,
): Promise<boolean> {
  const { namespace, generation: generationNumber, sequence, reason, event } = reopening;
  const generation = { name: namespaceName(namespace), generation: generationNumber };
  const before = effects.filter((effect) => effect.event <= event);
  const happened = (kind: Effect["kind"], key: string) =>
    before.some((effect) => effect.kind === kind && effect.key === key);
  const committed = (commits: readonly Commit[], kind: Commit["batch"][number]["kind"]) =>
    commits.flatMap((commit) => {
      const isOf =
        commit.generation.name === namespace && commit.generation.generation === generationNumber;
      const isBefore = isOf && commit.event <= event;
      return isBefore ? commit.batch.filter((record) => record.kind === kind) : [];
    });
  switch (reason) {
    case "deleted":
      return (
        happened("put", deletedKey(generation)) ||
        committed([...log.commits, ...log.strays], "delete_namespace").length > 0
      );
    case "collected": {
      const next = nextSequence(sequence);
      const isGone =
        mayHaveSlept ||
        happened("delete", walKey(generation, next)) ||
        wasUnused(reopening, operations);
      return isGone && (await lastCovered(before, generation)) >= next;
    }
    case "damaged": {
      // What was removed while it slept looks like what is lost.
      const isRemoved = ({ kind, key }: Effect) =>
        kind === "delete" && key.startsWith(NAMESPACES_PREFIX);
      return isDamaged || (mayHaveSlept && before.some(isRemoved));
    }
    case "idle":
      return false; // Nothing is logged of it.
    case "reindexed":
      // The first schema, and one that changes it; a copy may bring both.
      return committed(log.commits, "schema").length > 1;
    case "uncertain":
      // A copy or a deletion whose entry stayed in doubt has marks that an opening settles.
      return (
        hasFailed &&
        operations.some(({ name, sentAt, meaning: { kind } }) => {
          const hasMarks = kind === "copy" || kind === "delete namespace";
          return hasMarks && name === namespace && sentAt <= event;
        })
      );
  }
}

/**
 * Returns true if no request used the namespace on this server while its knowledge of the log's end
 * grew too old. A listing reads the store and uses no namespace. Requests within the last poll
 * interval do not count: the poll after them is the first that could refresh it.
 */
export function wasUnused(
  { namespace, by, event, atMs }: Pick<Reopening, "namespace" | "by" | "event" | "atMs">,
  operations: readonly Pick<Operation, "name" | "meaning" | "server" | "sentAt" | "sentAtMs">[],
): boolean {
  return operations.every(({ name, meaning, server, sentAt, sentAtMs }) => {
    const isUse = name === namespace && meaning.kind !== "list" && server === by;
    if (!isUse || sentAt > event) return true;
    const agoMs = atMs - sentAtMs;
    return agoMs > LOG_END_KNOWN_MS_MAX || agoMs <= NAMESPACE_POLL_MS + POLL_TAKES_MS_MAX;
  });
}

/** The last entry that any manifest of a generation covers. */
async function lastCovered(
  effects: readonly Effect[],
  generation: NamespaceGeneration,
): Promise<number> {
  let last = 0;
  for (const { kind, key, body } of effects) {
    const version = kind === "put" ? parseManifestKey(generation, key) : undefined;
    if (version === undefined || body === undefined) continue;
    const { manifest } = await decodeManifest(body, generation, version);
    last = Math.max(last, manifest.indexedUpTo);
  }
  return last;
}
