/** `trawl import` against a real server. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { tableFromArrays, tableToIPC } from "@uwdata/flechette";
import { parquetWriteBuffer } from "hyparquet-writer";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { EVERY_TYPE_ROWS, EVERY_TYPE_SCHEMA } from "../support/documents/every-type.ts";
import { oddTexts } from "../support/random/odd-texts.ts";
import { type CliOptions, runCli } from "../support/servers/run-cli.ts";
import { nameOf, rawCall, testNamespaces } from "../support/servers/sdk-client.ts";

const folder = mkdtempSync(join(tmpdir(), "trawl-import-"));
afterAll(() => rmSync(folder, { recursive: true }));

const namespace = testNamespaces("import");
const newName = (kind: string) => nameOf(namespace(kind));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function run(words: readonly string[], options: CliOptions = {}) {
  return runCli(["import", ...words, "--url", inject("serverUrl")], options);
}

/** All documents of a namespace by id, as text, so that integers are exact. */
async function documents(name: string, count = 10_000): Promise<string> {
  const body = { rank_by: ["id", "asc"], top_k: count, include_attributes: true };
  const { text } = await rawCall("POST", `/v2/namespaces/${name}/query`, body);
  return /"rows":(\[.*\]),"billing"/s.exec(text)?.[1] ?? text;
}

async function types(name: string): Promise<Record<string, string>> {
  const { json } = await rawCall("GET", `/v1/namespaces/${name}/schema`);
  const entries = Object.entries<{ type: string }>(json);
  return Object.fromEntries(entries.map(([attribute, { type }]) => [attribute, type]));
}

test("texts are embedded by the server, few at once, with the metric that they need", async () => {
  const name = newName("embedded");
  const rows = Array.from({ length: 95 }, (_, i) => `{"id":${i},"text":"a ship no. ${i}"}`);
  const path = file("embedded.jsonl", `${rows.join("\n")}\n{"id":95,"text":"an old tree"}`);
  const schema = JSON.stringify({ text: { type: "string", embed: "trawl/static-en" } });
  const first = await run([path, "--namespace", name, "--schema", schema]);
  expect([first.code, first.err]).toEqual([0, expect.any(String)]);
  expect(first.out).toMatch(/96 rows imported \(/);
  const query = { rank_by: ["text", "ANN", ["Embed", "oak"]], top_k: 1 };
  const { json } = await rawCall("POST", `/v2/namespaces/${name}/query`, query);
  expect(json.rows.map(({ id }: { id: number }) => id)).toEqual([95]);
  // The namespace has it by now: nothing has to be said again.
  const again = await run([path, "--namespace", name]);
  expect([again.code, again.err]).toEqual([0, expect.any(String)]);
});

describe("formats", () => {
  test("JSON Lines keep integers beyond 2^53, and get types from a sample", async () => {
    const name = newName("jsonl");
    const path = file(
      "a.jsonl",
      '{"id":18446744073709551615,"n":9007199254740993,"f":1,"tags":["a"],' +
        '"at":"2026-01-31T09:30:00Z"}\n' +
        '{"id":1,"n":-9223372036854775808,"f":0.5,"tags":[],"at":null}',
    );
    const { code, out, err } = await run([path, "--namespace", name]);
    expect([code, err]).toEqual([0, expect.any(String)]);
    expect(out).toMatch(/^1 file into new namespace /);
    expect(out).toMatch(/^f +f +float +sample$/m);
    expect(out).toMatch(/2 rows imported \(/);
    expect(await documents(name)).toBe(
      '[{"id":1,"n":-9223372036854775808,"f":0.5,"tags":[]},' +
        '{"id":18446744073709551615,"n":9007199254740993,"f":1.0,"tags":["a"],' +
        '"at":"2026-01-31T09:30:00.000000000Z"}]',
    );
    expect(await types(name)).toEqual({
      id: "uint",
      n: "int",
      f: "float",
      tags: "[]string",
      at: "datetime",
    });
  });

  test.each([
    ["json", (text: string) => Buffer.from(`[${text.trim().split("\n").join(",\n")}]`)],
    ["jsonl.gz", (text: string) => gzipSync(text)],
    ["jsonl.zst", (text: string) => zstdCompressSync(text)],
    ["jsonl", (text: string) => Buffer.from(`\ufeff${text.replaceAll("\n", "\r\n")}`)],
  ])("rows come from %s as from any other", async (ending, packed) => {
    const name = newName("packed");
    const text = Array.from({ length: 500 }, (_, id) => `{"id":${id},"t":"é ${id}"}\n`).join("");
    const path = file(`packed.${ending}`, packed(text));
    const { code, json } = await run([path, "--namespace", name, "--json"]);
    expect([code, json.rows, json.rejected]).toEqual([0, 500, 0]);
    const lines = text.trim().split("\n");
    expect(JSON.parse(await documents(name))).toEqual(lines.map((line) => JSON.parse(line)));
  });

  test("CSV gets types, vectors and nulls; quoted cells have line breaks", async () => {
    const name = newName("csv");
    const path = file(
      "a.csv",
      'sku,zip,price,ok,note,embedding\r\nx1,01234,1,true,"a\nb","[0.5, 1]"\r\n' +
        'x2,00042,2.5,FALSE,,"[1,2]"\r\n',
    );
    const words = [path, "--namespace", name, "--id", "sku", "--vector", "embedding"];
    const { code } = await run([...words, "--map", "note=remark"]);
    expect(code).toBe(0);
    expect(await documents(name)).toBe(
      '[{"id":"x1","zip":"01234","price":1.0,"ok":true,"remark":"a\\nb","vector":[0.5,1]},' +
        '{"id":"x2","zip":"00042","price":2.5,"ok":false,"vector":[1,2]}]',
    );
  });

  test("Parquet has exact integers, datetimes, lists as vectors, and nulls", async () => {
    const name = newName("parquet");
    const vectors = [0, 1].map((row) => Array.from({ length: 8 }, (_, i) => row + i / 8));
    const buffer = parquetWriteBuffer({
      schema: [
        { name: "root", num_children: 4 },
        { name: "id", type: "INT64", repetition_type: "REQUIRED" },
        {
          name: "at",
          type: "INT64",
          converted_type: "TIMESTAMP_MILLIS",
          repetition_type: "OPTIONAL",
        },
        { name: "title", type: "BYTE_ARRAY", converted_type: "UTF8", repetition_type: "OPTIONAL" },
        { name: "emb", converted_type: "LIST", repetition_type: "OPTIONAL", num_children: 1 },
        { name: "list", repetition_type: "REPEATED", num_children: 1 },
        { name: "element", type: "FLOAT", repetition_type: "OPTIONAL" },
      ],
      columnData: [
        { name: "id", data: [9007199254740993n, 2n] },
        { name: "at", data: [new Date("2026-01-31T09:30:00Z"), null] },
        { name: "title", data: ["one", null] },
        { name: "emb", data: vectors },
      ],
    });
    const path = file("a.parquet", new Uint8Array(buffer));
    const { code, err } = await run([path, "--namespace", name]);
    expect([code, err]).toEqual([0, expect.any(String)]);
    expect(await types(name)).toEqual({
      id: "uint",
      at: "datetime",
      title: "string",
      emb: "[8]f32",
    });
    const rows = JSON.parse(await documents(name));
    expect(rows[0]).toEqual({ id: 2, emb: vectors[1] });
    expect(await documents(name)).toContain('"id":9007199254740993,"at":"2026-01-31T09:30:00.000');
  });

  test("Arrow is read as file and as stream", async () => {
    const table = tableFromArrays({
      id: [1, 2, 3],
      title: ["a", null, "c"],
      score: Float64Array.from([0.5, 1, 2]),
    });
    for (const format of ["file", "stream"] as const) {
      const name = newName(format);
      const bytes = tableToIPC(table, { format });
      const path = file(`a-${format}.arrow`, bytes ?? new Uint8Array(0));
      const { code, err } = await run([path, "--namespace", name, "--id", "id"]);
      expect([code, err]).toEqual([0, expect.any(String)]);
      expect(JSON.parse(await documents(name))).toEqual([
        { id: 1, title: "a", score: 0.5 },
        { id: 2, score: 1 },
        { id: 3, title: "c", score: 2 },
      ]);
    }
  });

  test("standard input and patterns", async () => {
    const piped = newName("stdin");
    const input = '{"id":1}\n{"id":2}\n';
    expect((await run(["-", "--namespace", piped], { input })).code).toBe(0);
    expect(JSON.parse(await documents(piped))).toHaveLength(2);
    const globbed = newName("glob");
    file("part-1.jsonl", '{"id":1,"a":1}\n');
    file("part-2.jsonl", '{"id":2,"a":2}\n');
    const { json } = await run([join(folder, "part-*.jsonl"), "--namespace", globbed, "--json"]);
    expect(json.rows).toBe(2);
    expect(json.seconds).toBe(Math.round(json.seconds * 1000) / 1000);
  });

  test("a pattern that nothing matches is told as one", async () => {
    const pattern = join(folder, "none-*.jsonl");
    const { code, err } = await run([pattern, "--namespace", newName("none")]);
    expect([code, err]).toEqual([2, expect.stringContaining(`no file matches ${pattern}`)]);
  });

  test("uuids are ids of their own type", async () => {
    const name = newName("uuid");
    const id = "6f2c1a0e-3b7d-4c58-9a64-0d1e2f3a4b5c";
    const path = file("uuid.csv", `id,a\n${id.toUpperCase()},1\n`);
    expect((await run([path, "--namespace", name])).code).toBe(0);
    expect(await types(name)).toMatchObject({ id: "uuid" });
    expect(JSON.parse(await documents(name))).toEqual([{ id, a: 1 }]);
  });

  test("rows without ids are numbered, the same in each run", async () => {
    const name = newName("numbered");
    const path = file("numbered.csv", "a\nx\ny\n");
    const { code, out } = await run([path, "--namespace", name]);
    expect(code).toBe(0);
    expect(out).toMatch(/no id column: name one with --id/);
    expect(JSON.parse(await documents(name))).toEqual([
      { id: 1, a: "x" },
      { id: 2, a: "y" },
    ]);
    const again = await run([path, "--namespace", name]);
    expect([again.code, again.err]).toEqual([2, expect.stringMatching(/--id \(there are "a"\)/)]);
    expect((await run([path, "--namespace", name, "--id", "@row"])).code).toBe(0);
  });
});

describe("what trawl export has written", () => {
  const source = newName("types");
  const server = ["--url", inject("serverUrl")];

  async function exported(from: string, name: string): Promise<string> {
    const out = join(folder, name);
    // Branches of exports have the same names in all test files, since chance is the same there.
    const options = ["--overwrite", "--live", ...server];
    const words = ["export", "--namespace", from, "--out", out, ...options];
    expect(await runCli(words)).toMatchObject({ code: 0 });
    return out;
  }

  beforeAll(async () => {
    const members = { schema: EVERY_TYPE_SCHEMA, distance_metric: "cosine_distance" };
    const rows = EVERY_TYPE_ROWS.join();
    const body = `{"upsert_rows":[${rows}],${JSON.stringify(members).slice(1)}`;
    expect(await rawCall("POST", `/v2/namespaces/${source}`, body)).toMatchObject({ status: 200 });
  });

  test.each(["types.jsonl", "types.jsonl.gz", "types.csv", "types.parquet"])(
    "as %s comes back the same to the bit",
    async (name) => {
      const out = await exported(source, name);
      const back = newName("back");
      const words = [out, "--namespace", back, "--schema", `${out}.schema.json`];
      expect(await run(words)).toMatchObject({ code: 0 });
      const lines = async (from: string) =>
        readFileSync(await exported(from, "compared.jsonl"), "utf8");
      expect(await lines(back)).toBe(await lines(source));
      expect(await types(back)).toEqual(await types(source));
    },
  );
});

describe("values arrive exactly, or are refused", () => {
  const parquet = (elements: readonly object[], columnData: readonly object[]) => {
    const schema = [{ name: "root", num_children: columnData.length }, ...elements];
    const options = { schema, columnData } as Parameters<typeof parquetWriteBuffer>[0];
    return new Uint8Array(parquetWriteBuffer(options));
  };
  const decimal = (scale: number) => ({
    ...{ type: "FIXED_LEN_BYTE_ARRAY", type_length: 16, converted_type: "DECIMAL" },
    ...{ precision: 38, scale, repetition_type: "REQUIRED" },
  });

  test("decimals of Parquet: ids are never merged, prices are the nearest float", async () => {
    const name = newName("decimals");
    const elements = [
      { name: "id", ...decimal(10) },
      { name: "price", ...decimal(2) },
      { name: "key", ...decimal(0) },
    ];
    const ids = [9007199254740992n, 9007199254740993n];
    const bytes = parquet(elements, [
      { name: "id", data: ids.map((id) => id * 10n ** 10n) },
      { name: "price", data: [1999n, 435n] },
      { name: "key", data: ids.toReversed() },
    ]);
    const path = file("decimals.parquet", bytes);
    const { code, out } = await run([path, "--namespace", name]);
    expect([code, out]).toEqual([0, expect.stringMatching(/decimals become the nearest float64/)]);
    expect(await documents(name)).toBe(
      '[{"id":9007199254740992,"price":19.99,"key":9007199254740993},' +
        '{"id":9007199254740993,"price":4.35,"key":9007199254740992}]',
    );
  });

  test("codes of CSV, and their notes", async () => {
    const name = newName("codes");
    const path = file(
      "codes.csv",
      'id,phone,order,price\n1,+14155550100,98765432109876543210,"19,99"\n' +
        '2,+442079460000,98765432109876543211,"5,00"\n',
    );
    const { code, out } = await run([path, "--namespace", name]);
    expect(code).toBe(0);
    expect(out).toMatch(/^phone .* stay text, as "\+14155550100": a number has no plus sign/m);
    expect(out).toMatch(/^price .* stay text, as "19,99": numbers have a decimal point$/m);
    expect(JSON.parse(await documents(name))).toEqual([
      { id: 1, phone: "+14155550100", order: "98765432109876543210", price: "19,99" },
      { id: 2, phone: "+442079460000", order: "98765432109876543211", price: "5,00" },
    ]);
  });

  test("nested values, each an attribute with --flatten", async () => {
    const name = newName("nested");
    const path = file(
      "nested.jsonl",
      '{"id":1,"author":{"name":"Ann","born":{"year":1950}},"links":[{"url":"a"}],"w":{"x":0.5}}\n',
    );
    const refused = await run([path, "--namespace", name]);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringMatching(/"author": has objects .*; or give each member an attribute with --fl/),
    ]);
    const schema = [
      "--schema",
      '{"w":{"type":"{}f16","sparse_knn":{"distance_metric":"dot_product"}}}',
    ];
    expect(await run([path, "--namespace", name, "--flatten", ...schema])).toMatchObject({
      code: 0,
    });
    expect(JSON.parse(await documents(name))).toEqual([
      {
        id: 1,
        "author.name": "Ann",
        "author.born.year": 1950,
        links: '[{"url":"a"}]',
        w: { x: 0.5 },
      },
    ]);
  });

  test("integers that no type keeps", async () => {
    const name = newName("wide");
    const path = file(
      "wide.jsonl",
      '{"id":1,"n":18446744073709551616}\n{"id":2,"n":18446744073709551617}\n',
    );
    const { code, err } = await run([path, "--namespace", name]);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/wide.jsonl:2: n: float64 does not keep all digits of "1844/),
    ]);
    const rounded = await run([
      path,
      "--namespace",
      name,
      "--restart",
      "--schema",
      '{"n":"float"}',
    ]);
    expect(rounded.code).toBe(0);
  });

  test("long texts are full text, with a note, instead of failing", async () => {
    const name = newName("long");
    const path = file("long.csv", `id,body\n1,${"word ".repeat(1000)}walrus\n2,short\n`);
    const { code, out } = await run([path, "--namespace", name]);
    expect([code, out]).toEqual([0, expect.stringMatching(/^body .* full text, without filters/m)]);
    const query = { rank_by: ["body", "BM25", "walrus"], top_k: 5 };
    const { json } = await rawCall("POST", `/v2/namespaces/${name}/query`, query);
    expect(json.rows.map(({ id }: { id: number }) => id)).toEqual([1]);
  });

  test.each(["jsonl", "csv", "parquet"])(
    "texts of all planes, out as %s and back",
    async (ending) => {
      const seed = 20_261_128;
      const texts = oddTexts(seededRandom(seed), 400);
      const rows = texts.map((t, id) => ({ id, t, l: [t, t] }));
      const source = newName("odd");
      const body = { upsert_rows: rows };
      expect(await rawCall("POST", `/v2/namespaces/${source}`, body)).toMatchObject({
        status: 200,
      });
      const out = join(folder, `odd.${ending}`);
      const server = ["--live", "--overwrite", "--url", inject("serverUrl")];
      const exported = await runCli(["export", "--namespace", source, "--out", out, ...server]);
      expect(exported.code).toBe(0);
      const back = newName("odd-back");
      const words = [out, "--namespace", back, "--schema", `${out}.schema.json`];
      expect(await run(words)).toMatchObject({ code: 0 });
      expect(JSON.parse(await documents(back)), `seed ${seed}`).toEqual(rows);
    },
  );

  test.each([
    ["bytes that are no UTF-8", Buffer.from('{"id":1,"t":"a\xff"}\n{"id":2,"t":"b"}\n', "latin1")],
    ["half of a pair", Buffer.from('{"id":1,"t":"a\\ud800"}\n{"id":2,"t":"b"}\n')],
  ])("JSON Lines with %s are refused by line", async (_, bytes) => {
    const name = newName("invalid");
    const path = file("invalid.jsonl", bytes);
    for (const words of [[], ["--map", "t=u"]]) {
      const { code, err } = await run([path, "--namespace", name, "--restart", ...words]);
      expect([code, err]).toEqual([1, expect.stringContaining("invalid.jsonl:1: ")]);
    }
  });
});

describe("bad rows", () => {
  const lines = Array.from({ length: 3000 }, (_, id) => `{"id":${id},"price":${id}}`);
  lines[1234] = '{"id":1234,"price":"cheap"}';
  lines[2000] = '{"id":2000,"price":NaN}';
  lines[2001] = '{"id":2001,"price":';

  test("end the run by default, which names file and line", async () => {
    const name = newName("bad");
    const path = file("bad.jsonl", lines.join("\n"));
    const { code, err, json } = await run([path, "--namespace", name, "--json"]);
    expect(code).toBe(1);
    expect(err).toMatch(new RegExp(`${path}:1235: .*price`));
    expect(err).toMatch(/--rejects FILE/);
    expect(json).toMatchObject({ rejected: 0 });
  });

  test("are counted apart from the rows that are committed before them", async () => {
    const name = newName("late");
    const rows = Array.from({ length: 3000 }, (_, i) => `${i},${i}`);
    const path = file("late.csv", `id,n\n${rows.join("\n")}\n3000,abc\n`);
    const { code, json, err } = await run([path, "--namespace", name, "--json"]);
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
    const { code, out } = await run(words);
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
    const { code, json } = await run(words);
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
    const three = await run([path, "--namespace", newName("max"), "--max-errors", "3"]);
    expect(three.code).toBe(3);
    const two = await run([path, "--namespace", newName("max"), "--max-errors", "2"]);
    expect([two.code, two.err]).toEqual([1, expect.stringContaining("--max-errors is 2; ")]);
    expect(two.err).not.toContain("--max-errors N");
  });

  test("of the same id in one batch are written one after the other", async () => {
    const name = newName("twice");
    const path = file("twice.jsonl", '{"id":1,"a":"x"}\n{"id":2,"a":"y"}\n{"id":1,"a":"z"}\n');
    expect((await run([path, "--namespace", name])).code).toBe(0);
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
    const { code, err } = await run(words);
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
    const { code, err } = await run([path, "--namespace", newName("plan"), ...words]);
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
    const { code, err } = await run([name, "--namespace", newName("plan")], { input });
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  test("--dry-run shows the plan and writes nothing", async () => {
    const name = newName("dry");
    const words = [path, "--namespace", name, "--map", "meta=", "--dry-run"];
    const { code, out } = await run(words);
    expect(code).toBe(0);
    expect(out).toMatch(/^title +title +string +sample$/m);
    expect(out).toMatch(/^meta +left out$/m);
    const { json } = await run([...words, "--json"]);
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

describe("resuming", () => {
  const count = 4_500;
  const text = "x".repeat(4_000);
  const all = Array.from({ length: count }, (_, id) => `{"id":${id},"t":"${text}","n":${id}}`);

  test("an interrupted run continues where it was, and reports that", async () => {
    const name = newName("resume");
    const path = file("resume.jsonl", all.join("\n"));
    const interruption = new AbortController();
    const words = [path, "--namespace", name, "--json"];
    const interrupted = run(words, { signal: interruption.signal });
    const first = () => documents(name, 1);
    await expect.poll(first, { interval: 5, timeout: 30_000 }).toContain('"id":0');
    interruption.abort(new Error("interrupted"));
    const end = await interrupted;
    expect([end.code, end.err]).toEqual([130, expect.stringMatching(/the same command continues/)]);
    expect(end.json.rows).toBeLessThan(count);
    const second = await run(words);
    expect(second.code).toBe(0);
    expect(second.json).toMatchObject({ rows: count, rejected: 0, resumed_at: end.json.rows });
    expect(await documents(name)).toBe(`[${all.join()}]`);
    // It is done: another run is one of its own.
    expect((await run(words)).json.resumed_at).toBe(null);
  });

  test("a run that was killed loses and doubles nothing", async () => {
    const name = newName("killed");
    const bad = all.with(10, '{"id":10,"n":"x"}').with(4_000, '{"id":4000');
    const path = file("killed.jsonl", bad.join("\n"));
    const rejects = join(folder, "killed.rejects");
    const words = [path, "--namespace", name, "--rejects", rejects, "--json"];
    const main = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url));
    const child = spawn(
      process.execPath,
      [main, "import", ...words, "--url", inject("serverUrl")],
      {
        stdio: "ignore",
      },
    );
    const gone = once(child, "exit");
    const state = join(folder, `.killed.jsonl.${name}.import-state`);
    await expect.poll(() => existsSync(state), { interval: 5, timeout: 30_000 }).toBe(true);
    child.kill("SIGKILL");
    await gone;
    const { code, json } = await run(words);
    expect([code, json.rows, json.rejected]).toEqual([3, count - 2, 2]);
    expect(json.resumed_at).toBeGreaterThan(0);
    expect(existsSync(state)).toBe(false);
    const good = bad.filter((_, id) => id !== 10 && id !== 4_000);
    expect(await documents(name)).toBe(`[${good.join()}]`);
    const lines = readFileSync(rejects, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line).line)).toEqual([11, 4_001]);
  });

  test("a run that a bad row has ended continues with --rejects", async () => {
    const name = newName("mended");
    const path = file("mended.jsonl", all.with(4_000, '{"id":4000').join("\n"));
    const words = [path, "--namespace", name, "--json"];
    const ended = await run(words);
    expect([ended.code, ended.err]).toEqual([
      1,
      expect.stringMatching(
        /mended.jsonl:4001: .*\nfix it and pass --restart, or .* --rejects FILE .*after row 4,000$/m,
      ),
    ]);
    const { code, json } = await run([...words, "--rejects", join(folder, "mended.rejects")]);
    expect([code, json.rows, json.rejected]).toEqual([3, count - 1, 1]);
    // Rows behind the bad one that the server has are counted, and sent again.
    expect(json.resumed_at).toBe(4_000);
    expect(ended.json.rows).toBeGreaterThanOrEqual(4_000);
  });

  test("another file, or other settings, do not go on there", async () => {
    const name = newName("other");
    const path = file("other.jsonl", all.with(4_000, "x").join("\n"));
    const words = [path, "--namespace", name];
    expect((await run(words)).code).toBe(1);
    const renamed = await run([...words, "--map", "n=m"]);
    expect([renamed.code, renamed.err]).toEqual([
      2,
      expect.stringMatching(/--map was "" and is "n=m". Pass --restart to start again/),
    ]);
    file("other.jsonl", all.join("\n"));
    const changed = await run(words);
    expect([changed.code, changed.err]).toEqual([
      2,
      expect.stringMatching(/other.jsonl has changed since/),
    ]);
    const again = await run([...words, "--restart", "--json"]);
    expect([again.code, again.json.rows, again.json.resumed_at]).toEqual([0, count, null]);
  });
});
