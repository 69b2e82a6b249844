/** `trawl import` against a real server: values arrive exactly, or are refused. */

import { join } from "node:path";
import { parquetWriteBuffer } from "hyparquet-writer";
import { describe, expect, inject, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { oddTexts } from "../support/random/odd-texts.ts";
import { documents, importRuns, runImport } from "../support/servers/import-runs.ts";
import { runCli } from "../support/servers/run-cli.ts";
import { rawCall } from "../support/servers/sdk-client.ts";

const { file, folder, newName } = importRuns("import-values");

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
    const { code, out } = await runImport([path, "--namespace", name]);
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
    const { code, out } = await runImport([path, "--namespace", name]);
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
    const refused = await runImport([path, "--namespace", name]);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringMatching(/"author": has objects .*; or give each member an attribute with --fl/),
    ]);
    const schema = [
      "--schema",
      '{"w":{"type":"{}f16","sparse_knn":{"distance_metric":"dot_product"}}}',
    ];
    expect(await runImport([path, "--namespace", name, "--flatten", ...schema])).toMatchObject({
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
    const { code, err } = await runImport([path, "--namespace", name]);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/wide.jsonl:2: n: float64 does not keep all digits of "1844/),
    ]);
    const rounded = await runImport([
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
    const { code, out } = await runImport([path, "--namespace", name]);
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
      expect(await runImport(words)).toMatchObject({ code: 0 });
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
      const { code, err } = await runImport([path, "--namespace", name, "--restart", ...words]);
      expect([code, err]).toEqual([1, expect.stringContaining("invalid.jsonl:1: ")]);
    }
  });
});
