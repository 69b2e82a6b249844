/** `trawl import` against a real server: runs that were interrupted continue. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { BUILT_PROGRAM } from "../support/processes/built-program.ts";
import { documents, importRuns, runImport } from "../support/servers/import-runs.ts";

const { file, folder, newName } = importRuns("import-resume");

describe("resuming", () => {
  const count = 4_500;
  const text = "x".repeat(4_000);
  const all = Array.from({ length: count }, (_, id) => `{"id":${id},"t":"${text}","n":${id}}`);

  test("an interrupted run continues where it was, and reports that", async () => {
    const name = newName("resume");
    const path = file("resume.jsonl", all.join("\n"));
    const interruption = new AbortController();
    const words = [path, "--namespace", name, "--json"];
    const interrupted = runImport(words, { signal: interruption.signal });
    const first = () => documents(name, 1);
    await expect.poll(first, { interval: 5, timeout: 30_000 }).toContain('"id":0');
    interruption.abort(new Error("interrupted"));
    const end = await interrupted;
    expect([end.code, end.err]).toEqual([130, expect.stringMatching(/the same command continues/)]);
    expect(end.json.rows).toBeLessThan(count);
    const second = await runImport(words);
    expect(second.code).toBe(0);
    expect(second.json).toMatchObject({ rows: count, rejected: 0, resumed_at: end.json.rows });
    expect(await documents(name)).toBe(`[${all.join()}]`);
    // The import is complete, so another run starts a new one.
    expect((await runImport(words)).json.resumed_at).toBe(null);
  });

  test("a run that was killed loses and doubles nothing", async () => {
    const name = newName("killed");
    const bad = all.with(10, '{"id":10,"n":"x"}').with(4_000, '{"id":4000');
    const path = file("killed.jsonl", bad.join("\n"));
    const rejects = join(folder, "killed.rejects");
    const words = [path, "--namespace", name, "--rejects", rejects, "--json"];
    const child = spawn(
      process.execPath,
      [BUILT_PROGRAM, "import", ...words, "--url", inject("serverUrl")],
      {
        stdio: "ignore",
      },
    );
    const gone = once(child, "exit");
    const state = join(folder, `.killed.jsonl.${name}.import-state`);
    await expect.poll(() => existsSync(state), { interval: 5, timeout: 30_000 }).toBe(true);
    child.kill("SIGKILL");
    await gone;
    const { code, json } = await runImport(words);
    expect([code, json.rows, json.rejected]).toEqual([3, count - 2, 2]);
    expect(json.resumed_at).toBeGreaterThan(0);
    expect(existsSync(state)).toBe(false);
    const good = bad.filter((_, id) => id !== 10 && id !== 4_000);
    expect(await documents(name)).toBe(`[${good.join()}]`);
    const lines = readFileSync(rejects, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).line)).toEqual([11, 4_001]);
  });

  test("a run that a bad row has ended continues with --rejects", async () => {
    const name = newName("fixed");
    const path = file("fixed.jsonl", all.with(4_000, '{"id":4000').join("\n"));
    const words = [path, "--namespace", name, "--json"];
    const ended = await runImport(words);
    expect([ended.code, ended.err]).toEqual([
      1,
      expect.stringMatching(
        /fixed.jsonl:4001: .*\nfix it and pass --restart, or .* --rejects FILE .*after row 4,000$/m,
      ),
    ]);
    const { code, json } = await runImport([...words, "--rejects", join(folder, "fixed.rejects")]);
    expect([code, json.rows, json.rejected]).toEqual([3, count - 1, 1]);
    // Rows behind the bad one that the server has are counted, and sent again.
    expect(json.resumed_at).toBe(4_000);
    expect(ended.json.rows).toBeGreaterThanOrEqual(4_000);
  });

  test("another file, or other settings, do not go on there", async () => {
    const name = newName("other");
    const path = file("other.jsonl", all.with(4_000, "x").join("\n"));
    const words = [path, "--namespace", name];
    expect((await runImport(words)).code).toBe(1);
    const renamed = await runImport([...words, "--map", "n=m"]);
    expect([renamed.code, renamed.err]).toEqual([
      2,
      expect.stringMatching(/--map was "" and is "n=m". Pass --restart to start again/),
    ]);
    file("other.jsonl", all.join("\n"));
    const changed = await runImport(words);
    expect([changed.code, changed.err]).toEqual([
      2,
      expect.stringMatching(/other.jsonl has changed since/),
    ]);
    const again = await runImport([...words, "--restart", "--json"]);
    expect([again.code, again.json.rows, again.json.resumed_at]).toEqual([0, count, null]);
  });
});
