/** Write requests as tests write them: rows of plain JavaScript. */

import type { Filter } from "../../../src/model/filter.ts";
import type { WriteRequest } from "../../../src/model/write-request.ts";
import { jsonObject, looseColumn, looseRows } from "./loose-json.ts";

/** A document, or a patch of one. */
export type Row = Record<string, unknown>;

/** The parts of a request that are written loosely. */
export interface Sent {
  readonly upserts?: readonly Row[];
  readonly patches?: readonly Row[];
  readonly deletes?: readonly unknown[];
  readonly patchByFilter?: { readonly filter: Filter; readonly patch: Row };
  readonly schema?: Row;
}

/** Makes a request; it asks for the affected ids unless `rest` says otherwise. */
export function requestOf(sent: Sent, rest: Partial<WriteRequest> = {}): WriteRequest {
  return {
    ...(sent.upserts && { upserts: looseRows(sent.upserts) }),
    ...(sent.patches && { patches: looseRows(sent.patches) }),
    ...(sent.deletes && { deletes: looseColumn(sent.deletes) }),
    ...(sent.schema && { schema: jsonObject(sent.schema) }),
    ...(sent.patchByFilter && {
      patchByFilter: {
        filter: sent.patchByFilter.filter,
        patch: jsonObject(sent.patchByFilter.patch),
      },
    }),
    deleteByFilterAllowPartial: false,
    patchByFilterAllowPartial: false,
    returnAffectedIds: true,
    disableBackpressure: false,
    bodyBytes: 0,
    ...rest,
  };
}
