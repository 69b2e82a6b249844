/** A file system whose calls a test can watch, fail and falsify. */

import type { FileHandle } from "node:fs/promises";
import { type FileSystem, systemFiles } from "../../../src/storage/directory/file-system.ts";

/** Calls that are watched. */
export type FileCall = "open" | "read" | "write" | "close" | "mkdir" | "readdir" | "unlink";

/** What a test does to calls; any of it may change at any time. */
export interface FileFaults {
  /** Called before each call; what it throws is what the call fails with. */
  before?: (call: FileCall) => void;
  /** Changes the bytes that were read. */
  falsify?: (bytes: Uint8Array) => void;
  /** Greatest number of bytes that one read or write moves. */
  movedMax?: number;
}

/** The system's files with faults. */
export function faultyFiles(faults: FileFaults): FileSystem {
  const watch =
    <T extends unknown[], R>(call: FileCall, act: (...words: T) => Promise<R>) =>
    async (...words: T): Promise<R> => {
      faults.before?.(call);
      return act(...words);
    };
  const openWatched = async (...words: Parameters<typeof systemFiles.open>) => {
    faults.before?.("open");
    return watchHandle(await systemFiles.open(...words), faults);
  };
  return {
    ...systemFiles,
    open: openWatched,
    mkdir: watch("mkdir", systemFiles.mkdir as (path: string) => Promise<undefined>),
    readdir: watch("readdir", systemFiles.readdir as (path: string) => Promise<string[]>),
    unlink: watch("unlink", systemFiles.unlink),
  } as FileSystem;
}

/** An error of the system. */
export function systemError(code: string): Error {
  return Object.assign(new Error(`${code}: injected`), { code });
}

function watchHandle(handle: FileHandle, faults: FileFaults): FileHandle {
  const read = handle.read.bind(handle) as (...words: unknown[]) => Promise<{ bytesRead: number }>;
  const write = handle.write.bind(handle) as (...words: unknown[]) => Promise<unknown>;
  const close = handle.close.bind(handle);
  const shortened = (length: number) => Math.min(length, faults.movedMax ?? length);
  const watched = {
    read: async (bytes: Uint8Array, offset: number, length: number, position: number) => {
      faults.before?.("read");
      const result = await read(bytes, offset, shortened(length), position);
      faults.falsify?.(bytes.subarray(offset, offset + result.bytesRead));
      return result;
    },
    write: async (bytes: Uint8Array, offset: number, length: number, position: number) => {
      faults.before?.("write");
      return write(bytes, offset, shortened(length), position);
    },
    close: async () => {
      await close(); // The descriptor is gone in any case.
      faults.before?.("close");
    },
  };
  return Object.assign(handle, watched) as unknown as FileHandle;
}
