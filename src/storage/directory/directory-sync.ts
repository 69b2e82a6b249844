import { dirname } from "node:path";
import { DatabaseError } from "../../base/errors.ts";
import { type FileSystem, isSystemError, makeDirectories, storageError } from "./file-system.ts";

/** Directories that a store remembers as durable; beyond that it forgets and syncs again. */
const DURABLE_DIRECTORIES_MAX = 100_000;

/**
 * Makes names durable: a file's name lives in its directory, and that must be synced like a file.
 *
 * Syncs of one directory are shared. A caller needs a sync that *starts* after its name is there,
 * so while one runs, all who come wait together for the next.
 */
export class DirectorySync {
  readonly #root: string;
  readonly #files: FileSystem;
  readonly #turns = new Map<string, Turn>();
  /** Directories whose own names, up to the root, this process has synced. */
  readonly #durable = new Set<string>();
  readonly #making = new Map<string, Promise<void>>();
  /**
   * Directories that once failed to sync, which the system may forget and report as synced next.
   */
  readonly #failed = new Set<string>();

  constructor(root: string, files: FileSystem) {
    this.#root = root;
    this.#files = files;
  }

  /** Resolves when every name that was in `directory` at the call is durable. */
  sync(directory: string): Promise<void> {
    const turn: Turn = this.#turns.get(directory) ?? { running: undefined, next: undefined };
    this.#turns.set(directory, turn);
    if (turn.next !== undefined) return turn.next;
    if (turn.running === undefined) return this.#start(directory, turn);

    const start = () => {
      turn.next = undefined;
      return this.#start(directory, turn);
    };
    turn.next = turn.running.then(start, start);
    return turn.next;
  }

  /**
   * Creates `directory` below the root where it is missing. Its name is synced even where it is
   * not: another process may have made it a moment ago and not have come to that yet.
   */
  make(directory: string): Promise<void> {
    if (directory === this.#root || this.#durable.has(directory)) return Promise.resolve();
    const running = this.#making.get(directory);
    if (running !== undefined) return running;

    const made = this.#make(directory).finally(() => this.#making.delete(directory));
    this.#making.set(directory, made);
    return made;
  }

  /** Creates the root with all directories above it, each of them durable. */
  async makeRoot(): Promise<void> {
    const first = await makeDirectories(this.#root, { files: this.#files });
    if (first === undefined) return;
    const top = dirname(first);
    for (let child = this.#root; child !== top; child = dirname(child)) {
      await this.sync(dirname(child));
    }
  }

  /** Takes back that `directory` is durable, after it was found missing. */
  forget(directory: string): void {
    this.#durable.delete(directory);
  }

  async #make(directory: string): Promise<void> {
    const parent = dirname(directory);
    await this.make(parent);
    try {
      await this.#files.mkdir(directory);
    } catch (error) {
      if (isSystemError(error, "ENOENT")) this.forget(parent);
      if (!isSystemError(error, "EEXIST")) throw storageError(`make ${directory}`, error);
    }
    await this.sync(parent);
    if (this.#durable.size >= DURABLE_DIRECTORIES_MAX) this.#durable.clear();
    this.#durable.add(directory);
  }

  #start(directory: string, turn: Turn): Promise<void> {
    turn.running = this.#syncNow(directory).finally(() => {
      turn.running = undefined;
      if (turn.next === undefined) this.#turns.delete(directory);
    });
    return turn.running;
  }

  async #syncNow(directory: string): Promise<void> {
    if (this.#failed.has(directory)) {
      const why = "an earlier sync failed, so what the disk holds is unknown";
      throw new DatabaseError("unavailable", `cannot sync ${directory}: ${why}; check the disk`);
    }
    try {
      const handle = await this.#files.open(directory, "r");
      try {
        await handle.sync();
      } catch (error) {
        this.#failed.add(directory);
        throw error;
      } finally {
        await handle.close();
      }
    } catch (error) {
      if (isSystemError(error, "ENOENT")) this.forget(directory);
      throw storageError(`sync ${directory}`, error);
    }
  }
}

interface Turn {
  running: Promise<void> | undefined;
  next: Promise<void> | undefined;
}
