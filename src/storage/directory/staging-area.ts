import { join } from "node:path";
import { MIB } from "../../base/byte-sizes.ts";
import type { Pieces } from "../../base/pieces.ts";
import type { Random } from "../../base/random.ts";
import { type FileSystem, isSystemError } from "./file-system.ts";
import { isGone, type ProcessIdentity } from "./process-identity.ts";

/** One write call to a file; larger bodies take several. Our choice: frees I/O threads soon. */
const FILE_WRITE_BYTES_MAX = 16 * MIB;
/** Age above which a staged file of an unknown process is removed; no put takes that long. */
const STAGED_FILE_AGE_MS_MAX = 3_600_000;

/** Its `~` keeps it apart from every key. */
const DIRECTORY = "~staging";

/**
 * Where files are written before they get their names: one directory in the same file system. The
 * name of a staged file says who writes it, so that what a killed process left can be removed:
 *
 *     <host tag>.<pid>.<start>.<16 random hex digits>
 */
export class StagingArea {
  readonly directory: string;
  readonly #files: FileSystem;
  readonly #random: Random;
  readonly #self: ProcessIdentity;

  constructor(root: string, files: FileSystem, random: Random, self: ProcessIdentity) {
    this.directory = join(root, DIRECTORY);
    this.#files = files;
    this.#random = random;
    this.#self = self;
  }

  /** Writes a body to a new file and returns its path once the bytes are durable. */
  async stage(body: Pieces): Promise<string> {
    const path = join(this.directory, this.#newName());
    const handle = await this.#files.open(path, "wx");
    try {
      for (const piece of body) {
        for (let at = 0; at < piece.length; ) {
          const length = Math.min(FILE_WRITE_BYTES_MAX, piece.length - at);
          at += (await handle.write(piece, at, length)).bytesWritten;
        }
      }
      await handle.sync(); // Bytes first: a name must never outrun the bytes that it names.
    } catch (error) {
      await handle.close();
      await this.discard(path);
      throw error;
    }
    await handle.close();
    return path;
  }

  /**
   * Removes a staged file, best effort: a file that stays is found by the next `removeLeftovers`.
   */
  async discard(path: string): Promise<void> {
    await this.#files.unlink(path).catch(() => undefined);
  }

  /**
   * Removes files of processes that are gone, and of unknown ones when they are old. To remove one
   * that is still in use makes its put fail with an unknown outcome, and never harms a named
   * object.
   */
  async removeLeftovers(): Promise<void> {
    const names = await this.#files.readdir(this.directory);
    if (names.length === 0) return;

    // Ages are taken against a file of now: the disk's clock may differ from the machine's.
    const probe = await this.stage([]);
    const now = (await this.#files.stat(probe)).mtimeMs;
    await this.discard(probe);
    for (const name of names) {
      const path = join(this.directory, name);
      if (await this.#isLeftover(name, path, now)) await this.discard(path);
    }
  }

  async #isLeftover(name: string, path: string, now: number): Promise<boolean> {
    const [hostTag, pid, start] = name.split(".");
    const writer = { hostTag: hostTag ?? "", pid: Number(pid), start: start ?? "" };
    if (await isGone(writer, this.#self)) return true;
    try {
      return now - (await this.#files.stat(path)).mtimeMs > STAGED_FILE_AGE_MS_MAX;
    } catch (error) {
      if (isSystemError(error, "ENOENT")) return false;
      throw error;
    }
  }

  #newName(): string {
    const { hostTag, pid, start } = this.#self;
    return `${hostTag}.${pid}.${start}.${Buffer.from(this.#random.bytes(8)).toString("hex")}`;
  }
}
