/** The deprecated export: all documents by id, page by page. */

import { invalid } from "../../base/errors.ts";
import type { Filter } from "../../model/filter.ts";
import type { DocumentQuery, QueryRequest } from "../../model/query.ts";
import { runRequest } from "../../query/executor/run-request.ts";
import type { QueryOptions } from "../../query/operator/query-options.ts";
import type { Snapshot } from "../../query/operator/snapshot.ts";
import type { ReadingSteps } from "../../segment/format/reading-steps.ts";
import { encodeExportAnswer } from "../../wire/answers/service-answers.ts";

/** Documents of one page of the deprecated export; our choice. */
const EXPORT_PAGE_DOCUMENTS = 1_000;

/** Encodes the page after the document whose id `cursor` is; the first page without one. */
export function* exportPage(
  snapshot: Snapshot,
  cursor: string | undefined,
  options: QueryOptions,
): ReadingSteps<Uint8Array> {
  const request: QueryRequest = {
    kind: "single",
    queries: [pageQuery(snapshot, cursor)],
    fusion: undefined,
    consistency: "strong",
    vectorEncoding: "float",
  };
  const { results } = yield* runRequest(snapshot, request, options);
  const [result] = results;
  const documents = result.kind === "documents" ? result.documents : [];
  const last = documents.at(-1);
  const isFull = documents.length === EXPORT_PAGE_DOCUMENTS && last !== undefined;
  return encodeExportAnswer(documents, isFull ? String(last.id) : undefined);
}

function pageQuery({ schema }: Snapshot, cursor: string | undefined): DocumentQuery {
  const after = schema.idType === "uint" && cursor ? idOf(cursor) : cursor;
  const filter: Filter | undefined = after
    ? {
        kind: "condition",
        attribute: "id",
        operator: "Gt",
        operand: { kind: "value", value: after },
      }
    : undefined;
  return {
    kind: "documents",
    rankBy: { kind: "order", keys: [{ attribute: "id", direction: "asc" }] },
    filter,
    limit: EXPORT_PAGE_DOCUMENTS,
    limitPer: undefined,
    offset: 0,
    selection: { kind: "all" },
    computed: new Map(),
    distanceMetric: undefined,
  };
}

function idOf(cursor: string): bigint {
  if (/^\d{1,20}$/.test(cursor)) return BigInt(cursor);
  throw invalid("💔 malformed cursor: use the `next_cursor` of the page before as it is");
}
