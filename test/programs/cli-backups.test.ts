/** Backups, restores and checkpoints by the command line, over servers in processes of their own. */

import { cp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, inject, test } from "vitest";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { runCli } from "../support/servers/run-cli.ts";
import { nameOf, testNamespaces } from "../support/servers/sdk-client.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const namespace = testNamespaces("backups");
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(() => directory.remove());

/** Backups are told apart by their times. */
const clock = new InstantClock();

async function run(...words: string[]) {
  const all = [...words, "--url", inject("serverUrl"), "--quiet"];
  await clock.sleep(1000);
  return runCli(all, { clock });
}

async function written(kind: string, count = 300) {
  const made = namespace(kind);
  const upsert_rows = Array.from({ length: count }, (_, id) => ({ id, title: `book ${id}` }));
  await made.write({ upsert_rows });
  await made.write({ deletes: [7] });
  return { made, name: nameOf(made) };
}

async function rowsOf(name: string): Promise<unknown> {
  const answer = await fetch(`${inject("serverUrl")}/v2/namespaces/${name}/query`, {
    method: "POST",
    body: JSON.stringify({ rank_by: ["id", "asc"], limit: 10_000, include_attributes: true }),
  });
  return ((await answer.json()) as { rows: unknown }).rows;
}

async function objectFiles(): Promise<string[]> {
  const files = await readdir(join(directory.path, "objects"), {
    recursive: true,
    withFileTypes: true,
  });
  return files.filter((file) => file.isFile()).map((file) => join(file.parentPath, file.name));
}

describe("trawl backup", () => {
  test("copies all, then only what is new; verify and restore agree", async () => {
    const { made, name } = await written("whole");
    const expected = await rowsOf(name);
    const to = ["--to", directory.path, "--namespace", name, "--json"];
    const first = await run("backup", ...to);
    expect(first, first.err).toMatchObject({ code: 0 });
    expect(first.json).toMatchObject({ namespaces: 1, objects: first.json.objects_copied });
    expect(first.json.objects).toBeGreaterThan(0);
    const second = await run("backup", ...to);
    expect(second.json).toMatchObject({
      namespaces: 1,
      objects: first.json.objects,
      objects_copied: 0,
      bytes_copied: 0,
    });
    await made.write({ upsert_rows: [{ id: 7, title: "late" }] });
    const third = await run("backup", ...to);
    expect(third.json.objects_copied).toBeGreaterThan(0);
    const verified = await run("verify", directory.path, "--json");
    expect([verified.code, verified.json.faults]).toEqual([0, []]);
    expect(verified.json).toMatchObject({ backups: 3, bytes: expect.any(Number) });

    const refused = await run("restore", "--from", directory.path, "--namespace", name);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("restore under another name");
    const from = ["restore", "--from", directory.path, "--namespace", name];
    const old = await run(...from, "--as", `${name}-old`, "--backup", second.json.backup);
    expect([old.code, old.out]).toEqual([0, `restored ${name} as ${name}-old: 299 documents\n`]);
    expect(await rowsOf(`${name}-old`)).toEqual(expected);
    const newest = await run(...from, "--as", `${name}-new`, "--json");
    expect(newest.json).toEqual({
      namespaces: [{ namespace: name, as: `${name}-new`, documents: 300 }],
      failed: [],
      lacks: [],
    });
    await made.deleteAll();
    expect((await run(...from)).code).toBe(0);
    expect(await rowsOf(name)).toEqual(await rowsOf(`${name}-new`));
  });

  test("of a namespace that fails has the others, and says so", async () => {
    const { name } = await written("partly", 5);
    const to = ["--to", directory.path, "--json", "--namespace"];
    const { code, json } = await run("backup", ...to, name, `${name}-none`);
    expect([code, json.namespaces]).toEqual([1, 1]);
    expect(json.failed).toEqual([
      { namespace: `${name}-none`, error: expect.stringContaining("was not found") },
    ]);
    const partial = await run("restore", "--from", directory.path);
    expect(partial.code).toBe(1);
    expect(partial.out).toContain(`LACKING ${name}-none: it could not be backed up that time`);
    const alone = await run("backup", ...to, `${name}-none`);
    expect([alone.code, alone.json.status]).toEqual([1, "error"]);
    const made = namespace("partly-second");
    const second = nameOf(made);
    await made.write({ upsert_rows: [{ id: 1 }] });
    await run("backup", ...to, name, second);
    await made.deleteAll();
    const restored = await run("restore", "--from", directory.path);
    expect(restored.code).toBe(1);
    expect(restored.out).toContain(`FAILED ${name}: `);
    expect(restored.out).toContain(`restored ${second}: 1 document`);
  });

  test("with --keep removes older ones, and what only they need", async () => {
    const { made, name } = await written("kept");
    const to = ["--to", directory.path, "--namespace", name, "--json"];
    const first = await run("backup", ...to);
    await made.deleteAll();
    await made.write({ upsert_rows: [{ id: 1, title: "another life" }] });
    expect((await run("backup", ...to, "--keep", "1")).json).toMatchObject({ removed: 1 });
    const verified = await run("verify", directory.path, "--json");
    expect(verified.json).toMatchObject({ backups: 1, faults: [] });
    expect(await objectFiles()).toHaveLength(verified.json.objects);
    const from = ["restore", "--from", directory.path, "--namespace", name, "--as", `${name}-2`];
    const gone = await run(...from, "--backup", first.json.backup);
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining("the newest ones are")]);
    expect((await run(...from)).code).toBe(0);
  });

  test("of an encrypted namespace holds no text", async () => {
    const made = namespace("encrypted");
    const name = nameOf(made);
    await made.write({
      upsert_rows: [{ id: 1, title: "a secret that nobody reads" }],
      encryption: { mode: "customer-managed", key_name: "mine" },
    });
    expect((await run("backup", "--to", directory.path, "--namespace", name)).code).toBe(0);
    for (const file of await objectFiles())
      expect((await readFile(file)).subarray(0, 4).toString()).toBe("TREN");
    expect((await run("verify", directory.path)).code).toBe(0);
    const from = ["restore", "--from", directory.path, "--namespace", name];
    expect((await run(...from, "--as", `${name}-2`)).code).toBe(0);
    expect(await rowsOf(`${name}-2`)).toEqual(await rowsOf(name));
  });
});

describe("damage in a backup", () => {
  test("is found by verify, named, and refused by restore", async () => {
    const { name } = await written("damaged");
    expect((await run("backup", "--to", directory.path, "--namespace", name)).code).toBe(0);
    const whole = join(directory.path, "whole");
    await cp(join(directory.path, "objects"), whole, { recursive: true });
    for (const file of await objectFiles()) {
      const bytes = await readFile(file);
      bytes[bytes.length >> 1] ^= 1;
      await writeFile(file, bytes);
      const { code, json } = await run("verify", directory.path, "--json");
      expect([code, json.faults]).toEqual([
        1,
        [
          {
            file: file.slice(directory.path.length + 1),
            key: expect.stringContaining(name),
            problem: "its SHA-256 is another one",
          },
        ],
      ]);
      const from = ["restore", "--from", directory.path, "--namespace", name];
      const refused = await run(...from, "--as", `${name}-2`);
      expect([refused.code, refused.err]).toEqual([1, expect.stringContaining("SHA-256")]);
      await rm(join(directory.path, "objects"), { recursive: true });
      await cp(whole, join(directory.path, "objects"), { recursive: true });
    }
    const [file] = await objectFiles();
    await rm(file);
    const missing = await run("verify", directory.path);
    expect(missing.code).toBe(1);
    expect(missing.out).toMatch(/^1 backup: read .*, 1 fault\nFAULT objects\/.*missing/);
  });

  test("is mended by the next backup: by length always, else with --verify", async () => {
    const { name } = await written("mended");
    const to = ["--to", directory.path, "--namespace", name];
    expect((await run("backup", ...to)).code).toBe(0);
    const [cut, flipped] = await objectFiles();
    const bytes = await readFile(cut);
    await writeFile(cut, bytes.subarray(1));
    const json = await run("backup", ...to, "--json");
    expect(json.json).toMatchObject({ objects_copied: 1, unmended: [] });
    const problem = expect.stringContaining(`bytes than ${bytes.length}`);
    const file = cut.slice(directory.path.length + 1);
    expect(json.json.mended).toEqual([{ file, key: expect.stringContaining(name), problem }]);
    await writeFile(flipped, (await readFile(flipped)).fill(7));
    expect((await run("backup", ...to, "--json")).json).toMatchObject({ mended: [] });
    const mended = await run("backup", ...to, "--verify");
    expect(mended.code).toBe(0);
    expect(mended.out).toMatch(/^MENDED objects\/.*: its SHA-256 is another one\nbackup /);
    expect((await run("verify", directory.path)).code).toBe(0);
  });

  test("that the server cannot mend is told of, and ends --verify with code 1", async () => {
    const { made, name } = await written("lost");
    const to = ["--to", directory.path, "--namespace", name];
    expect((await run("backup", ...to)).code).toBe(0);
    const [file] = await objectFiles();
    await rm(file);
    await made.deleteAll();
    await made.write({ upsert_rows: [{ id: 1, title: "another life" }] });
    const { code, out } = await run("backup", ...to, "--verify");
    expect([code, out]).toEqual([1, expect.stringMatching(/^FAULT objects\/.*missing.*\nbackup /)]);
  });

  test("of its index file is found, and the backup before it is used", async () => {
    const { name } = await written("index");
    const to = ["--to", directory.path, "--namespace", name, "--json"];
    const { json } = await run("backup", ...to);
    const file = join(directory.path, "backups", json.backup);
    const bytes = await readFile(file);
    bytes[bytes.length - 3] ^= 1;
    await writeFile(file, bytes);
    const verified = await run("verify", directory.path, "--json");
    expect(verified.code).toBe(1);
    expect(verified.json.faults).toEqual([
      { file: `backups/${json.backup}`, problem: expect.stringContaining("checksum") },
    ]);
    expect((await run("backup", ...to)).code).toBe(0);
    const from = ["restore", "--from", directory.path, "--namespace", name];
    expect((await run(...from, "--as", `${name}-2`)).code).toBe(0);
  });
});

describe("trawl checkpoint", () => {
  test("undoes a delete by one command", async () => {
    const { made, name } = await written("undo");
    const expected = await rowsOf(name);
    const made1 = await run("checkpoint", "create", name, "before", "--expires", "7d");
    expect([made1.code, made1.out]).toEqual([
      0,
      expect.stringMatching(`^checkpoint before of ${name}, kept until 20\\d\\d-`),
    ]);
    await made.write({ delete_by_filter: ["id", "Gte", 0] });
    const list = await run("checkpoint", "list", name);
    expect(list.out).toMatch(/^CHECKPOINT +CREATED +EXPIRES\nbefore +20.*\n1 checkpoint\n$/);
    const back = await run("checkpoint", "restore", name, "before", "--as", `${name}-back`);
    expect([back.code, back.out]).toEqual([
      0,
      `restored before of ${name} as ${name}-back: 299 documents\n`,
    ]);
    expect(await rowsOf(`${name}-back`)).toEqual(expected);
    expect((await run("checkpoint", "delete", name, "before")).code).toBe(0);
    expect((await run("checkpoint", "list", name)).out).toBe("no checkpoints\n");
    const gone = await run("checkpoint", "restore", name, "before", "--as", "x");
    expect([gone.code, gone.err]).toEqual([1, expect.stringContaining("has no checkpoint")]);
  });
});

describe("a wrong command line ends with code 2 and says what is right", () => {
  test.each([
    [["backup"], "required option '--to <place>' not specified"],
    [["backup", "--to", ""], "--to is empty; say s3://bucket/prefix or a directory"],
    [["backup", "--to", "s3:/bucket"], "--to: s3:/bucket is no URL of the form s3://bucket/prefix"],
    [["backup", "--to", "/tmp/x", "--keep", "0"], "--keep: 0 is no count of backups from 1 on"],
    [["restore", "--from", "/nowhere"], "--from: /nowhere is no directory"],
    [["restore", "--from", "/tmp", "--as", "m"], "--as needs --namespace"],
    [["verify", "/nowhere"], "the place: /nowhere is no directory"],
    [["checkpoint", "make", "n"], "say one of create, list, delete, restore"],
    [["checkpoint", "create", "n", "c", "--expires", "7"], "--expires: 7 is not a number with"],
    [["checkpoint", "restore", "n", "c"], "restore needs --as"],
    [["checkpoint", "delete", "n"], "delete needs the checkpoint's name"],
  ])("%j", async (words, said) => {
    const { code, err } = await runCli(words);
    expect(err).toContain(said);
    expect(code).toBe(2);
  });

  test("a directory without backups is none", async () => {
    const { code, err } = await run("restore", "--from", directory.path);
    expect([code, err]).toEqual([1, "trawl restore: there is no backup there\n"]);
    const verified = await run("verify", directory.path);
    expect([verified.code, verified.out, verified.err]).toEqual([
      1,
      "",
      `trawl verify: there is no backup in ${directory.path}\n`,
    ]);
  });
});
