/** Reads the documents of a map from the server: vectors, then values and neighbours when asked. */

import type { ApiClient } from "../../../api/api-client.ts";
import { type DocumentId, type DocumentRow, queryDocuments } from "../../../api/documents.ts";
import { stringifyExact } from "../../../api/exact-json.ts";
import { runBounded } from "../../../base/run-bounded.ts";
import { decodeVector, normalized } from "./decode-vector.ts";
import { afterPage, nextPage, planSample, SAMPLE_START, type SamplePlan } from "./sample-plan.ts";

/** Where a map is read from. */
export interface MapPlace {
  readonly api: ApiClient;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Which documents a map is of. */
export interface SampleRequest {
  readonly attribute: string;
  readonly dims: number;
  /** Vectors are compared by their direction: they are drawn with length 1. */
  readonly isCosine: boolean;
  /** Undefined: all documents. */
  readonly filter: unknown;
  readonly wanted: number;
}

/** What was read. */
export interface Sample {
  readonly ids: readonly DocumentId[];
  readonly available: number;
  readonly choice: SamplePlan["choice"];
  /** Documents that were read and have no vector. */
  readonly withoutVector: number;
}

/** Points of a map at most. */
const POINTS_MAX = 50_000;
/** Vectors that a page keeps in memory: 50,000 of 2,684 dimensions, 12,483 of 10,752. */
const VECTOR_BYTES_MAX = 512 * 1024 * 1024;
/** Size of an answer: some tenths of a second over a local network, so that progress is seen. */
const PAGE_BYTES = 8 * 1024 * 1024;
/** Base64 of a float32. */
const BYTES_PER_NUMBER = 16 / 3;
const PAGE_DOCUMENTS_MAX = 5000;
/** Ids of one request for values. */
const IDS_PER_REQUEST = 1000;
const REQUESTS_AT_ONCE = 2;

/** Points that memory has room for, at most `POINTS_MAX`. */
export function pointsThatFit(dims: number): number {
  return Math.min(POINTS_MAX, Math.floor(VECTOR_BYTES_MAX / (dims * 4)));
}

/** Reads a sample page by page; each page's vectors are handed on, one behind the other. */
export async function loadSample(
  place: MapPlace,
  request: SampleRequest,
  told: {
    readonly onVectors: (vectors: Float32Array<ArrayBuffer>) => void;
    readonly onRead: (read: number, of: number) => void;
  },
): Promise<Sample> {
  const { dims, filter } = request;
  const wanted = Math.min(request.wanted, pointsThatFit(dims));
  const available = await countDocuments(place, filter);
  const page = Math.min(
    PAGE_DOCUMENTS_MAX,
    Math.max(1, Math.floor(PAGE_BYTES / (dims * BYTES_PER_NUMBER))),
  );
  const plan = planSample({ available, wanted, page, ends: await endsOf(place, filter) });
  const total = Math.min(available, wanted);
  const ids: DocumentId[] = [];
  let withoutVector = 0;
  for (let at = SAMPLE_START; ; ) {
    const next = nextPage(plan, at);
    if (next === undefined) break;
    const rows = await readPage(place, request, next);
    const vectors = vectorsOf(rows, request);
    ids.push(...vectors.ids);
    withoutVector += rows.length - vectors.ids.length;
    told.onVectors(vectors.values);
    at = afterPage(plan, at, { ids: rows.map(({ id }) => id), limit: next.limit });
    told.onRead(at.read, total);
  }
  return { ids, available, choice: plan.choice, withoutVector };
}

/** Values of an attribute for each id, undefined where there is none. */
export async function loadValues(
  place: MapPlace,
  { ids, attribute }: { readonly ids: readonly DocumentId[]; readonly attribute: string },
  onRead: (read: number) => void,
): Promise<unknown[]> {
  const chunks = Array.from({ length: Math.ceil(ids.length / IDS_PER_REQUEST) }, (_, i) =>
    ids.slice(i * IDS_PER_REQUEST, (i + 1) * IDS_PER_REQUEST),
  );
  const found = new Map<string, unknown>();
  const work = async (chunk: readonly DocumentId[]) => {
    const rows = await rowsOf(place, {
      filters: ["id", "In", chunk],
      limit: chunk.length,
      include_attributes: [attribute],
    });
    for (const row of rows) found.set(String(row.id), row[attribute]);
  };
  await runBounded(chunks, work, {
    atOnce: REQUESTS_AT_ONCE,
    signal: place.signal,
    onDone: (done) => onRead(Math.min(ids.length, done * IDS_PER_REQUEST)),
  });
  return ids.map((id) => found.get(String(id)));
}

/** One document with all its attributes but the large ones; undefined if it is gone. */
export async function loadDocument(
  place: MapPlace,
  { id, without }: { readonly id: DocumentId; readonly without: readonly string[] },
): Promise<DocumentRow | undefined> {
  const rows = await rowsOf(place, {
    filters: ["id", "Eq", id],
    limit: 1,
    exclude_attributes: without,
  });
  return rows[0];
}

/** What neighbours are looked for of. */
export type NeighboursOf =
  | { readonly kind: "document"; readonly id: DocumentId }
  | { readonly kind: "words"; readonly text: string; readonly embeds: string };

/** The nearest documents by ANN search, nearest first; a document is not its own neighbour. */
export async function loadNeighbours(
  place: MapPlace,
  of: NeighboursOf,
  { attribute, count }: { readonly attribute: string; readonly count: number },
): Promise<readonly DocumentRow[]> {
  if (of.kind === "words") {
    const rank_by = [of.embeds, "ANN", ["Embed", of.text]];
    return rowsOf(place, { rank_by, limit: count });
  }
  const [row] = await rowsOf(place, {
    filters: ["id", "Eq", of.id],
    limit: 1,
    include_attributes: [attribute],
    vector_encoding: "base64",
  });
  if (row === undefined) throw new Error(`there is no document ${stringifyExact(of.id)}`);
  if (row[attribute] === undefined) {
    throw new Error(`document ${stringifyExact(of.id)} has no ${attribute}`);
  }
  return rowsOf(place, {
    rank_by: [attribute, "ANN", row[attribute]],
    filters: ["id", "NotEq", of.id],
    limit: count,
  });
}

function readPage(
  place: MapPlace,
  { attribute, filter }: SampleRequest,
  page: { readonly filter: readonly unknown[]; readonly limit: number },
): Promise<readonly DocumentRow[]> {
  return rowsOf(place, {
    rank_by: ["id", "asc"],
    filters: filter === undefined ? page.filter : ["And", [page.filter, filter]],
    limit: page.limit,
    include_attributes: [attribute],
    vector_encoding: "base64",
  });
}

function vectorsOf(
  rows: readonly DocumentRow[],
  { attribute, dims, isCosine }: SampleRequest,
): { readonly ids: DocumentId[]; readonly values: Float32Array<ArrayBuffer> } {
  const found = rows.flatMap((row) => {
    const vector = decodeVector(row[attribute], dims);
    if (vector === undefined) return [];
    return [{ id: row.id, vector: isCosine ? normalized(vector) : vector }];
  });
  const values = new Float32Array(found.length * dims);
  found.forEach(({ vector }, i) => {
    values.set(vector, i * dims);
  });
  return { ids: found.map(({ id }) => id), values };
}

async function countDocuments(
  { api, namespace, signal }: MapPlace,
  filter: unknown,
): Promise<number> {
  const body = { aggregate_by: { count: ["Count"] }, filters: filter };
  const { value } = await queryDocuments(api, { namespace, body, signal });
  return Number(value.aggregations?.count ?? 0);
}

async function endsOf(place: MapPlace, filter: unknown) {
  const end = async (direction: "asc" | "desc") => {
    const rows = await rowsOf(place, { rank_by: ["id", direction], filters: filter, limit: 1 });
    return rows[0]?.id;
  };
  const first = await end("asc");
  const last = await end("desc");
  return first === undefined || last === undefined ? undefined : { first, last };
}

async function rowsOf(
  { api, namespace, signal }: MapPlace,
  body: unknown,
): Promise<readonly DocumentRow[]> {
  const { value } = await queryDocuments(api, { namespace, body, signal });
  return value.rows ?? [];
}
