/** `trawl import` against a real server: bad rows, bad plans, and keys without a right. */

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { documents, importRuns, runImport } from "../support/servers/import-runs.ts";
import { runCli } from "../support/servers/run-cli.ts";
import { rawCall } from "../support/servers/sdk-client.ts";

const { file, folder, newName } = importRuns("import-faults");

describe("bad rows", () => {
  const lines = Array.from({ length: 3000 }, (_, id) => `{"id":${id},"price":${id}}`);
  lines[1234] = '{"id":1234,"price":"cheap"}';
  lines[2000] = '{"id":2000,"price":NaN}';
  lines[2001] = '{"id":2001,"price":';

  test("end the run by default, which names file and line", async () => {
    const name = newName("bad");
    const path = file("bad.jsonl", lines.join("\n"));
    const { code, err, json } = await runImport([path, "--namespace", name, "--json"]);
    expect(code).toBe(1);
    expect(err).toMatch(new RegExp(`${path}:1235: .*price`));
    expect(err).toMatch(/--rejects FILE/);
    expect(json).toMatchObject({ rejected: 0 });
  });

  test("are counted apart from the rows that are committed before them", async () => {
    const name = newName("late");
    const rows = Array.from({ length: 3000 }, (_, i) => `${i},${i}`);
    const path = file("late.csv", `id,n\n${rows.join("\n")}\n3000,abc\n`);
    const { code, json, err } = await runImport([path, "--namespace", name, "--json"]);
    expect([code, json.rows]).toEqual([1, 3000]);
    expect(json).toMatchObject({ status: "error", error: expect.stringContaining(":3002: ") });
    expect(err).toMatch(/late\.csv:3002: n: "abc" is no integer\nfix it.* after row 3,000$/m);
    expect(JSON.parse(await documents(name))).toHaveLength(3000);
  });

  test("of another vector's length, or too long a text, are left out alone", async () => {
    const name = newName("shapes");
    const numbers = (count: number) => JSON.stringify(Array.from({ length: count }, () => 0.5));
    const good = Array.from({ length: 2000 }, (_, id) => `{"id":${id},"v":${numbers(8)},"t":"a"}`);
    const bad = good
      .with(500, `{"id":500,"v":${numbers(9)},"t":"a"}`)
      .with(1500, `{"id":1500,"v":${numbers(8)},"t":"${"x".repeat(5000)}"}`)
      .with(1600, "[1]");
    const path = file("shapes.jsonl", bad.join("\n"));
    const rejects = join(folder, "shapes.rejects");
    const words = [path, "--namespace", name, "--rejects", rejects];
    const { code, out } = await runImport(words);
    expect(code).toBe(3);
    expect(out).toMatch(
      /1 of 1,?000 sampled vectors have another length, the first in shapes.jsonl:501/,
    );
    expect(out).toMatch(/1,997 rows imported, 3 rejected/);
    const lines = readFileSync(rejects, "utf8").trimEnd().split("\n");
    const read = lines.map((line) => JSON.parse(line));
    expect(read.map(({ line }) => line)).toEqual([501, 1501, 1601]);
    expect(read[1].error).toMatch(/5000 bytes long, a filterable value has at most 4096/);
    expect(Math.max(...read.map(({ error }) => error.length))).toBeLessThan(600);
  });

  test("are written to --rejects, and only they are left out", async () => {
    const name = newName("rejects");
    const path = file("rejected.jsonl", lines.join("\n"));
    const rejects = join(folder, "rejects.jsonl");
    const words = [path, "--namespace", name, "--rejects", rejects, "--json"];
    const { code, json } = await runImport(words);
    expect([code, json.rows, json.rejected]).toEqual([3, 2997, 3]);
    const written = readFileSync(rejects, "utf8").trimEnd().split("\n");
    const read = written.map((line) => JSON.parse(line));
    expect(read.map(({ file: of, line }) => [of, line])).toEqual([
      [path, 1235],
      [path, 2001],
      [path, 2002],
    ]);
    expect(read.map(({ row }) => row)).toEqual([
      { id: 1234, price: "cheap" },
      lines[2000],
      lines[2001],
    ]);
    const [first] = read;
    expect(first.error).toMatch(/price/);
    expect(first.error).not.toMatch(/upsert_rows/);
    const good = JSON.parse(await documents(name)).map(({ id }: { id: number }) => id);
    expect(good).toEqual(lines.map((_, id) => id).filter((id) => ![1234, 2000, 2001].includes(id)));
  });

  test("may be as many as --max-errors says", async () => {
    const path = file("some.jsonl", lines.join("\n"));
    const three = await runImport([path, "--namespace", newName("max"), "--max-errors", "3"]);
    expect(three.code).toBe(3);
    const two = await runImport([path, "--namespace", newName("max"), "--max-errors", "2"]);
    expect([two.code, two.err]).toEqual([1, expect.stringContaining("--max-errors is 2; ")]);
    expect(two.err).not.toContain("--max-errors N");
  });

  test("of the same id in one batch are written one after the other", async () => {
    const name = newName("twice");
    const path = file("twice.jsonl", '{"id":1,"a":"x"}\n{"id":2,"a":"y"}\n{"id":1,"a":"z"}\n');
    expect((await runImport([path, "--namespace", name])).code).toBe(0);
    expect(JSON.parse(await documents(name))).toEqual([
      { id: 1, a: "z" },
      { id: 2, a: "y" },
    ]);
  });

  test("in all rows of a file say so after the first batch", async () => {
    const all = Array.from({ length: 500 }, (_, id) => `{"id":${id},"v":"x"}`).join("\n");
    const path = file("hopeless.jsonl", all);
    const rejects = join(folder, "hopeless.rejects");
    const schema = '{"v":{"type":"int"}}';
    const words = [path, "--namespace", newName("none"), "--schema", schema, "--rejects", rejects];
    const { code, err } = await runImport(words);
    expect([code, err]).toEqual([1, expect.stringMatching(/row of the first batch was accepted/)]);
  });
});

describe("what is wrong before the first write ends with 2", () => {
  const path = file("plan.jsonl", '{"id":1,"title":"a","meta":{"lang":"de"}}\n');
  test.each([
    [[], /column "meta": has objects \{lang\}.*jq.*--map meta=/],
    [
      ["--map", "meta=", "--id", "titel"],
      /--id: there is no column "titel"; did you mean "title"\?/,
    ],
    [["--map", "meta=", "--id", "title"], /column "id" would be named id.*--map id=/],
    [["--map", "meta=", "--map", "title=$x"], /must not start with `\$`; rename it/],
    [["--map", "meta"], /--map: meta is not of the form old=new/],
    [["--schema", "[1]"], /--schema: the file \[1\] cannot be read/],
    [
      ["--map", "meta=", "--schema", '{"title":{"type":"sting"}}'],
      /--schema: title\.type: "sting" is no type.*; did you mean "string"\?/,
    ],
    [["--map", "meta=", "--schema", '{"title":7}'], /--schema: title: 7 is no type/],
    [["--max-errors", "many"], /--max-errors: many is no whole number/],
    [["--rejects", path], /is a file that is to be read/],
  ])("%j", async (words, message) => {
    const { code, err } = await runImport([path, "--namespace", newName("plan"), ...words]);
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  test.each([
    ["empty.csv", "", /empty\.csv/],
    ["twice.csv", "id,a,a\n1,2,3\n", /twice\.csv.*"a"/],
    ["empty.jsonl", "", /empty\.jsonl is empty: there are no rows to import/],
    ["missing.jsonl", undefined, /missing\.jsonl was not found$/m],
    ["mac.csv", "id,a\r1,2\r", /mac\.csv: lines end with a carriage return alone.* tr '\\r'/],
    ["blank.csv", '"id", "a"\n1,2\n', /blank\.csv:1: a cell has a blank before its quote/],
    ["torn.parquet", "PAR1abc", /torn\.parquet is damaged or cut off: its footer cannot be read$/m],
    ["long.csv", `id,${"x".repeat(2e5)}\n`, /^.{0,200}: its name has 200000 characters, at most/],
    ["-", "walrus", /give --format/],
  ])("%s with %j", async (given, text, message) => {
    const isFile = given !== "-" && text !== undefined;
    const name = given === "-" ? given : isFile ? file(given, text) : join(folder, given);
    const input = text ?? "";
    const { code, err } = await runImport([name, "--namespace", newName("plan")], { input });
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  test("--dry-run shows the plan and writes nothing", async () => {
    const name = newName("dry");
    const words = [path, "--namespace", name, "--map", "meta=", "--dry-run"];
    const { code, out } = await runImport(words);
    expect(code).toBe(0);
    expect(out).toMatch(/^title +title +string +sample$/m);
    expect(out).toMatch(/^meta +left out$/m);
    const { json } = await runImport([...words, "--json"]);
    expect(json).toMatchObject({
      namespace: name,
      new: true,
      schema: { title: { type: "string" } },
    });
    expect((await rawCall("GET", `/v1/namespaces/${name}/schema`)).status).toBe(404);
  });
});

describe("a key that may not write", () => {
  /** A server that takes so many writes, and then refuses all. */
  async function refusing(writes: number, work: (url: string) => Promise<void>): Promise<void> {
    let left = writes;
    const server = createServer((request, response) => {
      request.resume().on("end", () => {
        const isWrite = request.method === "POST";
        const isTaken = isWrite && left-- > 0;
        response.statusCode = isTaken ? 200 : isWrite ? 403 : 404;
        response.end(JSON.stringify(isTaken ? {} : { status: "error", error: "lacks `write`" }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.closeAllConnections();
    server.close();
  }

  const path = file(
    "refused.jsonl",
    Array.from({ length: 25_000 }, (_, id) => `{"id":${id}}`).join("\n"),
  );

  test("from the start imports nothing, and leaves no state", async () => {
    await refusing(0, async (url) => {
      const { code, err } = await runCli(["import", path, "--namespace", "refused", "--url", url]);
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/lacks `write`\nnothing was imported$/m),
      ]);
      expect(existsSync(join(folder, ".refused.jsonl.refused.import-state"))).toBe(false);
    });
  });

  test("in the middle reports the committed rows, and how to continue", async () => {
    await refusing(1, async (url) => {
      const words = ["import", path, "--namespace", "refused", "--url", url, "--json"];
      const { code, err, json } = await runCli(words);
      expect([code, json.rows, json.status]).toEqual([1, 10_000, "error"]);
      expect(err).toMatch(
        /^with a key that may write, the same command continues after row 10,000$/m,
      );
    });
  });
});
