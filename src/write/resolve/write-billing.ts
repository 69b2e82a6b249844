/**
 * What a write is billed: logical bytes written, and queries where it had to read. Attributes that
 * are neither filterable nor searchable count half. Not billed apart, because no public rule says
 * how: the discount for large batches, and that of large namespaces on queries.
 */

import type { Steps } from "../../base/steps.ts";
import {
  dataLogicalBytes,
  logicalBytesInSteps,
  valueLogicalBytes,
} from "../../codec/columns-size.ts";
import type { DocumentColumns, DocumentIds } from "../../model/columns.ts";
import { BILLED_QUERY_BYTES_MIN } from "../../model/contract-limits.ts";
import type { AttributeSchema, Schema } from "../../model/schema.ts";
import type { DocumentId } from "../../model/value.ts";
import type { BoundBatch } from "../bind/bind-batch.ts";
import type { BoundPatches } from "../bind/bind-documents.ts";
import { names } from "./merge-patches.ts";

/** Documents that one step bills. */
const STEP_DOCUMENTS = 8192;
/** Share of an attribute's bytes that is billed if no index is kept of it (specification: 50 %). */
const UNINDEXED_SHARE = 0.5;
/** Share of a copy's bytes that is billed (specification: 50 % copy discount). */
const COPY_SHARE = 0.5;

/** The operations that were applied. */
export interface AppliedOperations {
  readonly upserts: DocumentColumns | undefined;
  /** Indexes into the batch's patches. */
  readonly patches: readonly number[];
  /** Number of documents that patch_by_filter changed. */
  readonly filterPatched: number;
  readonly deletedIds: readonly DocumentId[];
  /** Further deleted ids. */
  readonly deletes: DocumentIds | undefined;
}

/** Logical bytes billed for a batch: only what was applied counts. */
export function* billedWriteBytes(batch: BoundBatch, applied: AppliedOperations): Steps<number> {
  const { schema, patches, patchByFilter } = batch;
  const share = (attribute: string) => shareOf(schema.attributes.get(attribute));
  let bytes = applied.upserts ? yield* logicalBytesInSteps(applied.upserts, share) : 0;
  if (patches) {
    for (let i = 0; i < applied.patches.length; i++) {
      if (i > 0 && i % STEP_DOCUMENTS === 0) yield;
      bytes += billedPatchBytes(patches, applied.patches[i], schema);
    }
  }
  if (patchByFilter) {
    bytes += applied.filterPatched * billedAttributeBytes(patchByFilter.patch, 0, schema);
  }
  if (applied.deletes) bytes += dataLogicalBytes(applied.deletes.ids, 0, applied.deletes.count);
  for (let i = 0; i < applied.deletedIds.length; i++) {
    if (i > 0 && i % STEP_DOCUMENTS === 0) yield;
    bytes += idBytes(applied.deletedIds[i], schema);
  }
  return Math.ceil(bytes);
}

/** Logical bytes billed for a copy of documents that count `bytes`. */
export function billedCopyBytes(bytes: number): number {
  return Math.ceil(bytes * COPY_SHARE);
}

/**
 * Queries billed for a batch, whether or not anything was changed: one for conditions, one for
 * patches by id, one for delete_by_filter, two for patch_by_filter.
 */
export function queriesOf(batch: BoundBatch): number {
  const isConditional = batch.upsertCondition ?? batch.patchCondition ?? batch.deleteCondition;
  return (
    (isConditional ? 1 : 0) +
    (batch.patches && batch.patches.documents.count > 0 ? 1 : 0) +
    (batch.deleteByFilter ? 1 : 0) +
    (batch.patchByFilter ? 2 : 0)
  );
}

/** Bytes billed as queried: each query reads the namespace, and no less than the smallest query. */
export function billedQueryBytes(queries: number, namespaceBytes: number): number {
  return queries * Math.max(BILLED_QUERY_BYTES_MIN, namespaceBytes);
}

function billedPatchBytes(patches: BoundPatches, index: number, schema: Schema): number {
  const id = dataLogicalBytes(patches.documents.ids, index, index + 1);
  return id + billedAttributeBytes(patches, index, schema);
}

function billedAttributeBytes(patches: BoundPatches, index: number, schema: Schema): number {
  let bytes = 0;
  for (const [name, column] of patches.documents.attributes) {
    if (!names(patches, name, index)) continue;
    bytes += valueLogicalBytes(column, index) * shareOf(schema.attributes.get(name));
  }
  return bytes;
}

function shareOf(attribute: AttributeSchema | undefined): number {
  if (!attribute) return 1;
  const { filterable, fullTextSearch, regex, glob, fuzzy, ann, sparseKnn } = attribute;
  const isIndexed = filterable || fullTextSearch || regex || glob || fuzzy || ann || sparseKnn;
  return isIndexed ? 1 : UNINDEXED_SHARE;
}

function idBytes(id: DocumentId, { idType }: Schema): number {
  if (typeof id === "bigint") return 8;
  return idType === "uuid" ? 16 : Buffer.byteLength(id);
}
