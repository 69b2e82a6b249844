/**
 * What an unfinished export has done so far: a small JSON file beside its result, replaced as a
 * whole. A run that was cut off goes on from there.
 */

import { rm } from "node:fs/promises";
import { readPrivateFile, replacePrivateFile } from "../private-file.ts";
import type { ExportRequest } from "./export-request.ts";

/** Of the file's form; another one is refused. */
const VERSION = 1;

/** See the file's head. */
export interface ExportState {
  readonly version: typeof VERSION;
  readonly request: ExportRequest;
  /** The namespace that is read: a branch made for this export, or the namespace itself. */
  readonly source: string;
  /** What was found in the source; null before the branch is known to be there. */
  readonly found: ExportSource | null;
  /** The last id that is in the partial file, as JSON; null before the first. */
  readonly after: string | null;
  readonly rows: number;
  /** Bytes of the partial file that count; what follows them was not finished. */
  readonly bytes: number;
  /** All documents are in the partial file, or in the result already. */
  readonly complete: boolean;
}

/** What an export reads. */
export interface ExportSource {
  /** Attributes as metadata shows them. */
  readonly schema: Readonly<Record<string, { readonly type: string }>>;
  /** How many documents there will be. */
  readonly total: number;
}

/** The state before anything is done. */
export function initialState(request: ExportRequest, source: string): ExportState {
  const nothing = { found: null, after: null, rows: 0, bytes: 0, complete: false };
  return { version: VERSION, request, source, ...nothing };
}

/** Where the state of an export to `out` is. */
export function statePath(out: string): string {
  return `${out}.export`;
}

/** Where documents are gathered until all are there. */
export function partialPath(out: string): string {
  return `${out}.partial`;
}

/** Reads the state of an export to `out`; undefined if there is none. */
export async function readState(out: string): Promise<ExportState | undefined> {
  const path = statePath(out);
  const text = await readPrivateFile(path);
  if (text === undefined) return undefined;
  const state = parseState(text);
  if (state === undefined) {
    throw new Error(`${path} is no state of an export by this version; start again with --restart`);
  }
  return state;
}

/** Replaces the state, so that a reader finds the old one or the new one. */
export async function writeState(state: ExportState): Promise<void> {
  await replacePrivateFile(statePath(state.request.out), `${JSON.stringify(state)}\n`);
}

/** Removes the state and the partial file. */
export async function removeState(out: string): Promise<void> {
  await rm(partialPath(out), { force: true });
  await rm(statePath(out), { force: true });
}

function parseState(text: string): ExportState | undefined {
  try {
    const state = JSON.parse(text) as ExportState | null;
    return state?.version === VERSION ? state : undefined;
  } catch {
    return undefined;
  }
}
