/** Requests of calls on documents, and their responses. */

import type { DocumentsInput, DocumentsOutput, DocumentsWrite } from "./document-model.ts";

/** A request; `path` begins with a slash. */
export interface DocumentsRequest {
  readonly method: "DELETE" | "GET" | "POST";
  readonly path: string;
  readonly body?: object;
}

/** Returns the request of a call on a namespace. */
export function requestOf(namespace: string, input: DocumentsInput): DocumentsRequest {
  const path = `/v2/namespaces/${namespace}`;
  if (input.kind === "delete namespace") return { method: "DELETE", path };
  if (input.kind !== "read") return { method: "POST", path, body: writeBody(input) };
  const { ids, by, staleSeconds } = input;
  const level = staleSeconds !== undefined && {
    consistency: { level: "eventual", max_staleness_seconds: staleSeconds },
  };
  switch (by) {
    case "query":
      return { method: "POST", path: `${path}/query`, body: { ...queryOf(ids), ...level } };
    case "multi-query": {
      const body = { queries: ids.map((id) => queryOf([id])), ...level };
      return { method: "POST", path: `${path}/query`, body };
    }
    case "export":
      return { method: "GET", path: `/v1/namespaces/${namespace}` };
  }
}

function queryOf(ids: readonly number[]): object {
  const filters = ids.length === 1 ? ["id", "Eq", ids[0]] : ["id", "In", ids];
  const order = ids.length === 1 ? {} : { rank_by: ["id", "asc"] };
  return { filters, limit: ids.length, ...order, include_attributes: true };
}

function writeBody({ kind, ids, value, expected }: DocumentsWrite): object {
  const changes = {
    upsert: { upsert_rows: ids.map((id) => ({ id, v: value })) },
    patch: { patch_rows: ids.map((id) => ({ id, p: value })) },
    delete: { deletes: ids },
  }[kind];
  if (expected === undefined) return changes;
  const condition = expected === "absent" ? ["id", "Eq", null] : ["v", "Eq", expected];
  return { ...changes, [`${kind}_condition`]: condition };
}

interface Row {
  readonly id: number;
  readonly v: number;
  readonly p?: number | null;
}

interface ExportedColumns {
  readonly ids: readonly number[];
  readonly attributes: {
    readonly v?: readonly number[];
    readonly p?: readonly (number | null)[];
  };
}

/** Reads a response with status 200. */
export function outputOf(input: DocumentsInput, body: unknown): DocumentsOutput {
  if (input.kind === "delete namespace") return { namespace: "deleted" };
  if (input.kind !== "read") return { rows: (body as { rows_affected: number }).rows_affected };
  const rows = rowsOf(input.by, body);
  const found = new Map(rows.map(({ id, v, p }) => [id, { v, p: p ?? null }]));
  return { documents: input.ids.map((id) => found.get(id)) };
}

function rowsOf(by: "query" | "multi-query" | "export", body: unknown): readonly Row[] {
  switch (by) {
    case "query":
      return (body as { rows: Row[] }).rows;
    case "multi-query":
      return (body as { results: { rows: Row[] }[] }).results.flatMap(({ rows }) => rows);
    case "export": {
      const { ids, attributes } = body as ExportedColumns;
      const { v = [], p = [] } = attributes;
      return ids.map((id, at) => ({ id, v: v[at], p: p[at] ?? null }));
    }
  }
}
