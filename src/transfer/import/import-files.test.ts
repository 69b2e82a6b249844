import { lstat, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../../test/support/stores/temporary-directory.ts";
import { RejectsFile, readState, statePath, writeState } from "./import-files.ts";
import type { ImportState } from "./import-state.ts";

test("state and rejected rows are their owner's alone, and follow no links", async () => {
  const { path: folder, remove } = await temporaryDirectory();
  const victim = join(folder, "victim");
  await writeFile(victim, "untouched");
  const state = statePath(join(folder, "books.csv"), "books");
  const rejects = join(folder, "bad.jsonl");
  for (const path of [state, `${state}.new`, rejects]) await symlink(victim, path);
  expect(await readState(state)).toMatch(/^cannot be read: .* it is a link, and must be a file/);
  await writeState(state, { rows: 7 } as ImportState);
  expect(await readState(state)).toEqual({ rows: 7 });
  await (await RejectsFile.open(rejects, 0)).close();
  for (const path of [state, rejects]) {
    expect([(await lstat(path)).isFile(), (await stat(path)).mode & 0o777]).toEqual([true, 0o600]);
  }
  expect(await readFile(victim, "utf8")).toBe("untouched");
  await remove();
});
