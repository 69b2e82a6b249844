/**
 * What a server and the indexer that it started say to each other. Either only makes the other one
 * look into the store, so that a message which is lost costs time, and a wrong one a look.
 */

import { type NamespaceName, namespaceName, namespaceNameFault } from "../base/ids.ts";

/** Server → indexer: there is a hint. */
export const HINTED = "hinted";

/** Indexer → server: a namespace has a new manifest. */
export interface ManifestMessage {
  readonly manifestOf: NamespaceName;
}

/** The namespace that a message of an indexer is about; undefined if it is no such message. */
export function namespaceOfManifest(message: unknown): NamespaceName | undefined {
  const { manifestOf } = (message ?? {}) as { readonly manifestOf?: unknown };
  if (typeof manifestOf !== "string" || namespaceNameFault(manifestOf)) return undefined;
  return namespaceName(manifestOf);
}
