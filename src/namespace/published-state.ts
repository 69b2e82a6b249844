/** What the write thread publishes of a namespace for queries, beside its segments. */

import type { SequenceNumber } from "../base/ids.ts";
import type { IndexBuild } from "../model/index-build.ts";
import type { IndexStatus } from "../model/index-status.ts";
import type { Schema } from "../model/schema.ts";
import type { MemtableDelta } from "../segment/memtable/memtable-delta.ts";

/**
 * One opening of one namespace in the write thread. A namespace that is deleted and created again,
 * or closed after a fault and opened again, is another instance, so that messages never mix the
 * two.
 */
export type NamespaceInstance = string & { readonly __brand: "NamespaceInstance" };

/** A memtable's change, numbered: versions of one namespace rise by one with each delta. */
export interface PublishedDelta {
  readonly version: number;
  readonly change: MemtableDelta;
}

/** Facts about a namespace at one version. */
export interface NamespaceState {
  readonly instance: NamespaceInstance;
  /** The last state of this instance: it is deleted or closed, and holds no segment any more. */
  readonly retired: boolean;
  readonly sequence: SequenceNumber;
  /** As indexes have it. */
  readonly schema: Schema;
  readonly documentCount: number;
  readonly index: IndexStatus;
  /** Of the log that no manifest covers: beyond a limit, writes and strong queries wait. */
  readonly unindexedBytes: number;
  readonly logicalBytes: number;
  /** Undefined before the first write of documents. */
  readonly lastWriteAtMs: number | undefined;
  readonly builds: readonly IndexBuild[];
  /** When the first of them was asked for, by the wall clock; undefined: there are none. */
  readonly buildsSinceMs: number | undefined;
}

/**
 * The result of a check against the store: published states of an instance contain, from `sequence`
 * on, all that any server had committed `knownMs` milliseconds before the check.
 */
export interface VerifiedState {
  readonly sequence: SequenceNumber;
  readonly knownMs: number;
}
