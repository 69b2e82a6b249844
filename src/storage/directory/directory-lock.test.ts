import { cp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { effort } from "../../../test/support/effort.ts";
import { startScript } from "../../../test/support/processes/run-script.ts";
import { temporaryDirectory } from "../../../test/support/stores/temporary-directory.ts";
import { type Clock, formatTime, systemClock } from "../../base/clock.ts";
import { seededRandom } from "../../base/random.ts";
import { acquireDirectoryLock } from "./directory-lock.ts";
import { systemFiles } from "./file-system.ts";
import { LockFile, type LockOwner } from "./lock-file.ts";
import { thisProcess } from "./process-identity.ts";

/** One for all, so that no two contenders stage their files under one name. */
const random = seededRandom(26);

let root: string;
let remove: () => Promise<void>;
beforeEach(async () => {
  const directory = await temporaryDirectory();
  root = directory.path;
  remove = directory.remove;
});
afterEach(() => remove());

const acquire = (clock: Clock = systemClock) => acquireDirectoryLock({ root, clock, random });

async function firstLine(lines: AsyncIterable<string>): Promise<string> {
  for await (const line of lines) return line;
  return "";
}

describe("acquireDirectoryLock", () => {
  test("a second server is told who holds the directory, even if that is paused", async () => {
    const { child, lines, ended } = startScript("hold-directory", root);
    expect(await firstLine(lines)).toBe("held");
    const { mtimeMs } = await stat(join(root, (await readdir(root))[0]));
    const year = formatTime(mtimeMs).slice(0, 4);
    const refusal = {
      code: "conflict",
      message: expect.stringMatching(
        new RegExp(
          `cannot open data directory ${root}: process ${child.pid} on host ${hostname()} ` +
            `has held it since ${year}-.*Z; stop that server, or choose another directory`,
        ),
      ),
    };
    await expect(acquire()).rejects.toMatchObject(refusal);
    // A paused owner keeps its directory and is named from its file.
    child.kill("SIGSTOP");
    await expect(acquire(new InstantClock())).rejects.toMatchObject(refusal);
    child.kill("SIGCONT");
    child.kill("SIGTERM");
    await ended;
    await (await acquire()).release();
  });

  test("a killed owner leaves nothing behind", async () => {
    for (let round = 0; round < effort({ usual: 1, full: 3 }); round++) {
      const { child, lines, ended } = startScript("hold-directory", root);
      expect(await firstLine(lines)).toBe("held");
      child.kill("SIGKILL");
      await ended;
    }
    const lock = await acquire();
    expect((await readdir(root)).length).toBe(1);
    await lock.release();
  });

  test("one process cannot take a directory twice, and can again after a release", async () => {
    for (let round = 0; round < 3; round++) {
      const lock = await acquire();
      await expect(acquire()).rejects.toThrow(`process ${process.pid} on host`);
      await lock.release();
    }
  });

  const rivalCount = effort({ usual: 2, full: 4 });
  test(`of ${rivalCount} processes at once, one gets the directory`, async () => {
    const rivals = Array.from({ length: rivalCount }, () => startScript("hold-directory", root));
    const answers = await Promise.all(rivals.map(({ lines }) => firstLine(lines)));
    expect(answers.filter((answer) => answer === "held").length).toBe(1);
    const owner = rivals[answers.indexOf("held")].child;
    for (const answer of answers) {
      if (answer !== "held") expect(answer).toContain(`process ${owner.pid} on host`);
    }
    for (const { child } of rivals) child.kill("SIGKILL");
    await Promise.all(rivals.map(({ ended }) => ended));
  });
});

test("a directory that is not there is refused", async () => {
  await expect(
    acquireDirectoryLock({ root: `${root}/none`, clock: systemClock, random }),
  ).rejects.toThrow("cannot lock data directory");
});

test("who loses a directory that is removed is told so", async () => {
  const clock = new InstantClock();
  const { promise, resolve } = Promise.withResolvers<Error>();
  const options = { root, clock, random, onLost: resolve };
  const lock = await acquireDirectoryLock(options);
  await rm(root, { recursive: true });
  clock.tick();
  expect((await promise).message).toBe(
    `lost data directory ${root}: its lock file is gone: the directory was removed or replaced; ` +
      "put it back",
  );
  await expect(lock.release()).rejects.toThrow("ENOENT");
});

describe("LockFile", () => {
  const lockFile = async (changes: Partial<LockOwner>, clock = new InstantClock()) => {
    const owner = {
      ...(await thisProcess()),
      host: "here",
      directory: "1-1",
      sinceMs: 5,
      ...changes,
    };
    return new LockFile({ root, clock, random, files: systemFiles, owner });
  };
  const elsewhere = { hostTag: "0000000000000000", pid: 1, host: "elsewhere" };

  test("an owner on another host that is silent has gone", async () => {
    await (await lockFile(elsewhere)).take();
    expect(await (await lockFile({})).take()).toBeUndefined();
  });

  test("an owner on another host that touches its file stays", async () => {
    await (await lockFile(elsewhere)).take();
    const clock = new InstantClock();
    let touched = 1_000_000;
    const sleep = clock.sleep.bind(clock);
    clock.sleep = async (ms) => {
      touched += 2;
      await utimes(join(root, "~lock-0000000001"), touched, touched);
      await sleep(ms);
    };
    expect(await (await lockFile({}, clock)).take()).toMatchObject({ host: "elsewhere", pid: 1 });
  });

  test("an owner that lost its lock while it slept is told once", async () => {
    const clock = new InstantClock();
    const sleeper = await lockFile(elsewhere, clock);
    await sleeper.take();
    const rivals: (LockOwner | undefined)[] = [];
    const told = new Promise<void>((resolve) => {
      sleeper.keep((rival) => {
        rivals.push(rival);
        resolve();
      });
    });
    await (await lockFile({ host: "new" })).take();
    clock.tick();
    await told;
    clock.tick();
    expect(rivals).toMatchObject([{ host: "new" }]);
  });

  test("a directory that was copied while it was held is free", async () => {
    const owner = { directory: "1-1" };
    await (await lockFile(owner)).take();
    expect(await (await lockFile(owner)).take()).toMatchObject(owner);
    expect(await (await lockFile({ directory: "1-2" })).take()).toBeUndefined();
  });

  test("a copy is one for whoever follows a killed owner, until one settles it", async () => {
    await (await lockFile({})).take();
    const taken = async () => {
      // Silent, as the killed are.
      const file = await lockFile({ ...elsewhere, directory: "1-2" });
      expect(await file.take()).toBeUndefined();
      return file;
    };
    expect((await taken()).isCopy).toBe(true);
    const second = await taken();
    expect(second.isCopy).toBe(true);
    await second.settle();
    expect(await second.readOwner()).toMatchObject({ directory: "1-2" });
    expect((await taken()).isCopy).toBe(false);
    expect(await readdir(root)).toHaveLength(1);
  });

  test("an owner that settles a copy still holds it", async () => {
    await (await lockFile({})).take();
    const clock = new InstantClock();
    const owner = await lockFile({ ...elsewhere, directory: "1-2" }, clock);
    await owner.take();
    owner.keep(() => expect.unreachable());
    const settled = owner.settle();
    clock.tick();
    await settled;
    clock.tick();
    expect(await owner.readOwner()).toMatchObject({ pid: 1 });
    await owner.release();
  });

  test("a torn file of a dead machine is taken over", async () => {
    await writeFile(join(root, "~lock-0000000007"), '{"pid":');
    expect(await (await lockFile({})).take()).toBeUndefined();
    expect(await readdir(root)).toEqual(["~lock-0000000008"]);
  });

  test("what a killed contender left is removed by the next owner", async () => {
    await writeFile(join(root, "~lock-staged-0123"), "{}");
    expect(await (await lockFile({})).take()).toBeUndefined();
    expect(await readdir(root)).toEqual(["~lock-0000000001"]);
  });

  test("a number that came and went while a contender slept does not count", async () => {
    await writeFile(join(root, "~lock-0000000009"), "{}");
    const files = {
      ...systemFiles,
      // The contender saw number 4 before it slept; by now 9 is the newest.
      readdir: stale([["~lock-0000000004"]]) as typeof systemFiles.readdir,
    };
    const owner = { ...(await thisProcess()), host: "here", sinceMs: 5 };
    const clock = new InstantClock();
    const contender = new LockFile({ root, clock, random, files, owner });
    expect(await contender.take()).toBeUndefined();
    expect(await readdir(root)).toEqual(["~lock-0000000010"]);
  });

  /** Answers with `answers` first, and with the truth from then on. */
  function stale(answers: string[][]): (path: string) => Promise<string[]> {
    return async (path) => answers.shift() ?? systemFiles.readdir(path);
  }
});

test("a directory that was copied while it was held is a copy until it is settled", async () => {
  const clock = new InstantClock();
  const lock = await acquireDirectoryLock({ root, clock, random });
  expect(lock.isCopy).toBe(false);
  const copy = await temporaryDirectory();
  await cp(root, copy.path, { recursive: true });
  for (let round = 0; round < 2; round++) {
    const first = await acquireDirectoryLock({ root: copy.path, clock, random });
    expect(first.isCopy).toBe(true);
    if (round === 1) await first.settle();
    await first.release();
  }
  const second = await acquireDirectoryLock({ root: copy.path, clock, random });
  expect(second.isCopy).toBe(false);
  await second.release();
  await lock.release();
  await copy.remove();
});

test("a device with another number is no copy", async () => {
  const { dev, ino } = await stat(root, { bigint: true });
  const owner = { ...(await thisProcess()), host: "here", sinceMs: 0, start: "1", pid: 1 };
  const before = JSON.stringify({ ...owner, hostTag: "before", directory: `${dev + 7n}-${ino}` });
  await writeFile(join(root, "~lock-0000000001"), before);
  const lock = await acquireDirectoryLock({ root, clock: new InstantClock(), random });
  expect(lock.isCopy).toBe(false);
  await lock.release();
});
