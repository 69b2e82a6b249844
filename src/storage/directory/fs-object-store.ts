import { dirname, join } from "node:path";
import { assert } from "../../base/assert.ts";
import { OBJECT_BYTES_MAX } from "../../base/byte-sizes.ts";
import { DatabaseError } from "../../base/errors.ts";
import { piecesBytes } from "../../base/pieces.ts";
import type { Random } from "../../base/random.ts";
import {
  type ListPage,
  type ListRequest,
  type ObjectBody,
  type ObjectKey,
  type ObjectStore,
  type PutCondition,
  type PutOutcome,
  piecesOf,
} from "../object-store.ts";
import { listDirectory } from "./directory-listing.ts";
import { DirectorySync } from "./directory-sync.ts";
import {
  type FileSystem,
  isSystemError,
  isWrongDirectory,
  storageError,
  systemFiles,
} from "./file-system.ts";
import { thisProcess } from "./process-identity.ts";
import { StagingArea } from "./staging-area.ts";

/** What an `FsObjectStore` needs. */
export interface FsObjectStoreOptions {
  /** Made where it is missing; all of it must lie in one file system. */
  readonly root: string;
  readonly random: Random;
  /** The machine's, unless a test passes another. */
  readonly files?: FileSystem;
}

/**
 * Keeps each object as one file below a root directory: the key is the path. Any number of threads
 * and processes may use one directory at once.
 *
 * A body is written to a staged file and synced, then named: `link` fails if the name exists, which
 * is put-if-absent without a lock, and readers see all of the file or none. The directory is synced
 * before the put resolves, after a conflict too, so that whoever learns of an object by losing to
 * it can rely on it. Directories that become empty stay.
 */
export class FsObjectStore implements ObjectStore {
  readonly #root: string;
  readonly #files: FileSystem;
  readonly #staging: StagingArea;
  readonly #directories: DirectorySync;

  private constructor(
    root: string,
    files: FileSystem,
    staging: StagingArea,
    directories: DirectorySync,
  ) {
    this.#root = root;
    this.#files = files;
    this.#staging = staging;
    this.#directories = directories;
  }

  /** Makes the directory ready and removes what killed writers left in its staging area. */
  static async open(options: FsObjectStoreOptions): Promise<FsObjectStore> {
    const { root, random, files = systemFiles } = options;
    const directories = new DirectorySync(root, files);
    const staging = new StagingArea(root, files, random, await thisProcess());
    try {
      await directories.makeRoot();
      await directories.make(staging.directory);
      await staging.removeLeftovers();
    } catch (error) {
      const { code, message } = storageError(`open data directory ${root}`, error);
      if (!isWrongDirectory(error)) throw new DatabaseError(code, message, { cause: error });
      const fix = "choose a directory that this user can write to";
      throw new DatabaseError(code, `${message}; ${fix}`, { cause: error });
    }
    return new FsObjectStore(root, files, staging, directories);
  }

  async get(key: ObjectKey): Promise<Uint8Array | undefined> {
    try {
      const { buffer, byteOffset, byteLength } = await this.#files.readFile(this.#pathOf(key));
      return new Uint8Array(buffer, byteOffset, byteLength);
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw storageError(`read ${key}`, error);
    }
  }

  async getRange(key: ObjectKey, start: number, end: number): Promise<Uint8Array | undefined> {
    try {
      const handle = await this.#files.open(this.#pathOf(key), "r");
      try {
        const { size } = await handle.stat();
        const body = new Uint8Array(Math.max(0, Math.min(end, size) - start));
        let filled = 0;
        while (filled < body.length) {
          const position = start + filled;
          const { bytesRead } = await handle.read(body, filled, body.length - filled, position);
          if (bytesRead === 0) break;
          filled += bytesRead;
        }
        return body.subarray(0, filled);
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (isAbsence(error)) return undefined;
      throw storageError(`read ${key}`, error);
    }
  }

  async put(key: ObjectKey, body: ObjectBody, condition: PutCondition): Promise<PutOutcome> {
    const pieces = piecesOf(body);
    const bytes = piecesBytes(pieces);
    assert(bytes <= OBJECT_BYTES_MAX, `object of ${bytes} bytes is too large`);
    const path = this.#pathOf(key);
    const directory = dirname(path);
    try {
      await this.#directories.make(directory);
      const staged = await this.#staging.stage(pieces);
      const outcome = await this.#name(staged, path, condition).catch(async (error) => {
        await this.#staging.discard(staged);
        throw error;
      });
      // Syncing and tidying up do not depend on each other.
      await Promise.all([this.#directories.sync(directory), this.#staging.discard(staged)]);
      return outcome;
    } catch (error) {
      if (isSystemError(error, "ENOENT")) this.#directories.forget(directory);
      throw storageError(`write ${key}`, error);
    }
  }

  async list(request: ListRequest): Promise<ListPage> {
    try {
      return await listDirectory(this.#root, request, this.#files);
    } catch (error) {
      throw storageError(`list ${request.prefix}`, error);
    }
  }

  async delete(key: ObjectKey): Promise<void> {
    const path = this.#pathOf(key);
    try {
      await this.#files.unlink(path);
      await this.#directories.sync(dirname(path));
    } catch (error) {
      if (!isAbsence(error)) throw storageError(`delete ${key}`, error);
    }
  }

  async #name(staged: string, path: string, condition: PutCondition): Promise<PutOutcome> {
    if (condition.kind === "always") {
      await this.#files.rename(staged, path);
      return { kind: "written" };
    }
    try {
      await this.#files.link(staged, path);
      return { kind: "written" };
    } catch (error) {
      if (!isSystemError(error, "EEXIST")) throw error;
      // A network file system that repeats a request may report its own first success as EEXIST;
      // the staged file's second name tells.
      const { nlink } = await this.#files.stat(staged);
      return { kind: nlink === 2 ? "written" : "conflict" };
    }
  }

  #pathOf(key: ObjectKey): string {
    return join(this.#root, key);
  }
}

/** A path that leads through a file or to a directory holds no object either. */
function isAbsence(error: unknown): boolean {
  return isSystemError(error, "ENOENT", "ENOTDIR", "EISDIR");
}
