import { readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { basename, join, relative } from "node:path";
import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import {
  runScript,
  type ScriptProcess,
  startScript,
} from "../../../test/support/processes/run-script.ts";
import { directoryForEach } from "../../../test/support/stores/directory-for-each.ts";
import { seededRandom } from "../../base/random.ts";
import { ALWAYS, IF_ABSENT, objectKey } from "../object-store.ts";
import { type FileSystem, systemFiles } from "./file-system.ts";
import { FsObjectStore } from "./fs-object-store.ts";

/** One for all stores, so that no two files that they stage have one name. */
const random = seededRandom(22);

let root: string;
directoryForEach("made/data", (path) => {
  root = path;
});

const body = Uint8Array.of(1, 2, 3);
const open = (files: FileSystem = systemFiles) => FsObjectStore.open({ root, random, files });

describe("FsObjectStore makes objects durable", () => {
  test("a new object: bytes synced, then named, then its directory synced", async () => {
    const log: string[] = [];
    const store = await open(recording(log));
    log.length = 0;
    await store.put(objectKey("a/b/one"), body, IF_ABSENT);
    expect(log).toEqual([
      "mkdir a",
      "sync .",
      "mkdir a/b",
      "sync a",
      "write staged",
      "sync staged",
      "link staged a/b/one",
      "unlink staged",
      "sync a/b",
    ]);
  });

  test("another object in a directory that is known to be durable costs two syncs", async () => {
    const log: string[] = [];
    const store = await open(recording(log));
    await store.put(objectKey("a/one"), body, IF_ABSENT);
    log.length = 0;
    await store.put(objectKey("a/two"), body, ALWAYS);
    expect(log).toEqual([
      "write staged",
      "sync staged",
      "rename staged a/two",
      "unlink staged",
      "sync a",
    ]);
  });

  test("a directory that another process made is synced, too", async () => {
    await (await open()).put(objectKey("a/one"), body, IF_ABSENT);
    const log: string[] = [];
    const store = await open(recording(log));
    log.length = 0;
    await store.put(objectKey("a/two"), body, IF_ABSENT);
    expect(log.slice(0, 2)).toEqual(["mkdir a", "sync ."]);
  });

  test("a conflict is reported once the object that won is durable", async () => {
    const log: string[] = [];
    const store = await open(recording(log));
    await store.put(objectKey("a/one"), body, IF_ABSENT);
    log.length = 0;
    expect(await store.put(objectKey("a/one"), body, IF_ABSENT)).toEqual({ kind: "conflict" });
    expect(log.at(-1)).toBe("sync a");
  });

  test("opening makes the root and syncs its name and its parents' names", async () => {
    const log: string[] = [];
    await open(recording(log));
    expect(log).toEqual([
      ...["mkdir .", "mkdir ..", "mkdir ."],
      ...["sync ..", "sync ../..", "mkdir ~staging", "sync ."],
    ]);
  });

  test("opening where no directory can be says so, and comes to an end", async () => {
    const openAt = (at: string) => FsObjectStore.open({ root: at, random });
    const file = join(root, "..", "file");
    await open();
    await writeFile(file, "");
    const fix = "choose a directory that this user can write to";
    for (const at of ["/proc/none/data", file, join(file, "data")]) {
      await expect(openAt(at)).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringMatching(`^cannot open data directory ${at}: .*; ${fix}$`),
      });
    }
  });

  test("puts that come while a directory syncs share the next sync", async () => {
    const log: string[] = [];
    const store = await open(recording(log));
    await store.put(objectKey("a/first"), body, IF_ABSENT);
    log.length = 0;
    await Promise.all(
      Array.from({ length: 32 }, (_, index) => store.put(objectKey(`a/${index}`), body, IF_ABSENT)),
    );
    const syncs = log.filter((line) => line === "sync a").length;
    expect(syncs).toBeLessThan(32);
    expect(log.lastIndexOf("sync a")).toBeGreaterThan(log.findLastIndex(isLink));
  });

  test("a failed sync of bytes leaves no object and no staged file", async () => {
    const store = await open(failing("sync staged"));
    await expect(store.put(objectKey("a/one"), body, IF_ABSENT)).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("cannot write a/one"),
    });
    expect(await store.get(objectKey("a/one"))).toBeUndefined();
    expect(await readdir(join(root, "~staging"))).toEqual([]);
  });

  test("after a failed sync of a directory, no put there is trusted", async () => {
    const store = await open(failing("sync a"));
    await expect(store.put(objectKey("a/one"), body, IF_ABSENT)).rejects.toThrow(/cannot sync/);
    await expect(store.put(objectKey("a/one"), body, IF_ABSENT)).rejects.toThrow(
      /an earlier sync failed/,
    );
    await store.put(objectKey("b/one"), body, IF_ABSENT);
  });

  test("a directory that was removed is made again after one failure", async () => {
    const store = await open();
    await store.put(objectKey("a/one"), body, IF_ABSENT);
    await rm(join(root, "a"), { recursive: true });
    await store.put(objectKey("a/two"), body, IF_ABSENT).catch(() => undefined);
    expect(await store.put(objectKey("a/two"), body, IF_ABSENT)).toEqual({ kind: "written" });
  });

  test("a disk that is full says so, and what to do", async () => {
    const full = async () => {
      throw Object.assign(new Error("ENOSPC: no space left"), { code: "ENOSPC" });
    };
    const store = await open({ ...systemFiles, link: full });
    await expect(store.put(objectKey("a/b"), body, IF_ABSENT)).rejects.toMatchObject({
      code: "unavailable",
      message: "cannot write a/b: ENOSPC: no space left; free space on that disk",
    });
  });

  test("a root that is gone is an error, not an empty store", async () => {
    const store = await open();
    await rm(root, { recursive: true });
    await expect(store.list({ prefix: "", limit: 1 })).rejects.toThrow(/cannot list/);
  });
});

describe("FsObjectStore shares a directory with other processes", () => {
  test("a link that worked although it says EEXIST counts as written", async () => {
    const link: typeof systemFiles.link = async (from, to) => {
      await systemFiles.link(from, to);
      throw Object.assign(new Error("EEXIST"), { code: "EEXIST" });
    };
    const store = await open({ ...systemFiles, link });
    expect(await store.put(objectKey("a"), body, IF_ABSENT)).toEqual({ kind: "written" });
  });

  test("opening removes staged files of dead and unknown old writers, and no others", async () => {
    await open();
    const staging = join(root, "~staging");
    const kept = ["ffffffffffffffff.1.1.young", "no-writer"];
    for (const name of [...kept, "ffffffffffffffff.1.1.old", "odd"]) {
      await writeFile(join(staging, name), "x");
    }
    const { mtimeMs } = await stat(join(staging, "odd"));
    const old = mtimeMs / 1000 - 7_200;
    for (const name of ["ffffffffffffffff.1.1.old", "odd"]) {
      await utimes(join(staging, name), old, old);
    }
    await open();
    expect((await readdir(staging)).sort()).toEqual(kept.sort());
  });

  const count = effort({ usual: 40, full: 100 });
  const names = ["a", "b", "c", "d"].slice(0, effort({ usual: 2, full: 4 }));
  test(`of ${names.length} processes that put objects if absent, each has one winner`, async () => {
    const wins = await Promise.all(
      names.map((name) => runScript("race-puts", root, name, `${count}`)),
    );
    const winners = new Map<number, string>();
    for (const [index, lines] of wins.entries()) {
      for (const line of lines) {
        expect(winners.has(Number(line)), `object ${line} was won twice`).toBe(false);
        winners.set(Number(line), names[index]);
      }
    }
    expect(winners.size).toBe(count);
    const store = await open();
    for (const [number, name] of winners) {
      const read = await store.get(objectKey(`race/${Math.floor(number / 5)}/${number}`));
      expect(Buffer.from(read ?? []).toString()).toBe(name.repeat(5000));
    }
  });

  test("kill -9 leaves whole objects, all acknowledged ones, no staged files", async () => {
    let first = 0;
    for (let round = 0; round < effort({ usual: 1, full: 5 }); round++) {
      const acknowledged = await killAfter(startScript("put-until-killed", root, `${first}`), 40);
      const store = await open();
      const { keys } = await store.list({ prefix: "put/", limit: 100_000 });
      const numbers = keys.map((key) => Number(basename(key)));
      for (const number of numbers) {
        const read = Buffer.from((await store.get(objectKey(`put/${number}`))) ?? []);
        expect(read.length).toBe(1 + ((number * 7919) % 200_000));
        expect(read.equals(Buffer.alloc(read.length, number % 251))).toBe(true);
      }
      expect(numbers).toEqual(expect.arrayContaining(acknowledged));
      expect(await readdir(join(root, "~staging"))).toEqual([]);
      first = Math.max(...numbers) + 1;
    }
  });
});

/** Kills a writer after `count` acknowledgements; returns all that it made. */
async function killAfter({ child, lines, ended }: ScriptProcess, count: number): Promise<number[]> {
  const acknowledged: number[] = [];
  for await (const line of lines) {
    acknowledged.push(Number(line));
    if (acknowledged.length === count) child.kill("SIGKILL");
  }
  await ended;
  expect(acknowledged.length).toBeGreaterThanOrEqual(count);
  return acknowledged;
}

const isLink = (line: string) => line.startsWith("link ");

/** The system's files, with a line in `log` for each call that changes or syncs something. */
function recording(log: string[]): FileSystem {
  return observed((line) => {
    log.push(line);
  });
}

/** The system's files, but the call that reads as `line` fails. */
function failing(line: string): FileSystem {
  return observed((call) => {
    if (call === line) throw Object.assign(new Error("EIO: injected"), { code: "EIO" });
  });
}

function observed(observe: (line: string) => void): FileSystem {
  const show = (path: unknown) => {
    const text = String(path);
    return text.includes("~staging/") ? "staged" : relative(root, text) || ".";
  };
  const openObserved = async (path: string, flags: string) => {
    if (flags === "wx") observe(`write ${show(path)}`);
    const handle = await systemFiles.open(path, flags);
    const sync = handle.sync.bind(handle);
    handle.sync = async () => {
      observe(`sync ${show(path)}`);
      await sync();
    };
    return handle;
  };
  const call = (name: "link" | "rename" | "unlink" | "mkdir") => {
    return (...words: string[]) => {
      observe(
        `${name} ${words
          .filter((word) => typeof word === "string")
          .map(show)
          .join(" ")}`,
      );
      return (systemFiles[name] as (...words: string[]) => Promise<void>)(...words);
    };
  };
  return {
    ...systemFiles,
    open: openObserved as typeof systemFiles.open,
    link: call("link") as typeof systemFiles.link,
    rename: call("rename") as typeof systemFiles.rename,
    unlink: call("unlink") as typeof systemFiles.unlink,
    mkdir: call("mkdir") as typeof systemFiles.mkdir,
  };
}
