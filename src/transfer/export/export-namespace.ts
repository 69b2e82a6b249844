/**
 * Exports a namespace to a file. It reads a branch of the namespace, made for it and deleted in the
 * end, so that all documents are of one moment and a run that was cut off, by whatever, goes on
 * where it was: everything that it needs to know for that is in a small file beside the result.
 */

import { createReadStream } from "node:fs";
import { open, rename, stat } from "node:fs/promises";
import { MIB } from "../../base/byte-sizes.ts";
import { type Clock, formatTime } from "../../base/clock.ts";
import { csvCell } from "../../base/csv-cell.ts";
import type { Random } from "../../base/random.ts";
import type { ApiClient } from "../../client/api-client.ts";
import { ClientError, isClientError } from "../../client/client-error.ts";
import {
  branchNamespace,
  countDocuments,
  deleteNamespace,
  readMetadata,
} from "../../client/namespaces.ts";
import { createPrivateFile, replacePrivateFile } from "../private-file.ts";
import { csvHeader, csvLine, harmlessCell } from "./csv-lines.ts";
import { type ExportRequest, schemaPath } from "./export-request.ts";
import {
  type ExportSource,
  type ExportState,
  initialState,
  partialPath,
  readState,
  removeState,
  writeState,
} from "./export-state.ts";
import { PartialFile } from "./partial-file.ts";
import { readPages } from "./read-pages.ts";
import { schemaToWrite, type WrittenSchema } from "./schema-to-write.ts";
import { splitLines } from "./split-lines.ts";
import { writeParquet } from "./write-parquet.ts";

/** How the names of branches begin that exports make. */
const BRANCH_PREFIX = "trawl-export-";
/** Between two notes of how far the export is: what is done again at most after a power cut. */
const SAVE_INTERVAL_MS = 1_000;
const LINE_FEED = Buffer.from("\n");

/** What the export works with. */
export interface ExportOptions {
  readonly client: ApiClient;
  readonly clock: Clock;
  readonly random: Random;
  readonly signal: AbortSignal;
  /** Told when it begins or goes on, and of documents as they are done. */
  readonly onBegin: (state: FoundState) => void;
  readonly onRows: (count: number) => void;
  /** Told of the step that follows once all documents are here. */
  readonly onConvert: (state: FoundState) => void;
}

/** A state of which it is known what there is to export. */
export type FoundState = ExportState & { readonly found: ExportSource };

/** What was exported. */
export interface ExportResult {
  readonly rows: number;
  /** Of the file. */
  readonly bytes: number;
  /** Of the vectors, if there are some. */
  readonly distanceMetric: string | undefined;
}

/** See the file's head. Where an export to the same file was cut off, it goes on. */
export async function exportNamespace(
  request: ExportRequest,
  options: ExportOptions,
): Promise<ExportResult> {
  const begun = (await readState(request.out)) ?? (await beginExport(request, options));
  refuseOther(begun, request);
  try {
    const found = begun.found ?? (await openSource(begun, options));
    const state = { ...begun, found };
    options.onBegin(state);
    const gathered = state.complete ? state : await gather(state, options);
    if (!(await isPlaced(gathered))) await place(gathered, options);
    const written = schemaToWrite(found.schema);
    await writeSchema(schemaPath(request.out), written);
    await removeBranch(gathered, options);
    await removeState(request.out);
    const { size: bytes } = await stat(request.out);
    return { rows: gathered.rows, bytes, distanceMetric: written.distanceMetric };
  } catch (error) {
    throw begun.found !== null && isClientError(error, 404) ? snapshotGone(error) : error;
  }
}

/** Forgets an export that was cut off, with its branch. Does nothing where there is none. */
export async function discardExport(
  out: string,
  options: Pick<ExportOptions, "client" | "signal">,
): Promise<void> {
  // A state that cannot be read names no branch either.
  const state = await readState(out).catch(() => undefined);
  if (state !== undefined && state.request.url === options.client.url) {
    await removeBranch(state, options);
  }
  await removeState(out);
}

/** Writes down which branch will be made before it is, so that none is ever forgotten. */
async function beginExport(
  request: ExportRequest,
  { client, clock, random, signal }: ExportOptions,
): Promise<ExportState> {
  // A mistyped name or URL, and a key that may not read, leave nothing behind.
  await readMetadata(client, request.namespace, signal);
  const nonce = Buffer.from(random.bytes(6)).toString("hex");
  const day = formatTime(clock.nowMs()).slice(0, "2026-01-31".length);
  const branch = `${BRANCH_PREFIX}${day}-${nonce}`;
  const state = initialState(request, request.snapshot ? branch : request.namespace);
  await writeState(state);
  return state;
}

/**
 * Makes the branch, unless a run before has done so, and looks what is in it. What the server
 * refuses then leaves nothing behind.
 */
async function openSource(state: ExportState, options: ExportOptions): Promise<ExportSource> {
  try {
    const found = await findSource(state, options);
    await writeState({ ...state, found });
    return found;
  } catch (error) {
    if (isClientError(error) && error.kind === "refused") {
      const { out } = state.request;
      // What was refused says more than what may go wrong here. Who may not branch has no branch.
      const whatIsLeft = () => (isClientError(error, 403) ? removeState(out) : undefined);
      await discardExport(out, options).catch(whatIsLeft);
    }
    throw error;
  }
}

async function findSource(
  { request, source: namespace }: ExportState,
  { client, signal }: ExportOptions,
): Promise<ExportSource> {
  const { filters } = request;
  if (request.snapshot) {
    const branch = branchNamespace(client, { from: request.namespace, to: namespace, signal });
    await branch.catch((error: unknown) => {
      if (isClientError(error, 403)) throw mayNotBranch(error, namespace);
      if (!isClientError(error, 409)) throw error;
    });
  }
  const { schema, approx_row_count: all } = await readMetadata(client, namespace, signal);
  const counted = { namespace, filters: filters ?? "", signal };
  const total = filters === null ? all : await countDocuments(client, counted);
  return { schema: schema as ExportSource["schema"], total };
}

function mayNotBranch(cause: ClientError, branch: string): ClientError {
  const why =
    `${cause.message}; an export reads a branch of the namespace (${branch}), which this key may ` +
    "not make: take one that may, or read the namespace itself with --live";
  return new ClientError(cause.kind, why, { status: 403, cause });
}

function snapshotGone(cause: Error): Error {
  const why = `the snapshot that this export reads is gone (${cause.message})`;
  return new Error(`${why}; start again with --restart`, { cause });
}

function refuseOther({ request: begun }: ExportState, request: ExportRequest): void {
  const names = Object.keys({ ...begun, ...request }) as (keyof ExportRequest)[];
  const other = names.find((name) => begun[name] !== request[name]);
  if (other === undefined) return;
  throw new Error(
    `an export to ${request.out} was cut off that had ${other} ${begun[other]} instead of ` +
      `${request[other]}: specify the same again to continue, or start again with --restart`,
  );
}

/** Gathers all documents that are still missing in the partial file. */
async function gather(begun: FoundState, options: ExportOptions): Promise<FoundState> {
  const { client, clock, signal, onRows } = options;
  const { request, source } = begun;
  const { schema } = begun.found;
  const columns = exportedColumns(begun);
  const isCsv = request.format === "csv";
  const textCell = request.escapesFormulas ? harmlessCell : csvCell;
  const lineOf = (row: Buffer) =>
    isCsv ? [Buffer.from(csvLine(columns, row, textCell))] : [row, LINE_FEED];
  const file = await PartialFile.open(partialPath(request.out), {
    bytes: begun.bytes,
    gzip: request.gzip,
  });
  let state = begun;
  try {
    if (isCsv && begun.bytes === 0) await file.append(Buffer.from(csvHeader(columns, textCell)));
    const excluded = Object.keys(schema).filter((name) => !columns.includes(name));
    const vectorEncoding = request.format === "parquet" ? "base64" : encodingOf(request);
    let savedMs = clock.monotonicMs();
    const save = async () => {
      await file.sync();
      await writeState(state);
      savedMs = clock.monotonicMs();
    };
    const pages = {
      namespace: source,
      filters: request.filters,
      excluded,
      vectorEncoding,
    } as const;
    for await (const page of readPages(client, { ...pages, after: begun.after, signal })) {
      await file.append(Buffer.concat(page.rows.flatMap(lineOf)));
      state = {
        ...state,
        after: page.last,
        rows: state.rows + page.rows.length,
        bytes: file.bytes,
      };
      onRows(page.rows.length);
      if (clock.monotonicMs() - savedMs >= SAVE_INTERVAL_MS) await save();
      signal.throwIfAborted();
    }
    state = { ...state, bytes: file.bytes, complete: true };
    await save();
    return state;
  } catch (error) {
    // What is there already need not be read again; the fault itself says more than this one would.
    await file
      .sync()
      .then(() => writeState(state))
      .catch(() => undefined);
    throw error;
  } finally {
    await file.close();
  }
}

function encodingOf({ vectors }: ExportRequest): "float" | "base64" {
  return vectors === "base64" ? "base64" : "float";
}

/** The names of what is exported: the id first, vectors only if they are wanted. */
function exportedColumns({ request, found }: FoundState): string[] {
  const attributes = Object.entries(found.schema).filter(([name, { type }]) => {
    return name !== "id" && !(request.vectors === "none" && isVector(type));
  });
  return ["id", ...attributes.map(([name]) => name)];
}

/** Dense, several, or sparse. */
function isVector(type: string): boolean {
  return /^(?:\[\])?\[\d+\]/.test(type) || type.startsWith("{}");
}

/** The result is there, and what it was made of no longer. */
async function isPlaced({ request: { out } }: ExportState): Promise<boolean> {
  const exists = (path: string) =>
    stat(path).then(
      () => true,
      () => false,
    );
  return (await exists(out)) && !(await exists(partialPath(out)));
}

/** Makes the result of the partial file. */
async function place(state: FoundState, options: ExportOptions): Promise<void> {
  const { request } = state;
  const { schema } = state.found;
  const partial = partialPath(request.out);
  if (request.format !== "parquet") return rename(partial, request.out);
  options.onConvert(state);
  const staged = `${request.out}.new`;
  // The writer takes a path, and opens what is there.
  await (await createPrivateFile(staged)).close();
  const types = exportedColumns(state).map((name) => [name, schema[name]?.type ?? "string"]);
  await writeParquet({
    path: staged,
    types: Object.fromEntries(types) as Record<string, string>,
    rows: linesOf(partial, options.signal),
    onRows: options.onRows,
  });
  await syncFile(staged);
  await rename(staged, request.out);
}

/** Returns once the file is on the disk, so that its name never stands for less. */
async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  await file.sync().finally(() => file.close());
}

async function* linesOf(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  for await (const line of splitLines(createReadStream(path, { highWaterMark: MIB }))) {
    signal.throwIfAborted();
    yield line;
  }
}

/** The schema as writes take it, so that types and indexes come back with an import. */
async function writeSchema(path: string, { schema }: WrittenSchema): Promise<void> {
  await replacePrivateFile(path, `${JSON.stringify(schema, undefined, 2)}\n`);
}

async function removeBranch(
  { request, source }: ExportState,
  { client, signal }: Pick<ExportOptions, "client" | "signal">,
): Promise<void> {
  if (source === request.namespace) return;
  await deleteNamespace(client, source, signal).catch((error: unknown) => {
    if (!isClientError(error, 404)) throw error;
  });
}
