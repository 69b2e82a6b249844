/** A whole write request bound to a namespace's schema: the input of `resolveBatch`. Pure. */

import type { Steps } from "../../base/steps.ts";
import type { DocumentColumns, DocumentIds } from "../../model/columns.ts";
import type { Filter } from "../../model/filter.ts";
import type { Schema } from "../../model/schema.ts";
import type { WriteRequest } from "../../model/write-request.ts";
import { mergeSchema } from "../schema/merge-schema.ts";
import { type BoundPatches, bindFilterPatch, bindPatches, bindUpserts } from "./bind-documents.ts";
import { bindIds, checkDuplicateIds } from "./bind-ids.ts";

/** The namespace that a batch is bound to. */
export interface BindBatchOptions {
  /** As of all batches before this one, those of the same group commit included. */
  readonly schema: Schema;
  readonly isNewNamespace: boolean;
  /** See `SchemaChange`. */
  dimensionsOf(model: string): number | undefined;
}

/** A request whose values are typed, before conditions and filters are looked at. */
export interface BoundBatch {
  /** After the request's declarations and inferred attributes. */
  readonly schema: Schema;
  readonly schemaChanged: boolean;
  /** Operations that the request has, were they empty, are present. */
  readonly upserts?: DocumentColumns;
  readonly patches?: BoundPatches;
  readonly deletes?: DocumentIds;
  readonly upsertCondition?: Filter;
  readonly patchCondition?: Filter;
  readonly deleteCondition?: Filter;
  readonly deleteByFilter?: { readonly filter: Filter; readonly allowPartial: boolean };
  readonly patchByFilter?: {
    readonly filter: Filter;
    readonly patch: BoundPatches;
    readonly allowPartial: boolean;
  };
  readonly returnAffectedIds: boolean;
}

/**
 * Binds a request; texts that need embedding have their vectors already. The order of the parts is
 * the one in which types are inferred: declarations, upserts, patches, the patch by filter.
 */
export function* bindBatch(request: WriteRequest, namespace: BindBatchOptions): Steps<BoundBatch> {
  const { isNewNamespace } = namespace;
  const { distanceMetric, deleteByFilter, patchByFilter } = request;
  let schema = mergeSchema(namespace.schema, {
    declared: request.schema,
    path: "schema",
    distanceMetric,
    isNewNamespace,
    dimensionsOf: namespace.dimensionsOf,
  });
  const options = () => ({ schema, isNewNamespace, distanceMetric });

  const upserts = request.upserts && (yield* bindUpserts(request.upserts, options()));
  schema = upserts?.schema ?? schema;
  const patches = request.patches && (yield* bindPatches(request.patches, options()));
  schema = patches?.schema ?? schema;
  const deletes =
    request.deletes && (yield* bindIds(request.deletes, schema.idType, { layout: "deletes" }));
  yield* checkDuplicateIds([
    upserts?.documents && idsOf(upserts.documents),
    patches && idsOf(patches.documents),
    deletes,
  ]);
  const filterPatch = patchByFilter && (yield* bindFilterPatch(patchByFilter.patch, options()));
  schema = filterPatch?.schema ?? schema;

  return {
    schema,
    schemaChanged: schema !== namespace.schema,
    ...(upserts && { upserts: upserts.documents }),
    ...(patches && { patches }),
    ...(deletes && { deletes }),
    ...(request.upsertCondition && { upsertCondition: request.upsertCondition }),
    ...(request.patchCondition && { patchCondition: request.patchCondition }),
    ...(request.deleteCondition && { deleteCondition: request.deleteCondition }),
    ...(deleteByFilter && {
      deleteByFilter: { filter: deleteByFilter, allowPartial: request.deleteByFilterAllowPartial },
    }),
    ...(patchByFilter &&
      filterPatch && {
        patchByFilter: {
          filter: patchByFilter.filter,
          patch: filterPatch,
          allowPartial: request.patchByFilterAllowPartial,
        },
      }),
    returnAffectedIds: request.returnAffectedIds,
  };
}

/** Tells whether a batch has documents to insert, which is what creates a namespace. */
export function insertsDocuments(batch: BoundBatch): boolean {
  return batch.upserts !== undefined && batch.upserts.count > 0;
}

function idsOf(documents: DocumentColumns): DocumentIds {
  return { idType: documents.idType, count: documents.count, ids: documents.ids };
}
