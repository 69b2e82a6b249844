/** The named checkpoints of namespaces, as users make, see, remove and go back to them. */

import { clip } from "../../base/bounded-text.ts";
import { DatabaseError, invalid } from "../../base/errors.ts";
import type { NamespaceName } from "../../base/ids.ts";
import {
  type Checkpoint,
  checkpointNameFault,
  isNamed,
  listCheckpoints,
} from "../../namespace/checkpoints/checkpoint.ts";
import { pointObjects } from "../../namespace/checkpoints/point-objects.ts";
import type { CopyOutcome } from "../copies/copy-namespace.ts";
import { awaitClaimable, claimName, nameTaken, releaseName } from "./checkpoint-claims.ts";
import { keepPoint } from "./keep-point.ts";
import { type OpenPointOptions, openPoint } from "./open-point.ts";

/** Checkpoints of one namespace: collecting its garbage reads a manifest for each. */
export const CHECKPOINTS_MAX = 256;

/**
 * Makes a checkpoint of what a namespace is now. Throws `conflict` where the name is taken, also by
 * another server at the same time.
 */
export async function createCheckpoint(
  namespace: NamespaceName,
  to: { readonly name: string; readonly expiresAtMs: number },
  options: OpenPointOptions,
): Promise<Checkpoint> {
  const fault = checkpointNameFault(to.name);
  if (fault !== undefined) throw invalid(`💔 checkpoint '${clip(to.name)}': ${fault}`);
  const { clock, random, storeFor } = options.namespaceOptions;
  const claims = { store: storeFor(undefined), clock, random };
  const claim = await awaitClaimable(namespace, to.name, claims);
  const known = await currentCheckpoints(namespace, options);
  if (known.some(({ name }) => name === to.name)) throw nameTaken(namespace, to.name);
  if (known.length >= CHECKPOINTS_MAX) {
    throw new DatabaseError(
      "conflict",
      `💔 namespace '${namespace}' has ${known.length} checkpoints, at most ${CHECKPOINTS_MAX} ` +
        "may be: delete some, or let them expire sooner",
    );
  }
  await claimName(claim, claims);
  try {
    return await keepAlone(namespace, to, options);
  } finally {
    // One that stays is waited for by the next that wants the name, and then removed.
    await releaseName(claim, claims).catch(() => {});
  }
}

/** Makes a checkpoint, and takes it back where another one has its name. Throws `conflict`. */
async function keepAlone(
  namespace: NamespaceName,
  to: { readonly name: string; readonly expiresAtMs: number },
  options: OpenPointOptions,
): Promise<Checkpoint> {
  const made = await keepPoint(namespace, { ...to, isAlone: true }, options);
  let isAlone = false;
  try {
    const current = await currentCheckpoints(namespace, options);
    isAlone = current.every(({ name, key }) => name !== to.name || key === made.key);
    if (isAlone) return made;
  } finally {
    // What nobody is told of would keep garbage until it expires.
    if (!isAlone) await options.namespaceOptions.storeFor(undefined).delete(made.key);
  }
  throw nameTaken(namespace, to.name);
}

/**
 * The named checkpoints of all generations of a namespace that have not expired, the oldest first:
 * those of deleted ones, too.
 */
export async function currentCheckpoints(
  namespace: NamespaceName,
  { namespaceOptions }: Pick<OpenPointOptions, "namespaceOptions">,
): Promise<Checkpoint[]> {
  const nowMs = namespaceOptions.clock.nowMs();
  const all = await listCheckpoints(namespaceOptions.storeFor(undefined), namespace);
  const current = all.filter((found) => isNamed(found) && found.expiresAtMs > nowMs);
  return current.sort((a, b) => a.createdAtMs - b.createdAtMs);
}

/** Removes a checkpoint. Throws `not_found`. */
export async function deleteCheckpoint(
  namespace: NamespaceName,
  name: string,
  options: OpenPointOptions,
): Promise<void> {
  const found = await findCheckpoint(namespace, name, options);
  await options.namespaceOptions.storeFor(undefined).delete(found.key);
}

/** Makes the namespace `as` of a checkpoint. Throws `not_found`, and `conflict` where it exists. */
export async function restoreCheckpoint(
  namespace: NamespaceName,
  { name, as }: { readonly name: string; readonly as: NamespaceName },
  options: OpenPointOptions,
): Promise<CopyOutcome> {
  const checkpoint = await findCheckpoint(namespace, name, options);
  if ((await options.catalog.findNewest(as)) !== undefined) {
    throw new DatabaseError(
      "conflict",
      `💔 namespace '${as}' exists: restore under another name ("as"), or delete it first`,
    );
  }
  const store = options.namespaceOptions.storeFor(undefined);
  const { of } = checkpoint;
  const objects = await pointObjects(options.namespaceOptions, of, checkpoint);
  const isKept = async () => (await store.get(checkpoint.key)) !== undefined;
  return openPoint({ of, point: checkpoint, objects, isKept }, as, options);
}

async function findCheckpoint(
  namespace: NamespaceName,
  name: string,
  options: OpenPointOptions,
): Promise<Checkpoint> {
  const all = await currentCheckpoints(namespace, options);
  const found = all.find((checkpoint) => checkpoint.name === name);
  if (found !== undefined) return found;
  const names = all.map((checkpoint) => checkpoint.name);
  throw new DatabaseError(
    "not_found",
    `🤷 namespace '${namespace}' has no checkpoint '${clip(name)}'; ` +
      (names.length === 0 ? "it has none" : `it has ${clip(names.join(", "), 500)}`),
  );
}
