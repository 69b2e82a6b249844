/** How the kinds of objects that a namespace has say which of them nothing reaches. */

import type { Manifest } from "../../manifest/manifest.ts";
import type { NamespaceGeneration } from "../../storage/object-keys.ts";
import type { ObjectKey } from "../../storage/object-store.ts";

/** What becomes of one object. */
export type Reach =
  /** The newest manifest, or its log, needs it; or nobody knows what it is. */
  | "reached"
  /** Nothing reaches it yet; the next manifest may. */
  | "pending"
  /** Nothing reaches it, nor ever will. */
  | "unreachable";

/** Judges one key; undefined for the keys of other kinds. */
export type ReachOf = (key: ObjectKey) => Reach | undefined;

/**
 * One kind of object. Pure: which of its keys are reached follows from the newest manifest of the
 * generation, of which all keys are judged by one `ReachOf`.
 */
export type GarbageKind = (generation: NamespaceGeneration, newest: Manifest) => ReachOf;
