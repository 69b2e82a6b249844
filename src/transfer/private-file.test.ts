import { link, lstat, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { temporaryDirectory } from "../../test/support/stores/temporary-directory.ts";
import {
  createPrivateFile,
  readPrivateFile,
  reopenPrivateFile,
  replacePrivateFile,
} from "./private-file.ts";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let path: string;
/** A file whose contents an attacker wants to have replaced. */
let victim: string;

beforeEach(async () => {
  directory = await temporaryDirectory();
  path = join(directory.path, "state");
  victim = join(directory.path, "victim");
  await writeFile(victim, "untouched");
});

afterEach(async () => {
  expect(await readFile(victim, "utf8")).toBe("untouched");
  await directory.remove();
});

const modeOf = async (file: string) => (await stat(file)).mode & 0o777;

describe("a new file", () => {
  test("is its owner's alone, and takes the place of an old one", async () => {
    await writeFile(path, "old", { mode: 0o644 });
    const file = await createPrivateFile(path);
    await file.writeFile("new");
    await file.close();
    expect([await readFile(path, "utf8"), await modeOf(path)]).toEqual(["new", 0o600]);
  });

  test.each(["symbolic", "hard"])("takes the place of a planted %s link", async (kind) => {
    await (kind === "hard" ? link(victim, path) : symlink(victim, path));
    const file = await createPrivateFile(path);
    await file.writeFile("new");
    await file.close();
    expect((await lstat(path)).isFile()).toBe(true);
    expect(await readFile(path, "utf8")).toBe("new");
  });

  test("does not take the place of what is no file", async () => {
    await mkdir(path);
    await expect(createPrivateFile(path)).rejects.toThrow("EEXIST");
  });
});

describe("a file of an earlier run", () => {
  test("is opened for more", async () => {
    await writeFile(path, "first ");
    const file = await reopenPrivateFile(path);
    await file.write("second", 6);
    await file.close();
    expect(await readPrivateFile(path)).toBe("first second");
  });

  test("that is a link is refused, with what to do", async () => {
    await symlink(victim, path);
    const fault = `cannot use ${path}: it is a link, and must be a file of this user; remove it`;
    await expect(reopenPrivateFile(path)).rejects.toThrow(fault);
    await expect(readPrivateFile(path)).rejects.toThrow(fault);
  });

  test("that is a directory is refused", async () => {
    await mkdir(path);
    await expect(readPrivateFile(path)).rejects.toThrow("it is no file");
  });

  test("that is not there is nothing to read", async () => {
    expect(await readPrivateFile(path)).toBeUndefined();
    await expect(reopenPrivateFile(path)).rejects.toThrow("ENOENT");
  });
});

test("a file is replaced atomically, through no link", async () => {
  await symlink(victim, path);
  await symlink(victim, `${path}.new`);
  await replacePrivateFile(path, "first");
  await replacePrivateFile(path, "second");
  expect([await readPrivateFile(path), await modeOf(path)]).toEqual(["second", 0o600]);
  await expect(stat(`${path}.new`)).rejects.toThrow("ENOENT");
});
