/** Answers of the metadata endpoint. */

import type { EncryptionContext } from "../../model/encryption-context.ts";
import type { Schema } from "../../model/schema.ts";
import type { EncryptionRequest } from "../../model/write-request.ts";
import { type JsonWriter, jsonBytes } from "../json/json-writer.ts";
import { writeMetadataSchema } from "./schema-json.ts";
import { writeFloat, writeTime } from "./value-json.ts";

/** What metadata tells of a namespace. Times are milliseconds since the epoch. */
export interface NamespaceMetadata {
  readonly schema: Schema;
  readonly logicalBytes: number;
  readonly documentCount: number;
  readonly createdAtMs: number;
  readonly updatedAtMs: number;
  /** Undefined before the first write of documents. */
  readonly lastWriteAtMs: number | undefined;
  readonly encryption: EncryptionRequest;
  /** Documents of the log, which queries look at one by one. */
  readonly unindexedCount: number;
  /** Undefined: all documents are indexed, or so few are not that nobody waits for them. */
  readonly unindexed: { readonly bytes: number; readonly documentCount: number } | undefined;
  readonly pinning: PinningStatus | undefined;
  /** The namespace that this one was branched from. */
  readonly parent: string | undefined;
  readonly shardCount: number | undefined;
  readonly readOnly: boolean;
}

/** A pinning. Whatever number of replicas is asked for, one server stands for all, at once. */
export interface PinningStatus {
  readonly replicas: number;
  /** 0 to 1. */
  readonly utilization: number;
  readonly updatedAtMs: number;
}

/** Encodes a namespace's metadata. Members that are not set are left out. */
export function encodeMetadataAnswer(
  metadata: NamespaceMetadata,
  apiVersion: "v1" | "v2",
): Uint8Array<ArrayBuffer> {
  return jsonBytes((json) => {
    json.raw('{"schema":');
    writeMetadataSchema(json, metadata.schema);
    json.raw(
      `,"approx_logical_bytes":${metadata.logicalBytes}` +
        `,"approx_row_count":${metadata.documentCount}`,
    );
    writeTimes(json, metadata);
    json.raw(',"encryption":');
    writeEncryption(json, metadata.encryption, apiVersion);
    json.raw(',"index":');
    writeIndex(json, metadata);
    if (metadata.pinning) writePinning(json, metadata.pinning);
    if (metadata.parent !== undefined) {
      json.raw(',"branching":{"parent":');
      json.string(metadata.parent);
      json.raw("}");
    }
    if (metadata.shardCount !== undefined) {
      json.raw(`,"sharding":{"num_shards":${metadata.shardCount}}`);
    }
    if (metadata.readOnly) json.raw(',"read_only":true');
    json.raw("}");
  });
}

function writeTimes(json: JsonWriter, metadata: NamespaceMetadata): void {
  json.raw(',"created_at":');
  writeTime(json, metadata.createdAtMs);
  json.raw(',"updated_at":');
  writeTime(json, metadata.updatedAtMs);
  if (metadata.lastWriteAtMs === undefined) return;
  json.raw(',"last_write_at":');
  writeTime(json, metadata.lastWriteAtMs);
}

/** Clients of the first version look for `sse`; those of the second want nothing but the mode. */
function writeEncryption(
  json: JsonWriter,
  encryption: EncryptionRequest,
  apiVersion: "v1" | "v2",
): void {
  json.raw(apiVersion === "v1" ? '{"sse":true,"mode":' : '{"mode":');
  if (encryption.kind === "default") {
    json.raw('"default"}');
    return;
  }
  json.raw('"customer-managed","key_name":');
  json.string(encryption.keyName);
  if (encryption.context !== undefined) writeContext(json, encryption.context);
  json.raw("}");
}

function writeContext(json: JsonWriter, context: EncryptionContext): void {
  json.raw(',"encryption_context":{');
  for (const [i, [name, text]] of Object.entries(context).entries()) {
    if (i > 0) json.raw(",");
    json.key(name);
    json.string(text);
  }
  json.raw("}");
}

function writeIndex(
  json: JsonWriter,
  { unindexed, unindexedCount }: Pick<NamespaceMetadata, "unindexed" | "unindexedCount">,
): void {
  if (unindexed === undefined) {
    json.raw(`{"status":"up-to-date","unindexed_rows":${unindexedCount}}`);
    return;
  }
  json.raw(
    `{"status":"updating","unindexed_bytes":${unindexed.bytes},` +
      `"unindexed_rows":${unindexed.documentCount}}`,
  );
}

function writePinning(json: JsonWriter, pinning: PinningStatus): void {
  const { replicas } = pinning;
  json.raw(
    `,"pinning":{"replicas":${replicas},"status":{"ready_replicas":${replicas},` +
      `"replicas":${replicas},"utilization":`,
  );
  writeFloat(json, pinning.utilization);
  json.raw(',"updated_at":');
  writeTime(json, pinning.updatedAtMs);
  json.raw("}}");
}
