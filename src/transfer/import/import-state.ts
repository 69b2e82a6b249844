/**
 * How far an import is, kept in a file beside the data so that the next run goes on there. Written
 * by this file alone, as JSON of `STATE_VERSION`: what was asked for, the files with their
 * fingerprints, and the position up to which all is acknowledged.
 */

import { createHash } from "node:crypto";
import type { ImportPosition } from "./row-batches.ts";

/** Version of the file's form. */
const STATE_VERSION = 1;
/** Name of the setting that says where rejected rows go. */
export const REJECTS_SETTING = "--rejects";

/** A file as it was when the import began. */
export interface ImportedFile {
  readonly name: string;
  readonly fingerprint: string;
}

/** See the file's head. */
export interface ImportState {
  /** What decides what rows become; all texts. */
  readonly settings: Readonly<Record<string, string>>;
  readonly files: readonly ImportedFile[];
  readonly position: ImportPosition;
  /** Rows that were acknowledged, and rejected, so far. */
  readonly rows: number;
  readonly rejected: number;
  /** Of documents that were sent. */
  readonly bytes: number;
  /** Length of the file of rejected rows; what follows is of batches that count as not sent. */
  readonly rejectsBytes: number;
}

/** The file's text. Its last member is a checksum of the others. */
export function encodeImportState(state: ImportState): string {
  const body = JSON.stringify({ version: STATE_VERSION, ...state });
  return `${body.slice(0, -1)},"checksum":"${checksumOf(body)}"}\n`;
}

/** Reads the file's text; a string says what is wrong with it. */
export function decodeImportState(text: string): ImportState | string {
  const parts = /^(\{"version":(\d+),.*),"checksum":"([0-9a-f]+)"\}\n$/s.exec(text);
  if (parts === null) return "is no state of an import, or was cut off";
  if (Number(parts[2]) !== STATE_VERSION) return `is of version ${parts[2]}, not ${STATE_VERSION}`;
  const body = `${parts[1]}}`;
  if (checksumOf(body) !== parts[3]) return "is damaged: its checksum is another one";
  const { version: _, ...state } = JSON.parse(body) as ImportState & { readonly version: number };
  return state;
}

/** Why a run with other settings or files cannot go on where this one was; undefined if it can. */
export function stateConflict(
  state: ImportState,
  settings: ImportState["settings"],
  files: readonly ImportedFile[],
): string | undefined {
  const names = new Set([...Object.keys(state.settings), ...Object.keys(settings)]);
  for (const name of names) {
    // A run that has rejected nothing may go on with a file of rejected rows.
    if (name === REJECTS_SETTING && state.rejectsBytes === 0) continue;
    const before = state.settings[name] ?? "";
    const now = settings[name] ?? "";
    if (before !== now)
      return `${name} was ${JSON.stringify(before)} and is ${JSON.stringify(now)}`;
  }
  const before = state.files.map(({ name }) => name);
  const now = files.map(({ name }) => name);
  if (before.join("\n") !== now.join("\n")) {
    return `the files were ${before.join(", ")} and are ${now.join(", ")}`;
  }
  const changed = files.find(({ fingerprint }, i) => fingerprint !== state.files[i].fingerprint);
  return changed === undefined ? undefined : `${changed.name} has changed since`;
}

function checksumOf(body: string): string {
  return createHash("sha256").update(body).digest("hex").slice(0, 16);
}
