/** The two files that an import writes: how far it is, and which rows were rejected. */

import { type FileHandle, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  createPrivateFile,
  readPrivateFile,
  reopenPrivateFile,
  replacePrivateFile,
} from "../private-file.ts";
import { decodeImportState, encodeImportState, type ImportState } from "./import-state.ts";
import { rejectedLine } from "./rejected-line.ts";
import type { RejectedRow } from "./settle-batch.ts";

/** Beside the first file, under a name that patterns of files pass over. */
export function statePath(firstFile: string, namespace: string): string {
  return join(dirname(firstFile), `.${basename(firstFile)}.${namespace}.import-state`);
}

/** The state that an earlier run has left; a string says why it cannot be read. */
export async function readState(path: string): Promise<ImportState | string | undefined> {
  try {
    const text = await readPrivateFile(path);
    return text === undefined ? undefined : decodeImportState(text);
  } catch (error) {
    return `cannot be read: ${(error as Error).message}`;
  }
}

/** Replaces the state as a whole, so that a crash leaves the old one or the new one. */
export async function writeState(path: string, state: ImportState): Promise<void> {
  await replacePrivateFile(path, encodeImportState(state));
}

/** Removes the state of an import that is done. */
export async function removeState(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Rejected rows, each a line of it. */
export class RejectsFile {
  readonly #file: FileHandle;
  #bytes: number;

  private constructor(file: FileHandle, bytes: number) {
    this.#file = file;
    this.#bytes = bytes;
  }

  /** Opens the file, of which the first `bytes` stay. */
  static async open(path: string, bytes: number): Promise<RejectsFile> {
    const file = await (bytes === 0 ? createPrivateFile(path) : reopenPrivateFile(path));
    await file.truncate(bytes);
    return new RejectsFile(file, bytes);
  }

  /** Its length. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds rows. */
  async add(rejected: readonly RejectedRow[]): Promise<void> {
    const text = Buffer.from(rejected.map(rejectedLine).join(""));
    await this.#file.write(text, 0, text.length, this.#bytes);
    this.#bytes += text.length;
  }

  async close(): Promise<void> {
    await this.#file.close();
  }
}
