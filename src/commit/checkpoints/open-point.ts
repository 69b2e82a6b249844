/** Makes a namespace of a state that is kept, or that a backup holds. */

import { DatabaseError } from "../../base/errors.ts";
import type { NamespaceName } from "../../base/ids.ts";
import type { Point } from "../../namespace/checkpoints/checkpoint.ts";
import type { PointObjects } from "../../namespace/checkpoints/point-objects.ts";
import { readClocks } from "../../namespace/clock-reading.ts";
import type { NamespaceInstance } from "../../namespace/published-state.ts";
import type { NamespaceGeneration } from "../../storage/object-keys.ts";
import type { ObjectKey, ObjectStore } from "../../storage/object-store.ts";
import { type CopyOptions, type CopyOutcome, fillNamespace } from "../copies/copy-namespace.ts";
import { type OpenOptions, openNamespace } from "../open-namespace.ts";
import type { NamespaceOptions } from "../opened/namespace-options.ts";
import { retainDocuments } from "../retained-documents.ts";

/** A state, and where its objects lie. */
export interface PointSource {
  readonly of: NamespaceGeneration;
  readonly point: Point;
  readonly objects: PointObjects;
  /** Where an object lies that is not under its own key. */
  placeOf?(key: ObjectKey): ObjectKey | undefined;
  /** Whether the segments of the state are still kept; asked once the new namespace pins them. */
  isKept(): Promise<boolean>;
}

/** What making a namespace of a state needs. */
export interface OpenPointOptions extends CopyOptions {
  readonly namespaceOptions: OpenOptions & Pick<NamespaceOptions, "storeFor">;
  /** Reads objects that lie elsewhere than their keys say; see `StoreAccess.select`. */
  select(places: ReadonlyMap<ObjectKey, ObjectKey>): ObjectStore;
}

/**
 * Makes the namespace `destination`, which shares the segments of the state and has its settings.
 * It exists when all of it does. Throws `conflict` where it exists already, and what is wrong with
 * the state's objects.
 */
export async function openPoint(
  { of, point, objects, placeOf, isKept }: PointSource,
  destination: NamespaceName,
  options: OpenPointOptions,
): Promise<CopyOutcome> {
  const keys = [...objects.own, ...objects.segments];
  const store = options.select(new Map(keys.map((key) => [key, placeOf?.(key) ?? key])));
  const { clock } = options.namespaceOptions;
  const opened = await openNamespace(
    { ...options.namespaceOptions, storeFor: () => store },
    {
      generation: of,
      instance: `${of.name}/${of.generation}/kept` as NamespaceInstance,
      begunAt: readClocks(clock),
    },
  );
  const { documents, facts } = opened;
  try {
    if (facts.settings === undefined || facts.deleted) {
      const what = `there is no namespace in what is kept of '${of.name}'`;
      throw new DatabaseError("corrupt", `cannot read it: ${what}`);
    }
    const { manifestVersion } = point;
    const retained = retainDocuments(opened, { facts, manifestVersion, release: () => {} });
    const listed = new Set<string>(objects.segments);
    const unlisted = retained.stored.find(({ object }) => !listed.has(object));
    if (unlisted !== undefined) {
      const what = "it is part of the namespace, but not among the objects of what is kept";
      throw new DatabaseError("corrupt", `cannot read ${unlisted.object}: ${what}`);
    }
    const { settings } = facts;
    const isFilled = await fillNamespace(retained, destination, { ...options, settings, isKept });
    if (!isFilled) {
      throw new DatabaseError("not_found", `🤷 what was kept of '${of.name}' has just expired`);
    }
    const { documentCount } = retained;
    return { documentCount, billedBytes: 0 };
  } finally {
    documents.clear();
    documents.releaseAll();
  }
}
