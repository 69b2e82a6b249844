/** Looks at the place that holds the data, in a way that changes nothing of what is in it. */

import { mkdtemp, open, rm, stat, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Clock } from "../../base/clock.ts";
import type { Random } from "../../base/random.ts";
import { openObjectStore } from "../../storage/access/open-object-store.ts";
import { checkStore } from "../../storage/certify/store-check.ts";
import { RetryingObjectStore } from "../../storage/retrying-object-store.ts";
import { type StoreConfig, storeName } from "../../storage/store-config.ts";
import { checkFormat } from "../../storage/store-format.ts";
import { type Finding, fault, ok } from "./finding.ts";
import { judgeDisk, judgeSync } from "./judge-machine.ts";

/** Writes whose times are compared. */
const SYNC_TRIES = 5;
const SYNC_BYTES = 4_096;

/** Reasons why a directory cannot be written to, by error code. */
const PLACE_FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "a directory cannot be made there",
  ENOTDIR: "it is a file, or lies below one",
  EACCES: "this user may not write there",
  EPERM: "this user may not write there",
  EROFS: "the file system can only be read",
  ENOSPC: "the file system is full",
};

/** What looking needs of the machine. */
export interface ExamineOptions {
  readonly clock: Clock;
  readonly random: Random;
}

/** The store itself, and the disk below it where it is a directory. */
export async function examineStore(
  config: StoreConfig,
  options: ExamineOptions,
): Promise<Finding[]> {
  if (config.kind === "s3") return [await examinePromises(config, config, options)];
  const { root } = config;
  try {
    const isThere = await exists(root);
    const directory = isThere ? root : await nearestDirectory(dirname(root));
    const trial = await mkdtemp(join(directory, ".trawl-doctor-"));
    try {
      // A directory of its own, so that nothing is left between the data.
      const tried = { kind: "directory", root: trial } as const;
      const found = await examinePromises(isThere ? config : tried, tried, options);
      const absent = ok("store", `${root} is absent and can be made`);
      const store = isThere || found.verdict !== "ok" ? found : absent;
      const speed = await examineSpeed(trial, options);
      return [store, await examineRoom("disk", directory, 0), speed];
    } finally {
      await rm(trial, { recursive: true, force: true });
    }
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    const cure = "choose a --data-dir that this user can write to";
    return [fault("store", `cannot use ${root}: ${PLACE_FAULTS[code] ?? message}`, cure)];
  }
}

/** Free room where `path` is or will be. */
export async function examineRoom(
  about: string,
  path: string,
  neededBytes: number,
): Promise<Finding> {
  const directory = await nearestDirectory(path);
  const { bavail, bsize } = await statfs(directory);
  return judgeDisk(about, { path: directory, freeBytes: bavail * bsize, neededBytes });
}

/**
 * Whether `config` has a format that is known, and whether `tried`, a place like it, can be read
 * and written and decides races.
 */
async function examinePromises(
  config: StoreConfig,
  tried: StoreConfig,
  options: ExamineOptions,
): Promise<Finding> {
  const name = storeName(config);
  const opened = async (place: StoreConfig) => {
    const { store } = await openObjectStore(place, options);
    return new RetryingObjectStore({ store, ...options });
  };
  try {
    await checkFormat(await opened(config), name);
    await checkStore({ store: await opened(tried), name, random: options.random });
    return ok("store", `${name} keeps what the server rests on`);
  } catch (error) {
    const cure = config.kind === "s3" ? "see docs/object-stores.md" : "see docs/configuration.md";
    return fault("store", (error as Error).message, cure);
  }
}

async function examineSpeed(directory: string, { clock }: ExamineOptions): Promise<Finding> {
  const times: number[] = [];
  const file = await open(join(directory, "bytes"), "w");
  try {
    for (let i = 0; i < SYNC_TRIES; i++) {
      const startMs = clock.monotonicMs();
      await file.write(new Uint8Array(SYNC_BYTES));
      await file.sync();
      times.push(clock.monotonicMs() - startMs);
    }
  } finally {
    await file.close();
  }
  times.sort((a, b) => a - b);
  return judgeSync(times[Math.floor(SYNC_TRIES / 2)]);
}

async function nearestDirectory(path: string): Promise<string> {
  const parent = dirname(path);
  return (await exists(path)) || parent === path ? path : nearestDirectory(parent);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
