/** Makes a checkpoint of what a namespace is now (namespace/checkpoints/checkpoint.ts). */

import { DatabaseError } from "../../base/errors.ts";
import { type NamespaceName, type SequenceNumber, sequenceNumber } from "../../base/ids.ts";
import { ManifestStore } from "../../manifest/manifest-store.ts";
import { EVERY_NAMESPACE } from "../../model/namespace-pattern.ts";
import {
  type Checkpoint,
  newCheckpoint,
  type Point,
  putCheckpoint,
} from "../../namespace/checkpoints/checkpoint.ts";
import { isDeleted } from "../../namespace/generations/namespace-generations.ts";
import { segmentKey } from "../../storage/object-keys.ts";
import type { Namespace } from "../namespace.ts";
import type { NamespaceCatalog } from "../namespace-catalog.ts";
import type { NamespaceOptions } from "../opened/namespace-options.ts";
import { nameTaken, putOwn } from "./checkpoint-claims.ts";

/** Tries to keep a state while manifests come: one takes seconds of indexing, a try some requests. */
const KEEP_ATTEMPTS_MAX = 8;

/** What keeping a state needs. */
export interface KeepOptions {
  readonly namespaceOptions: Pick<NamespaceOptions, "clock" | "random" | "storeFor">;
  readonly catalog: NamespaceCatalog;
}

/** What a state is kept as. */
export interface KeptAs {
  readonly name: string;
  readonly expiresAtMs: number;
  /** Others may give the name, too, at the same time: one of them does. */
  readonly isAlone: boolean;
}

/**
 * Keeps all that was committed before the call. Throws `not_found` if there is no such namespace,
 * `conflict` where the same was kept under the same name, and `unavailable` where it is indexed
 * faster than it can be kept.
 */
export async function keepPoint(
  name: NamespaceName,
  to: KeptAs,
  { catalog, namespaceOptions }: KeepOptions,
): Promise<Checkpoint> {
  const { clock, random } = namespaceOptions;
  const store = namespaceOptions.storeFor(undefined);
  for (let tried = 1; tried <= KEEP_ATTEMPTS_MAX; tried++) {
    const namespace = await catalog.findNewest(name);
    if (namespace === undefined) throw catalog.notFound(name, [EVERY_NAMESPACE]);
    await namespace.refresh();
    const { generation } = namespace;
    const manifests = new ManifestStore({ ...namespaceOptions, store, generation });
    const newest = await manifests.load();
    const point = pointOf(namespace, newest);
    if (point === undefined) continue;
    const checkpoint = newCheckpoint(generation, point, { ...to, createdAtMs: clock.nowMs() });
    if (!to.isAlone) await putCheckpoint(store, checkpoint);
    else if (!(await putOwn(checkpoint.key, { store, clock, random }))) {
      throw nameTaken(name, to.name);
    }
    let isKept = false;
    try {
      const after = await manifests.load();
      const isNewest = (after?.version ?? 0) === point.manifestVersion;
      isKept = isNewest && !(await isDeleted(store, generation));
      if (isKept) return checkpoint;
    } finally {
      // What nobody is told of would keep garbage until it expires.
      if (!isKept) await store.delete(checkpoint.key);
    }
  }
  throw new DatabaseError(
    "unavailable",
    `💔 namespace '${name}' is being indexed faster than its state can be kept; retry`,
  );
}

/** What the namespace is now; undefined if it has not taken over its newest manifest yet. */
function pointOf(
  namespace: Namespace,
  newest: Awaited<ReturnType<ManifestStore["load"]>>,
): Point | undefined {
  if (namespace.isRetired || !namespace.exists) return undefined;
  const retained = namespace.retain();
  retained.release();
  const { manifestVersion } = retained;
  if ((newest?.version ?? 0) !== manifestVersion) return undefined;
  const { generation } = namespace;
  const named = new Set<string>(
    newest?.segments.map(({ id, owner }) => segmentKey(owner ?? generation, id)),
  );
  const hasImport = retained.stored.some(({ object }) => !named.has(object));
  const covered: SequenceNumber = newest?.indexedUpTo ?? sequenceNumber(0);
  const sequence = sequenceNumber(Math.max(namespace.facts.sequence, covered));
  return { manifestVersion, sequence, hasImport };
}
