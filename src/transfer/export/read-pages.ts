/** The documents of a namespace in the order of their ids, page by page. */

import { MIB } from "../../base/byte-sizes.ts";
import { type ApiClient, apiPath } from "../../client/api-client.ts";
import { isClientError } from "../../client/client-error.ts";
import { RESULT_ROWS_MAX } from "../../model/contract-limits.ts";
import { idOfRow, pageRows } from "./page-rows.ts";

/** What a page is aimed at: long enough to hide a round trip, short enough to hold two of them. */
const PAGE_BYTES = 8 * MIB;
/** Rows of the first page, before it is known how long they are. */
const FIRST_PAGE_ROWS = 200;

/** Answers of one page that may be cut off, each by the end of a connection or of a server. */
const CUT_OFF_ANSWERS_MAX = 5;

/** Which documents, in which form. */
export interface PageRequest {
  readonly namespace: string;
  /** The filter's JSON. */
  readonly filters: string | null;
  /** Attributes that are left out. */
  readonly excluded: readonly string[];
  readonly vectorEncoding: "float" | "base64";
  /** The id, as JSON, behind which reading begins. */
  readonly after: string | null;
  readonly signal?: AbortSignal | undefined;
}

/** Documents that came together. */
export interface Page {
  /** Each row as the server wrote it. */
  readonly rows: readonly Buffer[];
  /** The id of the last one, as it is written. */
  readonly last: string;
}

/**
 * Reads all pages, each while the one before is used. Pages have as many rows as make some MiB; one
 * that the server cannot answer is asked for again with fewer.
 */
export async function* readPages(
  client: ApiClient,
  request: PageRequest,
): AsyncGenerator<Page, void, undefined> {
  let limit = FIRST_PAGE_ROWS;
  let coming = readPage(client, request, limit);
  for (;;) {
    const { rows, bytes, limit: asked } = await coming;
    if (rows.length === 0) return;
    const last = idOfRow(rows[rows.length - 1]);
    limit = nextLimit(asked, bytes / rows.length);
    const isLast = rows.length < asked;
    if (!isLast) {
      coming = readPage(client, { ...request, after: last }, limit);
      // Its fault is thrown when it is awaited, if that is ever so.
      coming.catch(() => undefined);
    }
    yield { rows, last };
    if (isLast) return;
  }
}

/** Rows that make a page, at most ten times as many as before: documents may be of many lengths. */
function nextLimit(limit: number, rowBytes: number): number {
  const fitting = Math.max(1, Math.floor(PAGE_BYTES / rowBytes));
  return Math.min(fitting, 10 * limit, RESULT_ROWS_MAX);
}

interface ReadPage {
  readonly rows: readonly Buffer[];
  readonly bytes: number;
  /** What was asked for in the end. */
  readonly limit: number;
}

async function readPage(client: ApiClient, request: PageRequest, limit: number): Promise<ReadPage> {
  let asked = limit;
  for (let cutOff = 0; ; ) {
    try {
      const bytes = await askForPage(client, request, asked);
      return { rows: pageRows(bytes), bytes: bytes.length, limit: asked };
    } catch (error) {
      if (asked > 1 && isTooLong(error)) asked = Math.ceil(asked / 4);
      else if (!isCutOff(error) || ++cutOff === CUT_OFF_ANSWERS_MAX) throw error;
    }
  }
}

async function askForPage(client: ApiClient, request: PageRequest, limit: number): Promise<Buffer> {
  const answer = await client.send({
    method: "POST",
    path: apiPath("v2", "namespaces", request.namespace, "query"),
    body: queryBody(request, limit),
    headers: { "content-type": "application/json" },
    repeatable: true,
    signal: request.signal,
  });
  return answer.bytes();
}

/** The answer had begun: the client tries again only what had not. */
function isCutOff(error: unknown): boolean {
  return isClientError(error) && error.kind === "unreachable";
}

/** What one query may take of the server's memory, or of the client's, was not enough. */
function isTooLong(error: unknown): boolean {
  if (!isClientError(error)) return false;
  if (error.kind === "misunderstood") return error.status === 200;
  return isClientError(error, 400, 429) && /memory/.test(error.message);
}

function queryBody(
  { filters, excluded, vectorEncoding, after }: PageRequest,
  limit: number,
): string {
  const conditions = [
    ...(filters === null ? [] : [filters]),
    ...(after === null ? [] : [`["id","Gt",${after}]`]),
  ];
  const filter = conditions.length === 2 ? `["And",[${conditions.join(",")}]]` : conditions[0];
  const attributes =
    excluded.length === 0
      ? '"include_attributes":true'
      : `"exclude_attributes":${JSON.stringify(excluded)}`;
  return (
    `{"rank_by":["id","asc"],"limit":${limit},${attributes},` +
    `"vector_encoding":"${vectorEncoding}"${filter === undefined ? "" : `,"filters":${filter}`}}`
  );
}
