import type { Dirent } from "node:fs";
import { join } from "node:path";
import { isObjectKey, type ListPage, type ListRequest, type ObjectKey } from "../object-store.ts";
import { type FileSystem, isSystemError } from "./file-system.ts";

/**
 * Lists the files below `root` as keys, in byte order. Reads each directory that it enters whole,
 * but enters only those that can hold an answer.
 */
export async function listDirectory(
  root: string,
  request: ListRequest,
  files: FileSystem,
): Promise<ListPage> {
  const keys: ObjectKey[] = [];
  const prefixes: string[] = [];
  for await (const entry of walk({ root, request, files }, "")) {
    if (keys.length + prefixes.length === request.limit) return { keys, prefixes, truncated: true };
    if (entry.endsWith("/")) prefixes.push(entry);
    else if (isObjectKey(entry)) keys.push(entry);
  }
  return { keys, prefixes, truncated: false };
}

interface Walk {
  readonly root: string;
  readonly request: ListRequest;
  readonly files: FileSystem;
}

/** Yields keys, and folded prefixes, below the directory `at` (empty, or ends in `/`). */
async function* walk(context: Walk, at: string): AsyncGenerator<string> {
  const { prefix, startAfter = "", delimiter } = context.request;
  for (const name of await sortedNames(context, at)) {
    const path = at + name;
    if (!name.endsWith("/")) {
      if (path.startsWith(prefix) && path > startAfter && isObjectKey(path)) yield path;
      continue;
    }
    if (!path.startsWith(prefix) && !prefix.startsWith(path)) continue;
    if (path < startAfter && !startAfter.startsWith(path)) continue;

    if (delimiter === undefined || path.length <= prefix.length) yield* walk(context, path);
    else if (await holdsKey(context, path)) yield path;
  }
}

/**
 * Tells whether an object after `startAfter` lies below `path`: an empty directory is no prefix.
 */
async function holdsKey(context: Walk, path: string): Promise<boolean> {
  const { startAfter = "" } = context.request;
  const request = { prefix: path, startAfter, limit: 1 };
  for await (const _ of walk({ ...context, request }, path)) return true;
  return false;
}

/** Names in the order of the keys that they begin: a directory sorts as its name with the `/`. */
async function sortedNames(context: Walk, at: string): Promise<string[]> {
  let entries: Dirent[];
  try {
    entries = await context.files.readdir(join(context.root, at), { withFileTypes: true });
  } catch (error) {
    // A missing root is a lost disk, not an empty store.
    if (at !== "" && isSystemError(error, "ENOENT", "ENOTDIR")) return [];
    throw error;
  }
  const names = entries.flatMap((entry) => {
    if (entry.name.startsWith("~")) return []; // The store's own files.
    if (entry.isDirectory()) return [`${entry.name}/`];
    return entry.isFile() ? [entry.name] : [];
  });
  return names.sort();
}
