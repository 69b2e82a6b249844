/** `trawl export`, over the server that end-to-end tests share. */

import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { asyncBufferFromFile, parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { ApiClient } from "../../src/client/api-client.ts";
import { exportNamespace } from "../../src/transfer/export/export-namespace.ts";
import { formatOfName } from "../../src/transfer/export/export-request.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { pause } from "../support/clocks/pause.ts";
import { EVERY_TYPE_ROWS, EVERY_TYPE_SCHEMA } from "../support/documents/every-type.ts";
import { runTrawl } from "../support/processes/run-trawl.ts";
import { type CliOptions, runCli } from "../support/servers/run-cli.ts";
import { nameOf, rawCall, testNamespaces } from "../support/servers/sdk-client.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const namespace = testNamespaces("cli-export");
const TYPES = nameOf(namespace("types"));
const EVERY_TYPE = { schema: EVERY_TYPE_SCHEMA, distance_metric: "cosine_distance" };
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  directory = await temporaryDirectory();
  await write(TYPES, EVERY_TYPE_ROWS, EVERY_TYPE);
});

afterAll(() => directory.remove());

/** `declared` is members of the write's body. */
async function write(to: string, rows: readonly string[], declared: object = {}): Promise<void> {
  const members = JSON.stringify(declared).replace(/^\{(.)/, (_, first) =>
    first === "}" ? "" : `,${first}`,
  );
  const body = `{"upsert_rows":[${rows.join(",")}]${members === "" ? "}" : members}`;
  const answer = await rawCall("POST", `/v2/namespaces/${to}`, body);
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
}

function run(words: readonly string[], options: CliOptions = {}) {
  return runCli(["export", ...words, "--url", inject("serverUrl")], options);
}

async function exported(from: string, name: string, ...words: string[]): Promise<string> {
  const out = join(directory.path, name);
  const { code, err } = await run(["--namespace", from, "--out", out, ...words]);
  expect([code, err]).toEqual([0, ""]);
  return out;
}

async function linesOf(path: string): Promise<string[]> {
  return (await readFile(path, "utf8")).split("\n").slice(0, -1);
}

/** Namespaces that exports have made and not removed. */
async function branches(): Promise<string[]> {
  const { json } = await runCli(["ls", "trawl-export-", "--json", "--url", inject("serverUrl")]);
  return json.namespaces.map(({ id }: { id: string }) => id);
}

describe("JSONL", () => {
  test("has every value as it was written, and comes back the same to the bit", async () => {
    const out = await exported(TYPES, "types.jsonl");
    const lines = await linesOf(out);
    expect(lines.map(sortedMembers)).toEqual(EVERY_TYPE_ROWS.map(sortedMembers));
    const back = nameOf(namespace("back"));
    const schema = JSON.parse(await readFile(`${out}.schema.json`, "utf8"));
    await write(back, lines, { schema, distance_metric: "cosine_distance" });
    const again = await exported(back, "back.jsonl");
    expect(await readFile(again, "utf8")).toBe(await readFile(out, "utf8"));
    expect(await readFile(`${again}.schema.json`, "utf8")).toBe(
      await readFile(`${out}.schema.json`, "utf8"),
    );
  });

  test("with base64 comes back the same to the bit", async () => {
    const out = await exported(TYPES, "base64.jsonl", "--vector-encoding", "base64");
    const lines = await linesOf(out);
    expect(lines[0]).toContain('"vector":"zczMPWZmZj8="');
    const back = nameOf(namespace("base64"));
    await write(back, lines, EVERY_TYPE);
    const again = await exported(back, "base64-back.jsonl");
    expect(await readFile(again, "utf8")).toBe(
      await readFile(await exported(TYPES, "decimals.jsonl"), "utf8"),
    );
  });

  test("can leave vectors out, be filtered, and be compressed", async () => {
    const filter = ["--filters", '["int","Eq",0]'];
    const out = await exported(TYPES, "some.jsonl.gz", "--no-vectors", ...filter);
    const text = gunzipSync(await readFile(out)).toString();
    expect(text).toBe(
      '{"id":18446744073709551615,"text":"","int":0,"float":-0.0,"bool":false,"bytes":"",' +
        '"texts":[],"ints":[],"uints":[],"floats":[],"uuids":[],"datetimes":[],"bools":[]}\n',
    );
  });
});

/** Members by name: exports have them in the order of the schema. */
function sortedMembers(row: string): string[] {
  return row
    .slice(1, -1)
    .split(/,(?="\w+":)/)
    .sort();
}

describe("CSV", () => {
  test("has a column for each attribute", async () => {
    const out = await exported(TYPES, "types.csv");
    const text = await readFile(out, "utf8");
    const [header] = text.split("\n");
    expect(header.split(",").sort()).toEqual(["id", ...Object.keys(EVERY_TYPE_SCHEMA)].sort());
    const [first, second, third] = parseCsv(text);
    expect(first).toMatchObject({ id: "0", vector: "[0.1,0.9]", text: "", sparse: "", ints: "" });
    expect(second).toMatchObject({
      id: "9007199254740993",
      v16: "[0.33325195,65504]",
      many: "[[0.1,0.2],[0.3,-0.4]]",
      sparse: '{"a":0.5,"b,\\"c":1.25}',
      text: 'quote" comma, backslash\\ line\nseparator\u2028🐋',
      int: "-9223372036854775808",
      uint: "18446744073709551615",
      datetime: "2026-01-31T09:30:00.123000000Z",
      bool: "true",
      bytes: "AAEC/w==",
      texts: '["a,\\"b","","\\\\"]',
      uints: "[18446744073709551615]",
    });
    expect(third).toMatchObject({ float: "-0.0", texts: "[]" });
    // Null is nothing, an empty text is quoted.
    expect(text.split("\n").at(-2)).toContain(',"",');
  });

  test("has texts that spreadsheets would run as they are, or escaped", async () => {
    const formulas = nameOf(namespace("formulas"));
    await write(formulas, ['{"id":1,"a":"=1+1"}', '{"id":2,"a":"1"}']);
    const plain = await exported(formulas, "formulas.csv");
    expect(await readFile(plain, "utf8")).toBe("id,a\n1,=1+1\n2,1\n");
    const escaped = await exported(formulas, "escaped.csv", "--escape-formulas");
    expect(await readFile(escaped, "utf8")).toBe("id,a\n1,'=1+1\n2,1\n");
  });
});

/** A slow reader of CSV with quotes. */
function parseCsv(text: string): Record<string, string>[] {
  const cells = [...text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g)];
  const rows: string[][] = [[]];
  for (const [, quoted, plain, end] of cells) {
    rows[rows.length - 1].push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\n") rows.push([]);
  }
  const [header, ...rest] = rows.slice(0, -1);
  return rest.map((row) => Object.fromEntries(row.map((cell, i) => [header[i], cell])));
}

describe("Parquet", () => {
  test("has typed columns with the same values", async () => {
    const out = await exported(TYPES, "types.parquet");
    const file = await asyncBufferFromFile(out);
    const rows = await parquetReadObjects({ file, utf8: false });
    const uuid = "769c134d-07b8-4225-954a-b6cc5ffc320c";
    expect(rows[1]).toEqual({
      id: 9007199254740993n,
      vector: [Math.fround(0.1), Math.fround(0.9)],
      v16: [0.333251953125, 65504],
      v8: [1, -128],
      many: [
        [Math.fround(0.1), Math.fround(0.2)],
        [Math.fround(0.3), Math.fround(-0.4)],
      ],
      sparse: '{"a":0.5,"b,\\"c":1.25}',
      text: 'quote" comma, backslash\\ line\nseparator\u2028🐋',
      int: -(2n ** 63n),
      uint: 2n ** 64n - 1n,
      float: 0.1,
      uuid,
      datetime: new Date("2026-01-31T09:30:00.123Z"),
      bool: true,
      bytes: Uint8Array.of(0, 1, 2, 255),
      texts: ['a,"b', "", "\\"],
      ints: [-(2n ** 63n), 5n],
      uints: [2n ** 64n - 1n],
      floats: [0.1, -1e-300],
      uuids: [uuid],
      datetimes: [new Date(-1)],
      bools: [true, false],
    });
    expect(rows[2]).toMatchObject({ id: 2n ** 64n - 1n, text: "", texts: [], float: -0 });
    expect(rows[0].texts ?? null).toBeNull();
    expect(rows[0].sparse ?? null).toBeNull();
  });

  test("of nothing is a file without rows", async () => {
    const out = await exported(TYPES, "none.parquet", "--filters", '["int","Eq",7]');
    const file = await asyncBufferFromFile(out);
    expect(await parquetReadObjects({ file })).toEqual([]);
  });
});

describe("an export", () => {
  const MANY = nameOf(namespace("many"));
  const COUNT = 3_000;

  beforeAll(async () => {
    const rows = Array.from({ length: COUNT }, (_, id) => `{"id":${id},"n":${id}}`);
    await write(MANY, rows);
  });

  test("tells people where the schema is, and the metric of vectors", async () => {
    const out = join(directory.path, "told.jsonl");
    const { out: said } = await run(["--namespace", TYPES, "--out", out]);
    expect(said).toMatch(
      /^exported 3 documents, \d.* B to .*told.jsonl in \d.*\nits schema is in /,
    );
    expect(said).toMatch(/told.jsonl.schema.json; distance metric: cosine_distance\n$/);
  });

  test("tells rows, bytes and seconds, and leaves nothing behind", async () => {
    const out = join(directory.path, "many.jsonl");
    const { json } = await run(["--namespace", MANY, "--out", out, "--json"]);
    const { size } = await stat(out);
    expect(json).toEqual({ rows: COUNT, bytes: size, seconds: expect.any(Number) });
    expect(await branches()).toEqual([]);
    const left = (await readdir(directory.path)).filter((name) => name.startsWith("many"));
    expect(left.sort()).toEqual(["many.jsonl", "many.jsonl.schema.json"]);
  });

  test.each(["jsonl", "csv", "jsonl.gz", "parquet"])(
    "to %s continues where it was cut off, on the same snapshot",
    async (ending) => {
      const name = `cut.${ending}`;
      const out = join(directory.path, name);
      const words = ["--namespace", MANY, "--out", out, "--json"];
      const whole = await exported(MANY, `whole.${ending}`);
      await cutOff(MANY, out);
      const state = JSON.parse(await readFile(`${out}.export`, "utf8"));
      expect(state.rows).toBeGreaterThan(0);
      expect(state.rows).toBeLessThan(COUNT);
      // What a write cut off in the middle left behind does not count.
      await writeFile(`${out}.partial`, "half a li", { flag: "a" });
      await write(MANY, [`{"id":${COUNT - 1},"n":-1}`, `{"id":${COUNT + 5},"n":0}`]);
      const { code, json, err } = await run(words);
      expect([code, json.rows]).toEqual([0, COUNT]);
      expect(err).toContain(`going on after ${state.rows.toLocaleString("en")} documents`);
      if (ending === "jsonl.gz") {
        const text = async (path: string) => gunzipSync(await readFile(path)).toString();
        expect(await text(out)).toBe(await text(whole));
      } else expect((await readFile(out)).equals(await readFile(whole))).toBe(true);
      expect(await branches()).toEqual([]);
      const undo = { upsert_rows: [{ id: COUNT - 1, n: COUNT - 1 }], deletes: [COUNT + 5] };
      await rawCall("POST", `/v2/namespaces/${MANY}`, undo);
    },
  );

  test.each([".export", ".partial"])(
    "whose process is killed once there is a file %s goes on, and leaves no branch",
    async (ending) => {
      const out = join(directory.path, `killed${ending}.jsonl`);
      const words = ["export", "--namespace", MANY, "--out", out, "--json"];
      const environment = { TURBOPUFFER_BASE_URL: inject("serverUrl") };
      const killed = await runTrawl(words, {
        environment,
        onStart: async (child) => {
          const isThere = () => stat(`${out}${ending}`).catch(() => undefined);
          while (child.exitCode === null && (await isThere()) === undefined) await pause(1);
          child.kill("SIGKILL");
        },
      });
      // It may have been faster than whoever kills it.
      if (killed.code !== 0) {
        const again = await runTrawl([...words, "--overwrite"], { environment });
        expect([again.code, JSON.parse(again.out).rows]).toEqual([0, COUNT]);
      }
      const whole = await exported(MANY, `whole-of-killed${ending}.jsonl`);
      expect(await readFile(out, "utf8")).toBe(await readFile(whole, "utf8"));
      expect(await branches()).toEqual([]);
    },
  );

  test("that asks for something else than the one that was cut off is refused", async () => {
    const out = join(directory.path, "other.jsonl");
    const words = ["--namespace", MANY, "--out", out];
    await cutOff(MANY, out);
    expect(await branches()).toHaveLength(1);
    const other = await run([...words, "--no-vectors"]);
    expect([other.code, other.err]).toEqual([
      1,
      expect.stringContaining("was cut off that had vectors float instead of none: specify"),
    ]);
    const anew = await run([...words, "--no-vectors", "--restart", "--json"]);
    expect([anew.code, anew.json.rows]).toEqual([0, COUNT]);
    expect(await branches()).toEqual([]);
  });

  test("whose snapshot was deleted is reported, with the way to start again", async () => {
    const out = join(directory.path, "gone.jsonl");
    const words = ["--namespace", MANY, "--out", out];
    await cutOff(MANY, out);
    for (const branch of await branches()) {
      await rawCall("DELETE", `/v2/namespaces/${branch}`);
    }
    const { code, err } = await run(words);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/the snapshot that this export reads is gone.*start again with --rest/),
    ]);
    expect((await run([...words, "--restart"])).code).toBe(0);
  });

  test("of what is not there leaves nothing behind", async () => {
    const out = join(directory.path, "nothing.jsonl");
    const { code, err } = await run(["--namespace", "cli-export-nowhere", "--out", out]);
    expect([code, err]).toEqual([1, expect.stringContaining("'cli-export-nowhere' was not found")]);
    const elsewhere = ["export", "--namespace", MANY, "--out", out, "--url", "http://127.0.0.1:1"];
    expect((await runCli(elsewhere)).code).toBe(1);
    expect((await readdir(directory.path)).filter((name) => /^nothing/.test(name))).toEqual([]);
  });

  test("with a filter that the server refuses leaves nothing behind", async () => {
    const out = join(directory.path, "nothing.jsonl");
    const filter = ["--filters", '["pages","Eq",0]'];
    const { code, err } = await run(["--namespace", MANY, "--out", out, ...filter]);
    expect([code, err]).toEqual([1, expect.stringContaining("`pages`")]);
    expect((await readdir(directory.path)).filter((name) => /^nothing/.test(name))).toEqual([]);
    expect(await branches()).toEqual([]);
  });

  test("with --live makes no branch", async () => {
    const out = join(directory.path, "live.jsonl");
    await cutOff(MANY, out, true);
    expect(await branches()).toEqual([]);
    const { code } = await run(["--namespace", MANY, "--out", out, "--live"]);
    expect(code).toBe(0);
    expect(await linesOf(out)).toHaveLength(COUNT);
    expect((await rawCall("GET", `/v2/namespaces/${MANY}/metadata`)).status).toBe(200);
  });

  test("replaces a file only if that is said", async () => {
    const out = await exported(TYPES, "twice.jsonl");
    const again = await run(["--namespace", TYPES, "--out", out]);
    expect([again.code, again.err]).toEqual([2, expect.stringContaining("is there already")]);
    expect((await run(["--namespace", MANY, "--out", out, "--overwrite"])).code).toBe(0);
    expect(await linesOf(out)).toHaveLength(COUNT);
  });

  test.each([
    [["--out", "x.json"], "required option '--namespace"],
    [["--namespace", "x", "--out", "x.xlsx"], "x.xlsx tells no form; end it with .jsonl, .csv"],
    [["--namespace", "x", "--out", "x.parquet.gz"], "tells no form"],
    [["--namespace", "x", "--out", "x.parquet", "--vector-encoding", "float"], "has no effect"],
    [["--namespace", "x", "--out", "x.csv", "--vector-encoding", "hex"], "Allowed choices"],
    [["--namespace", "x", "--out", "x.csv", "--filters", "[1"], "--filters is no JSON"],
    [["--namespace", "x", "--out", "x.jsonl", "--escape-formulas"], "only in CSV are texts run"],
  ])("%j is refused with code 2", async (words, said) => {
    const { code, err } = await run(words);
    expect(err).toContain(said);
    expect(code).toBe(2);
  });
});

/** Begins an export as the command does, and interrupts it after its first documents. */
async function cutOff(from: string, out: string, live = false): Promise<void> {
  const url = inject("serverUrl");
  const form = formatOfName(out);
  if (form === undefined) throw new Error(`${out} has no form`);
  const interruption = new AbortController();
  const { signal } = interruption;
  const clock = new InstantClock();
  const random = seededRandom(branchSeed++);
  const client = new ApiClient({ url, clock, random });
  const request = { url, namespace: from, out, ...form, filters: null, snapshot: !live };
  const onRows = () => interruption.abort(new Error("interrupted"));
  const ignore = () => {};
  const options = { client, clock, random, signal, onBegin: ignore, onConvert: ignore, onRows };
  const work = exportNamespace({ ...request, vectors: "float" }, options);
  await expect(work).rejects.toThrow("interrupted");
  client.close();
}

/** Branches of one run of the tests have names of their own. */
let branchSeed = 1_000;
