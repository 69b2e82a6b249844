/** What CI takes for the change, in checkouts of git. */

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { changedFiles } from "../../scripts/ci/changed-files.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let root: string;

function git(...words: string[]): string {
  const author = ["-c", "user.name=t", "-c", "user.email=t@localhost"];
  const { status, stdout, stderr } = spawnSync("git", ["-C", root, ...author, ...words], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`git ${words.join(" ")}: ${stderr}`);
  return stdout.trim();
}

function commit(file: string): void {
  writeFileSync(join(root, file), file);
  git("add", ".");
  git("commit", "--quiet", "-m", file);
}

beforeAll(async () => {
  directory = await temporaryDirectory();
  root = join(directory.path, "checkout");
  mkdirSync(root);
  git("init", "--quiet", "--initial-branch", "main");
  commit("first");
});
afterAll(() => directory.remove());

test("on the main branch the change is unknown, unless a base is named", () => {
  const first = git("rev-parse", "HEAD");
  commit("second");
  expect(changedFiles(root, undefined)).toEqual({ unknown: "HEAD is on the main branch" });
  expect(changedFiles(root, first)).toEqual({ base: first, files: ["second"] });
  const missing = changedFiles(root, "no-such-branch");
  expect(missing).toEqual({ unknown: "there is no merge base with no-such-branch" });
});

test("on a branch it is what the branch has changed, with files that are not committed", () => {
  git("checkout", "--quiet", "-b", "topic");
  const base = git("rev-parse", "HEAD");
  git("mv", "first", "moved");
  commit("third");
  git("checkout", "--quiet", "main");
  commit("of-others");
  git("checkout", "--quiet", "topic");
  writeFileSync(join(root, "not-added"), "");
  const change = changedFiles(root, undefined);
  expect(change).toEqual({ base, files: ["first", "moved", "third", "not-added"] });
});

test("outside of a checkout it is unknown", () => {
  const unknown = { unknown: "this is not a git checkout" };
  expect(changedFiles(directory.path, undefined)).toEqual(unknown);
});
