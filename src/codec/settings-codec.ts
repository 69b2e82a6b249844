/**
 * A namespace's settings as JSON, for manifests and WAL records. They are stored with the members
 * of `NamespaceSettings`; unknown members are kept out, not in.
 */

import { DatabaseError } from "../base/errors.ts";
import type { EncryptionContext } from "../model/encryption-context.ts";
import type { NamespaceSettings, Pinning } from "../model/namespace-settings.ts";
import type { EncryptionRequest } from "../model/write-request.ts";

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
  const { kind, keyName, context } = objectOf(stored, "encryption");
  if (kind === "default") return { kind };
  check(kind === "customer_managed" && typeof keyName === "string", "encryption");
  if (context === undefined) return { kind, keyName };
  const pairs = objectOf(context, "encryption.context");
  const isText = Object.values(pairs).every((value) => typeof value === "string");
  check(isText, "encryption.context");
  return { kind, keyName, context: pairs as EncryptionContext };
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
