import { join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import { DatabaseError } from "../../base/errors.ts";
import type { Random } from "../../base/random.ts";
import { type FileSystem, isSystemError } from "./file-system.ts";
import { isGone, isRunning, type ProcessIdentity } from "./process-identity.ts";

/** How often the owner of a data directory touches its lock file. */
const LOCK_BEAT_MS = 2_000;
/** How long a lock file must stay untouched before an unknown owner counts as gone: 3 beats. */
const LOCK_SILENCE_MS = 3 * LOCK_BEAT_MS;
/** Contenders for a data directory that one acquisition gives way to before it gives up. */
const LOCK_ATTEMPTS_MAX = 8;

/** Who holds a data directory. */
export interface LockOwner extends ProcessIdentity {
  readonly host: string;
  /** Device and inode of the directory, as the owner sees them; older servers do not tell. */
  readonly directory?: string;
  /** When it took the directory, by its own clock. */
  readonly sinceMs: number;
  /** The directory was copied from elsewhere, and nobody has said since that it is whole. */
  readonly isCopy?: boolean;
}

/** What a `LockFile` needs. */
export interface LockFileOptions {
  readonly root: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly files: FileSystem;
  readonly owner: LockOwner;
}

/** What a lock file says. */
interface LockContent {
  /** Undefined: nobody. */
  readonly owner: LockOwner | undefined;
  readonly isCopy: boolean;
}

const NOTHING: LockContent = { owner: undefined, isCopy: false };
/** The `~` keeps lock files apart from every key. */
const NAME = /^~lock-(\d{10})$/;
const STAGED = "~lock-staged-";

/**
 * The lock of a data directory as files `~lock-<number>` with the owner as JSON. The highest number
 * owns; numbers are taken with `link`, so that one contender wins, and the highest is never
 * removed, so that one who slept finds out. A file without an owner, `{}`, means released.
 *
 * A lock that names another directory was copied with it. The next owners' files say so until the
 * copy was made whole, so that whoever follows one who was killed on the way knows it, too.
 *
 * An owner that cannot be looked up (another host, another container) proves that it lives by
 * touching its file every `LOCK_BEAT_MS`. A contender watches for that with its own clock only.
 */
export class LockFile {
  readonly #root: string;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #files: FileSystem;
  readonly #owner: LockOwner;
  #number = 0;
  #isCopy = false;
  #stop: () => void = () => undefined;

  constructor({ root, clock, random, files, owner }: LockFileOptions) {
    this.#root = root;
    this.#clock = clock;
    this.#random = random;
    this.#files = files;
    this.#owner = owner;
  }

  /** The directory was copied while a server held it elsewhere, and is not known to be whole. */
  get isCopy(): boolean {
    return this.#isCopy;
  }

  /** Takes the lock, or returns the owner who is alive. May wait `LOCK_SILENCE_MS` to see that. */
  async take(): Promise<LockOwner | undefined> {
    for (let tried = 0; tried < LOCK_ATTEMPTS_MAX; tried++) {
      const numbers = await this.#numbers();
      const highest = numbers.at(-1) ?? 0;
      const { owner: rival, isCopy } = await this.#read(highest);
      if (rival !== undefined && (await this.#isAlive(highest, rival))) return rival;
      this.#isCopy = isCopy || isElsewhere(rival, this.#owner);
      if (!(await this.#create(highest + 1, this.#ownText()))) continue;

      // Numbers below may have come and gone while this one was asleep: only the highest counts.
      if ((await this.#numbers()).at(-1) !== highest + 1) {
        await this.#remove(highest + 1);
        continue;
      }
      this.#number = highest + 1;
      for (const number of numbers) await this.#remove(number);
      await this.#removeStaged();
      return undefined;
    }
    const what = `${LOCK_ATTEMPTS_MAX} other servers took it in turn`;
    throw new DatabaseError("conflict", `cannot lock data directory ${this.#root}: ${what}`);
  }

  /** Touches the file from now on, and calls `onLost` once when another owner has taken over. */
  keep(onLost: (rival: LockOwner | undefined) => void): void {
    this.#stop = this.#clock.every(LOCK_BEAT_MS, () => void this.#beat(onLost));
  }

  /** The copy is whole: from now on the directory is one like others. */
  async settle(): Promise<void> {
    this.#isCopy = false;
    // Under the same number, or the next beat would find that somebody has taken over.
    const staged = await this.#stage(this.#ownText());
    await this.#files.rename(staged, this.#path(this.#number));
  }

  /** Marks the lock as free. */
  async release(): Promise<void> {
    this.#stop();
    const text = JSON.stringify(this.#isCopy ? { isCopy: true } : {});
    if (await this.#create(this.#number + 1, text)) await this.#remove(this.#number);
  }

  /** The owner on file, dead or alive. */
  async readOwner(): Promise<LockOwner | undefined> {
    return (await this.#read((await this.#numbers()).at(-1) ?? 0)).owner;
  }

  #ownText(): string {
    return JSON.stringify(this.#isCopy ? { ...this.#owner, isCopy: true } : this.#owner);
  }

  async #isAlive(number: number, rival: LockOwner): Promise<boolean> {
    if (await isGone(rival, this.#owner)) return false;
    // Under another inode the file is a copy, as of a backup, and its owner is busy elsewhere; or
    // one directory is mounted twice, and the owner touches this file, too.
    const isSame = rival.directory === this.#owner.directory;
    if (isSame && (await isRunning(rival, this.#owner))) return true;

    const before = await this.#touchedMs(number);
    await this.#clock.sleep(LOCK_SILENCE_MS);
    return before !== undefined && (await this.#touchedMs(number)) !== before;
  }

  async #beat(onLost: (rival: LockOwner | undefined) => void): Promise<void> {
    const now = this.#clock.nowMs() / 1000;
    try {
      await this.#files.utimes(this.#path(this.#number), now, now);
      const highest = (await this.#numbers()).at(-1);
      if (highest === this.#number) return;
    } catch (error) {
      // A disk that fails shows in the requests that need it; only a missing file is a lost lock.
      if (!isSystemError(error, "ENOENT")) return;
    }
    this.#stop();
    onLost(await this.readOwner().catch(() => undefined));
  }

  /** Creates a numbered file whole, or returns false if the number is taken. */
  async #create(number: number, text: string): Promise<boolean> {
    const staged = await this.#stage(text);
    try {
      await this.#files.link(staged, this.#path(number));
      return true;
    } catch (error) {
      // The staged file goes if a rival has won in this moment.
      if (isSystemError(error, "EEXIST", "ENOENT")) return false;
      throw error;
    } finally {
      await this.#files.unlink(staged).catch(() => undefined);
    }
  }

  async #stage(text: string): Promise<string> {
    const suffix = Buffer.from(this.#random.bytes(8)).toString("hex");
    const staged = join(this.#root, `${STAGED}${suffix}`);
    const handle = await this.#files.open(staged, "wx");
    try {
      await handle.writeFile(text);
      // No owner survives a power cut, but that a copy is not whole must.
      if (this.#isCopy) await handle.sync();
    } finally {
      await handle.close();
    }
    return staged;
  }

  /** Removes what contenders that were killed left behind. */
  async #removeStaged(): Promise<void> {
    for (const name of await this.#files.readdir(this.#root)) {
      if (!name.startsWith(STAGED)) continue;
      await this.#files.unlink(join(this.#root, name)).catch(() => undefined);
    }
  }

  async #numbers(): Promise<number[]> {
    const names = await this.#files.readdir(this.#root);
    const numbers = names.flatMap((name) => NAME.exec(name)?.[1] ?? []);
    return numbers.map(Number).sort((a, b) => a - b);
  }

  async #read(number: number): Promise<LockContent> {
    try {
      return parseLock(await this.#files.readFile(this.#path(number), "utf8"));
    } catch (error) {
      if (isSystemError(error, "ENOENT")) return NOTHING;
      throw error;
    }
  }

  async #touchedMs(number: number): Promise<number | undefined> {
    try {
      return (await this.#files.stat(this.#path(number))).mtimeMs;
    } catch (error) {
      if (isSystemError(error, "ENOENT")) return undefined;
      throw error;
    }
  }

  async #remove(number: number): Promise<void> {
    await this.#files.unlink(this.#path(number)).catch(() => undefined); // Another may have.
  }

  #path(number: number): string {
    return join(this.#root, `~lock-${String(number).padStart(10, "0")}`);
  }
}

/**
 * Tells whether a lock was taken under another inode. Devices get other numbers with a restart of
 * the machine, and say nothing.
 */
function isElsewhere(rival: LockOwner | undefined, { directory }: LockOwner): boolean {
  if (rival?.directory === undefined || directory === undefined) return false;
  return rival.directory.split("-")[1] !== directory.split("-")[1];
}

/** Reads an owner's JSON; undefined for a released lock and for anything else. */
export function parseOwner(text: string): LockOwner | undefined {
  return parseLock(text).owner;
}

function parseLock(text: string): LockContent {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return NOTHING; // Torn by a power cut: locks are not synced, since no owner survives that.
  }
  const isCopy = (value as { isCopy?: unknown } | null)?.isCopy === true;
  return { owner: isLockOwner(value) ? value : undefined, isCopy };
}

/** Names an owner in a message. */
export function describeOwner(owner: LockOwner): string {
  return `process ${owner.pid} on host ${owner.host}`;
}

function isLockOwner(value: unknown): value is LockOwner {
  if (typeof value !== "object" || value === null) return false;
  const owner = value as Partial<Record<keyof LockOwner, unknown>>;
  const { hostTag, pid, start, host, directory, sinceMs } = owner;
  const numbers = Number.isSafeInteger(pid) && Number.isSafeInteger(sinceMs);
  return (
    numbers && [hostTag, start, host, directory ?? ""].every((text) => typeof text === "string")
  );
}
