/**
 * Brings the documents of another database into a namespace, page by page. What is acknowledged is
 * written down, so that a run that was cut off goes on there;
 * to write a page twice changes nothing.
 */

import { rm } from "node:fs/promises";
import { type ApiClient, apiPath } from "../../client/api-client.ts";
import type { JsonObject } from "../../model/json-value.ts";
import { jsonText } from "../../wire/json/json-text.ts";
import { readPrivateFile, replacePrivateFile } from "../private-file.ts";
import { declaredTypes } from "./declared-types.ts";
import type { MigrationSource, SourceDescription, SourcePage } from "./migration-source.ts";

const VERSION = 1;

/** What is brought where; a run that goes on must ask for the same. */
export interface MigrationRequest {
  readonly from: string;
  readonly sourceUrl: string;
  readonly sourceName: string;
  readonly url: string;
  readonly namespace: string;
}

/** What a migration works with. */
export interface MigrationOptions {
  readonly source: MigrationSource;
  readonly client: ApiClient;
  /** Where it is written down how far it is. */
  readonly statePath: string;
  /** Types and options that go before those that the source tells. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** Of the vectors; goes before the source's. */
  readonly distanceMetric: string | undefined;
  readonly signal: AbortSignal;
  readonly onBegin: (begun: { readonly rows: number; readonly total: number | undefined }) => void;
  readonly onRows: (count: number) => void;
}

interface MigrationState {
  readonly version: typeof VERSION;
  readonly request: MigrationRequest;
  readonly cursor: string | null;
  readonly rows: number;
  readonly schema: Readonly<Record<string, unknown>>;
}

/** Brings all documents over and returns how many there were. */
export async function migrateNamespace(
  request: MigrationRequest,
  options: MigrationOptions,
): Promise<number> {
  const { source, signal, statePath, onBegin, onRows } = options;
  const begun = await readState(statePath);
  if (begun !== undefined) refuseOther(begun.request, request, statePath);
  const description = await source.describe();
  const distanceMetric = metricOf(description, options);
  let state: MigrationState = begun ?? {
    version: VERSION,
    request,
    cursor: null,
    rows: 0,
    schema: description.schema,
  };
  onBegin({ rows: state.rows, total: description.total });
  let coming: Promise<SourcePage> = source.read(state.cursor);
  for (;;) {
    const { rows, next } = await coming;
    signal.throwIfAborted();
    if (next !== null) {
      coming = source.read(next);
      coming.catch(() => undefined); // It is thrown when it is awaited, if that is ever so.
    }
    // What the first documents show holds for all.
    const found = state.rows === 0 ? declaredTypes(rows) : {};
    const known = { ...found, ...state.schema, ...options.schema };
    const schema = { ...state.schema, ...known }; // Attributes keep the order of the source.
    if (rows.length > 0) await write(rows, { ...options, request, schema, distanceMetric });
    onRows(rows.length);
    if (next === null) break;
    state = { ...state, schema, cursor: next, rows: state.rows + rows.length };
    await writeState(statePath, state);
  }
  const last = await coming;
  await rm(statePath, { force: true });
  return state.rows + last.rows.length;
}

/** Forgets a run that was cut off; what it has written stays. */
export async function discardMigration(statePath: string): Promise<void> {
  await rm(statePath, { force: true });
}

function metricOf(
  description: SourceDescription,
  { distanceMetric }: MigrationOptions,
): string | undefined {
  const metric = distanceMetric ?? description.distanceMetric;
  const hasVectors = Object.values(description.schema).some(
    (attribute) => (attribute as { readonly ann?: unknown }).ann !== undefined,
  );
  if (metric !== undefined || !hasVectors) return metric;
  throw new Error(
    "the source does not tell the metric of its vectors, or has one that is not known here; say " +
      "--distance-metric cosine_distance or euclidean_squared (for inner products of vectors of " +
      "length 1, cosine_distance has the same order)",
  );
}

interface PageWrite {
  readonly client: ApiClient;
  readonly request: MigrationRequest;
  readonly schema: Readonly<Record<string, unknown>>;
  readonly distanceMetric: string | undefined;
  readonly signal: AbortSignal;
}

async function write(rows: readonly JsonObject[], page: PageWrite): Promise<void> {
  const { client, request, schema, distanceMetric, signal } = page;
  const metric =
    distanceMetric === undefined ? "" : `"distance_metric":${JSON.stringify(distanceMetric)},`;
  await client.json({
    method: "POST",
    path: apiPath("v2", "namespaces", request.namespace),
    body:
      `{${metric}"schema":${JSON.stringify(schema)},` +
      `"upsert_rows":[${rows.map(jsonText).join(",")}]}`,
    headers: { "content-type": "application/json" },
    repeatable: true,
    signal,
  });
}

function refuseOther(begun: MigrationRequest, request: MigrationRequest, path: string): void {
  const names = Object.keys(request) as (keyof MigrationRequest)[];
  const other = names.find((name) => begun[name] !== request[name]);
  if (other === undefined) return;
  throw new Error(
    `${path} is of a migration with ${other} ${begun[other]} instead of ${request[other]}: ` +
      "specify the same again to continue, name another file with --state, or begin with --restart",
  );
}

async function readState(path: string): Promise<MigrationState | undefined> {
  const text = await readPrivateFile(path);
  if (text === undefined) return undefined;
  try {
    const state = JSON.parse(text) as MigrationState | null;
    if (state?.version === VERSION) return state;
  } catch {
    // The file's content is no state at all.
  }
  throw new Error(`${path} is no state of a migration by this version; begin with --restart`);
}

async function writeState(path: string, state: MigrationState): Promise<void> {
  await replacePrivateFile(path, `${JSON.stringify(state)}\n`);
}
