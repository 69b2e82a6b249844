/**
 * Holds the openings that servers had to repeat against what happened in the store. Where several
 * servers write, entries of others are applied, and nothing is opened again for their sake.
 */

import { namespaceName } from "../../src/base/ids.ts";
import type { Retirement } from "../../src/commit/namespace-options.ts";
import { nextSequence } from "../../src/log/wal-entry.ts";
import { deletedKey, walKey } from "../../src/storage/object-keys.ts";
import type { CommittedLog } from "./committed-log.ts";
import type { Operation } from "./operation.ts";
import type { Effect } from "./simulated-object-store.ts";

/** A namespace that a server took out of service. */
export interface Reopening extends Retirement {
  readonly event: number;
  /** The server. */
  readonly by: string;
}

/** What happened in a world, as far as it excuses an opening. */
export interface ReopeningCauses {
  readonly effects: readonly Effect[];
  readonly log: CommittedLog;
  /** What clients asked for. */
  readonly operations: readonly Operation[];
  /** The store has answered with damaged bytes. */
  readonly isDamaged: boolean;
  /** A server may not have reached the store, or not run, for longer than it trusts what it knows. */
  readonly mayHaveSlept: boolean;
}

/** Says which openings had no reason. */
export function reopeningFaults(
  reopenings: readonly Reopening[],
  causes: ReopeningCauses,
): string[] {
  return reopenings
    .filter((reopening) => !isExcused(reopening, causes))
    .map(({ by, namespace, generation: generationNumber, sequence, reason, event }) => {
      const what = `${by} opens ${namespace}/${generationNumber} again after entry ${sequence}`;
      return `${what} (event ${event}): ${reason}, for no reason`;
    });
}

function isExcused(
  { namespace, generation: generationNumber, sequence, reason, event }: Reopening,
  { effects, log, operations, isDamaged, mayHaveSlept }: ReopeningCauses,
): boolean {
  const generation = { name: namespaceName(namespace), generation: generationNumber };
  const happened = (kind: Effect["kind"], key: string) =>
    effects.some((effect) => effect.kind === kind && effect.key === key && effect.event <= event);
  switch (reason) {
    case "deleted":
      return (
        happened("put", deletedKey(generation)) ||
        [...log.commits, ...log.strays].some((commit) => {
          const isOf =
            commit.generation.name === namespace &&
            commit.generation.generation === generationNumber;
          const ends = commit.batch.some(({ kind }) => kind === "delete_namespace");
          return isOf && ends && commit.event <= event;
        })
      );
    case "collected":
      return happened("delete", walKey(generation, nextSequence(sequence))) || mayHaveSlept;
    case "damaged":
      return isDamaged || mayHaveSlept;
    case "idle":
    case "reindexed":
      return true;
    case "uncertain":
      // A copy or a deletion whose entry stayed in doubt has marks that an opening settles.
      return operations.some(({ name, sentAt, meaning: { kind } }) => {
        const hasMarks = kind === "copy" || kind === "delete namespace";
        return hasMarks && name === namespace && sentAt <= event;
      });
  }
}
