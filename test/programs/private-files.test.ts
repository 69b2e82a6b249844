/**
 * Files that commands write next to users' files: readable by their owner alone, whatever the
 * umask, and never written through links that another user has planted.
 */

import { lstat, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { EXIT } from "../../src/cli/commands/exit-codes.ts";
import { runTrawl } from "../support/processes/run-trawl.ts";
import { nameOf, testNamespaces } from "../support/servers/sdk-client.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const namespace = testNamespaces("private-files");
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
/** A file of the same user that others would like to have overwritten. */
let victim: string;
let umask: number;

beforeEach(async () => {
  umask = process.umask(0o022);
  directory = await temporaryDirectory();
  victim = at("victim");
  await writeFile(victim, "untouched");
});

afterEach(async () => {
  process.umask(umask);
  expect(await readFile(victim, "utf8")).toBe("untouched");
  await directory.remove();
});

const at = (name: string) => join(directory.path, name);
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

async function run(...words: string[]) {
  return runTrawl([...words, "--url", inject("serverUrl"), "--quiet"]);
}

async function written(kind: string): Promise<string> {
  const made = namespace(kind);
  await made.write({ upsert_rows: [1, 2, 3].map((id) => ({ id, title: `book ${id}` })) });
  return nameOf(made);
}

test("a backup", async () => {
  const name = await written("backup");
  const to = at("deep/backups");
  const { code, err } = await run("backup", "--to", to, "--namespace", name);
  expect([code, err]).toEqual([0, ""]);
  const entries = await readdir(at("deep"), { recursive: true, withFileTypes: true });
  expect(entries.filter((entry) => entry.isFile()).length).toBeGreaterThan(1);
  const modes = entries.map(async (entry) => {
    const path = join(entry.parentPath, entry.name);
    return [path, await modeOf(path)];
  });
  expect(await Promise.all(modes)).toEqual(
    entries.map((entry) => [join(entry.parentPath, entry.name), entry.isFile() ? "600" : "700"]),
  );
});

describe("an export", () => {
  test.each(["books.jsonl", "books.parquet"])("to %s follows no link", async (file) => {
    const name = await written(file.replace(".", "-"));
    const out = at(file);
    const suffixes = [".partial", ".new", ".export.new", ".schema.json", ".schema.json.new"];
    for (const suffix of suffixes) await symlink(victim, out + suffix);
    const { code, err } = await run("export", "--namespace", name, "--out", out);
    expect([code, err]).toEqual([0, ""]);
    for (const path of [out, `${out}.schema.json`]) {
      expect((await lstat(path)).isFile()).toBe(true);
      expect(await modeOf(path)).toBe("600");
    }
  });

  test("does not follow another user's link", async () => {
    const name = await written("state");
    const out = at("books.jsonl");
    await symlink(victim, `${out}.export`);
    const words = ["export", "--namespace", name, "--out", out];
    const refused = await run(...words);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("books.jsonl.export: it is a link, and must be a file of this");
    expect((await run(...words, "--restart")).code).toBe(0);
  });
});

test("an import's rejected rows", async () => {
  const rejects = at("bad.jsonl");
  await symlink(victim, rejects);
  await writeFile(at("books.jsonl"), '{"id": 1}\n{"id": "x", "id": 2}\n{"id": true}\n');
  const name = nameOf(namespace("rejects"));
  const words = ["import", at("books.jsonl"), "--namespace", name, "--rejects", rejects];
  const { code, err } = await run(...words);
  expect([code, err]).toEqual([EXIT.rejected, ""]);
  expect((await lstat(rejects)).isFile()).toBe(true);
  expect(await modeOf(rejects)).toBe("600");
});

test("a migration does not follow another user's link", async () => {
  const state = at("books.migrate");
  await symlink(victim, state);
  const from = [inject("serverUrl"), "--from", "trawl", "--source", await written("source")];
  const to = ["--namespace", nameOf(namespace("target")), "--state", state];
  const { code, err } = await run("migrate", ...from, ...to);
  expect(code).toBe(1);
  expect(err).toContain("books.migrate: it is a link, and must be a file of this user");
});
