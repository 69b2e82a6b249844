/**
 * What a namespace knows about itself beside schema and documents. Plain data and pure changes; the
 * times are those of the WAL entries that made the changes, so that a replay gives the same.
 */

import { DatabaseError, invalid } from "../../base/errors.ts";
import { SHARDS_MAX } from "../../base/limits.ts";
import type { EncryptionRequest } from "../../model/write-request.ts";

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

/** A change of settings by the user; absent members stay. */
export interface SettingsPatch {
  /** Null: no longer pinned. */
  readonly pinning?: { readonly replicas: number } | null;
  readonly readOnly?: boolean;
}

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
  patch: SettingsPatch,
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

/** Reads settings that were stored as JSON; anything else is corrupt. */
export function decodeSettings(stored: unknown): NamespaceSettings {
  const record = objectOf(stored, "settings");
  const { readOnly, pinning, parent } = record;
  check(typeof readOnly === "boolean", "readOnly");
  check(parent === undefined || typeof parent === "string", "parent");
  const lastWriteAtMs = optionalNumber(record, "lastWriteAtMs");
  const shardCount = optionalNumber(record, "shardCount");
  return {
    createdAtMs: numberOf(record, "createdAtMs"),
    updatedAtMs: numberOf(record, "updatedAtMs"),
    ...(lastWriteAtMs === undefined ? {} : { lastWriteAtMs }),
    readOnly,
    ...(pinning === undefined ? {} : { pinning: decodePinning(pinning) }),
    ...(shardCount === undefined ? {} : { shardCount }),
    encryption: decodeEncryption(record.encryption),
    ...(parent === undefined ? {} : { parent }),
  };
}

function decodePinning(stored: unknown): Pinning {
  const record = objectOf(stored, "pinning");
  return {
    replicas: numberOf(record, "replicas"),
    updatedAtMs: numberOf(record, "updatedAtMs"),
  };
}

function decodeEncryption(stored: unknown): EncryptionRequest {
  const { kind, keyName } = objectOf(stored, "encryption");
  if (kind === "default") return { kind };
  check(kind === "customer_managed" && typeof keyName === "string", "encryption");
  return { kind, keyName };
}

function sameEncryption(a: EncryptionRequest, b: EncryptionRequest): boolean {
  if (a.kind === "default" || b.kind === "default") return a.kind === b.kind;
  return a.keyName === b.keyName;
}

function checkShardCount(count: number): void {
  if (Number.isInteger(count) && count >= 1 && count <= SHARDS_MAX) return;
  throw invalid(`💔 sharding.num_shards must be between 1 and ${SHARDS_MAX}, was ${count}`);
}

function numberOf(record: Record<string, unknown>, key: string): number {
  const value = optionalNumber(record, key);
  check(value !== undefined, key);
  return value;
}

function optionalNumber(record: Record<string, unknown>, key: string): number | undefined {
  const value = record[key];
  check(value === undefined || (typeof value === "number" && Number.isFinite(value)), key);
  return value;
}

function objectOf(value: unknown, where: string): Record<string, unknown> {
  check(typeof value === "object" && value !== null && !Array.isArray(value), where);
  return value as Record<string, unknown>;
}

function check(holds: boolean, where: string): asserts holds {
  if (!holds) throw new DatabaseError("corrupt", `stored settings are damaged at ${where}`);
}
