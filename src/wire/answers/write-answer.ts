/** Answers to writes. */

import type { EmbeddingStats, QueryBilling, WriteCounts } from "../../model/request-stats.ts";
import type { DocumentId } from "../../model/value.ts";
import { type JsonWriter, jsonBytes } from "../json/json-writer.ts";
import { writeQueryBilling, writeWritePerformance } from "./stats-json.ts";
import { writeId } from "./value-json.ts";

/** What a copy or a branch brought in. */
export interface CopiedDocuments {
  readonly kind: "copy" | "branch";
  readonly documentCount: number;
}

/** All that a write's answer says. */
export interface WriteAnswer {
  readonly counts: WriteCounts;
  /** Of a copy or a branch; such an answer has no counts by kind. */
  readonly copied: CopiedDocuments | undefined;
  readonly billedBytes: number;
  /** Present if a condition, a filter or a patch had to read. */
  readonly queryBilling: QueryBilling | undefined;
  readonly serverTotalMs: number;
  readonly embedding: EmbeddingStats | undefined;
}

/** Counts of a write that has no operation on documents. */
export const NO_COUNTS: WriteCounts = {
  upserted: undefined,
  patched: undefined,
  deleted: undefined,
  remaining: false,
  affected: undefined,
};

const COMMITTED = "documents committed successfully";
const MESSAGES = {
  copy: "namespace cloned successfully",
  branch: "namespace branch successful",
} as const;

/** Encodes a write's answer. */
export function encodeWriteAnswer(answer: WriteAnswer): Uint8Array<ArrayBuffer> {
  const { counts, copied } = answer;
  return jsonBytes((json) => {
    const message = copied === undefined ? COMMITTED : MESSAGES[copied.kind];
    json.raw(`{"status":"OK","message":"${message}"`);
    if (copied === undefined) writeCounts(json, counts);
    // A branch shares its rows with its parent.
    else json.raw(`,"rows_affected":${copied.kind === "branch" ? 0 : copied.documentCount}`);
    json.raw(`,"billing":{"billable_logical_bytes_written":${answer.billedBytes}`);
    if (answer.queryBilling) {
      json.raw(',"query":');
      writeQueryBilling(json, answer.queryBilling);
    }
    json.raw('},"performance":');
    writeWritePerformance(json, answer);
    json.raw("}");
  });
}

function writeCounts(json: JsonWriter, counts: WriteCounts): void {
  const { upserted, patched, deleted, affected } = counts;
  json.raw(`,"rows_affected":${(upserted ?? 0) + (patched ?? 0) + (deleted ?? 0)}`);
  if (upserted !== undefined) json.raw(`,"rows_upserted":${upserted}`);
  if (patched !== undefined) json.raw(`,"rows_patched":${patched}`);
  if (deleted !== undefined) json.raw(`,"rows_deleted":${deleted}`);
  if (counts.remaining) json.raw(',"rows_remaining":true');
  if (affected === undefined) return;
  writeIds(json, "upserted_ids", affected.upserted);
  writeIds(json, "patched_ids", affected.patched);
  writeIds(json, "deleted_ids", affected.deleted);
}

function writeIds(json: JsonWriter, name: string, ids: readonly DocumentId[]): void {
  if (ids.length === 0) return;
  json.raw(`,"${name}":[`);
  for (const [i, id] of ids.entries()) {
    if (i > 0) json.raw(",");
    writeId(json, id);
  }
  json.raw("]");
}
