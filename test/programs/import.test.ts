/** `trawl import` against a real server: formats, and what `trawl export` has written. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync, zstdCompressSync } from "node:zlib";
import { tableFromArrays, tableToIPC } from "@uwdata/flechette";
import { parquetWriteBuffer } from "hyparquet-writer";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { EVERY_TYPE_ROWS, EVERY_TYPE_SCHEMA } from "../support/documents/every-type.ts";
import { documents, importRuns, runImport, types } from "../support/servers/import-runs.ts";
import { runCli } from "../support/servers/run-cli.ts";
import { rawCall } from "../support/servers/sdk-client.ts";

const { file, folder, newName } = importRuns("import");

test("texts are embedded by the server, few at once, with the metric that they need", async () => {
  const name = newName("embedded");
  const rows = Array.from({ length: 95 }, (_, i) => `{"id":${i},"text":"a ship no. ${i}"}`);
  const path = file("embedded.jsonl", `${rows.join("\n")}\n{"id":95,"text":"an old tree"}`);
  const schema = JSON.stringify({ text: { type: "string", embed: "trawl/static-en" } });
  const first = await runImport([path, "--namespace", name, "--schema", schema]);
  expect([first.code, first.err]).toEqual([0, expect.any(String)]);
  expect(first.out).toMatch(/96 rows imported \(/);
  const query = { rank_by: ["text", "ANN", ["Embed", "oak"]], top_k: 1 };
  const { json } = await rawCall("POST", `/v2/namespaces/${name}/query`, query);
  expect(json.rows.map(({ id }: { id: number }) => id)).toEqual([95]);
  // The namespace has it by now: nothing has to be said again.
  const again = await runImport([path, "--namespace", name]);
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
    const { code, out, err } = await runImport([path, "--namespace", name]);
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
    const { code, json } = await runImport([path, "--namespace", name, "--json"]);
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
    const { code } = await runImport([...words, "--map", "note=remark"]);
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
    const { code, err } = await runImport([path, "--namespace", name]);
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
      const { code, err } = await runImport([path, "--namespace", name, "--id", "id"]);
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
    expect((await runImport(["-", "--namespace", piped], { input })).code).toBe(0);
    expect(JSON.parse(await documents(piped))).toHaveLength(2);
    const globbed = newName("glob");
    file("part-1.jsonl", '{"id":1,"a":1}\n');
    file("part-2.jsonl", '{"id":2,"a":2}\n');
    const { json } = await runImport([
      join(folder, "part-*.jsonl"),
      "--namespace",
      globbed,
      "--json",
    ]);
    expect(json.rows).toBe(2);
    expect(json.seconds).toBe(Math.round(json.seconds * 1000) / 1000);
  });

  test("a pattern that nothing matches is told as one", async () => {
    const pattern = join(folder, "none-*.jsonl");
    const { code, err } = await runImport([pattern, "--namespace", newName("none")]);
    expect([code, err]).toEqual([2, expect.stringContaining(`no file matches ${pattern}`)]);
  });

  test("uuids are ids of their own type", async () => {
    const name = newName("uuid");
    const id = "6f2c1a0e-3b7d-4c58-9a64-0d1e2f3a4b5c";
    const path = file("uuid.csv", `id,a\n${id.toUpperCase()},1\n`);
    expect((await runImport([path, "--namespace", name])).code).toBe(0);
    expect(await types(name)).toMatchObject({ id: "uuid" });
    expect(JSON.parse(await documents(name))).toEqual([{ id, a: 1 }]);
  });

  test("rows without ids are numbered, the same in each run", async () => {
    const name = newName("numbered");
    const path = file("numbered.csv", "a\nx\ny\n");
    const { code, out } = await runImport([path, "--namespace", name]);
    expect(code).toBe(0);
    expect(out).toMatch(/no id column: name one with --id/);
    expect(JSON.parse(await documents(name))).toEqual([
      { id: 1, a: "x" },
      { id: 2, a: "y" },
    ]);
    const again = await runImport([path, "--namespace", name]);
    expect([again.code, again.err]).toEqual([2, expect.stringMatching(/--id \(there are "a"\)/)]);
    expect((await runImport([path, "--namespace", name, "--id", "@row"])).code).toBe(0);
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
      expect(await runImport(words)).toMatchObject({ code: 0 });
      const lines = async (from: string) =>
        readFileSync(await exported(from, "compared.jsonl"), "utf8");
      expect(await lines(back)).toBe(await lines(source));
      expect(await types(back)).toEqual(await types(source));
    },
  );
});
