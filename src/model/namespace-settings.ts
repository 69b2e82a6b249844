/** What a namespace keeps about itself beside schema and documents. Plain immutable data. */

import type { EncryptionRequest } from "./write-request.ts";

/** Settings and times of one namespace. Times are milliseconds since the epoch. */
export interface NamespaceSettings {
  readonly createdAtMs: number;
  /** Of the last write of documents or change of the schema. */
  readonly updatedAtMs: number;
  /** Of the last write of documents; undefined before the first. */
  readonly lastWriteAtMs?: number;
  /** Writes and schema changes are refused. */
  readonly readOnly: boolean;
  readonly pinning?: Pinning;
  /** Declared at creation, fixed. */
  readonly shardCount?: number;
  readonly encryption: EncryptionRequest;
  /** The namespace that this one was branched from. */
  readonly parent?: string;
}

/** Replicas that keep the namespace in memory. */
export interface Pinning {
  readonly replicas: number;
  readonly updatedAtMs: number;
}
