/**
 * Pure changes of a namespace's settings; the times are those of the WAL entries that made the
 * changes, so that a replay gives the same.
 */

import { invalid } from "../../base/errors.ts";
import { SHARDS_MAX } from "../../model/contract-limits.ts";
import { encryptionContextText } from "../../model/encryption-context.ts";
import type { NamespaceSettings } from "../../model/namespace-settings.ts";
import type { EncryptionRequest, MetadataPatch } from "../../model/write-request.ts";

/** What a request asks for that only a new namespace can take. */
export interface CreationRequest {
  readonly encryption?: EncryptionRequest;
  readonly shardCount?: number;
}

/** Settings of a namespace that a write creates. */
export function newSettings(nowMs: number, request: CreationRequest): NamespaceSettings {
  const { encryption = { kind: "default" }, shardCount } = request;
  if (shardCount !== undefined) checkShardCount(shardCount);
  return {
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    readOnly: false,
    encryption,
    ...(shardCount === undefined ? {} : { shardCount }),
  };
}

/** Refuses writes and schema changes of a read-only namespace (400). */
export function assertWritable(settings: NamespaceSettings): void {
  if (settings.readOnly) {
    throw invalid("💔 Writes not permitted. This namespace is read-only.");
  }
}

/**
 * A later write may name another key, which counts for what is written from then on, and must name
 * the shard count that there is, if any.
 */
export function mergeRequest(
  settings: NamespaceSettings,
  { encryption, shardCount }: CreationRequest,
): NamespaceSettings {
  if (shardCount !== undefined && shardCount !== settings.shardCount) {
    const now = settings.shardCount === undefined ? "not sharded" : `${settings.shardCount} shards`;
    throw invalid(
      "💔 sharding can only be set by the write that creates the namespace: " +
        `it is ${now}, the request has num_shards ${shardCount}`,
    );
  }
  if (encryption === undefined || sameEncryption(encryption, settings.encryption)) return settings;
  return { ...settings, encryption };
}

/** Times after a write of documents. */
export function afterDataWrite(settings: NamespaceSettings, nowMs: number): NamespaceSettings {
  return { ...settings, updatedAtMs: nowMs, lastWriteAtMs: nowMs };
}

/** Times after a change of the schema without documents. */
export function afterSchemaChange(settings: NamespaceSettings, nowMs: number): NamespaceSettings {
  return { ...settings, updatedAtMs: nowMs };
}

/** Applies a user's change; it touches neither of the namespace's times. */
export function patchSettings(
  settings: NamespaceSettings,
  patch: MetadataPatch,
  nowMs: number,
): NamespaceSettings {
  const { pinning: current, ...rest } = settings;
  const readOnly = patch.readOnly ?? settings.readOnly;
  if (patch.pinning === undefined) return { ...settings, readOnly };
  if (patch.pinning === null) return { ...rest, readOnly };
  const { replicas } = patch.pinning;
  if (replicas < 1) throw invalid("💔 replicas must be greater than 0");
  if (current?.replicas === replicas) return { ...settings, readOnly };
  return { ...rest, readOnly, pinning: { replicas, updatedAtMs: nowMs } };
}

/** Settings of a branch: it takes over its source's key, times of writes and read-only state. */
export function branchSettings(
  source: NamespaceSettings,
  parent: string,
  nowMs: number,
): NamespaceSettings {
  if (source.shardCount !== undefined) {
    throw invalid(`💔 cannot branch from namespace '${parent}', because it is sharded`);
  }
  return {
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
    ...(source.lastWriteAtMs === undefined ? {} : { lastWriteAtMs: source.lastWriteAtMs }),
    readOnly: source.readOnly,
    encryption: source.encryption,
    parent,
  };
}

/** Settings of a copy: a namespace of its own that keeps its source's key unless told otherwise. */
export function copySettings(
  source: NamespaceSettings,
  request: CreationRequest,
  nowMs: number,
): NamespaceSettings {
  const fresh = newSettings(nowMs, { encryption: source.encryption, ...request });
  return { ...fresh, lastWriteAtMs: nowMs, readOnly: source.readOnly };
}

function sameEncryption(a: EncryptionRequest, b: EncryptionRequest): boolean {
  if (a.kind === "default" || b.kind === "default") return a.kind === b.kind;
  const [first, second] = [a, b].map(({ context = {} }) => encryptionContextText(context));
  return a.keyName === b.keyName && first === second;
}

function checkShardCount(count: number): void {
  if (Number.isInteger(count) && count >= 1 && count <= SHARDS_MAX) return;
  throw invalid(`💔 sharding.num_shards must be between 1 and ${SHARDS_MAX}, was ${count}`);
}
