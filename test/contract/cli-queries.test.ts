/** Commands that ask for documents, over the server that end-to-end tests share. */

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, inject, test } from "vitest";
import { type CliOptions, runCli } from "../support/servers/run-cli.ts";
import { nameOf, rawCall, testNamespaces } from "../support/servers/sdk-client.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const namespace = testNamespaces("cli-queries");
const BOOKS = nameOf(namespace("books"));

function run(words: readonly string[], options: CliOptions = {}) {
  return runCli([...words, "--url", inject("serverUrl")], options);
}

beforeAll(async () => {
  const rows = [
    { id: 1, vector: [0.1, 0.9], title: "A walrus at sea", year: 1999, tags: ["sea", "ice"] },
    { id: 2, vector: [0.8, 0.2], title: "The quick fox\u001b[2J", year: 2011 },
  ];
  await rawCall("POST", `/v2/namespaces/${BOOKS}`, {
    upsert_rows: rows,
    distance_metric: "cosine_distance",
    schema: { title: { type: "string", full_text_search: true } },
  });
});

describe("trawl query", () => {
  test("shows documents by id where nothing ranks them", async () => {
    const { code, out } = await run(["query", BOOKS]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^id +title +vector +year +tags\n 1 +A walrus at sea +\[0.1,0.9\] +1999 +\["sea","ice"\]\n/,
    );
    expect(out).toMatch(/\n2 documents\n\d+ ms on the server\n$/);
  });

  test("shows control characters of documents as escapes", async () => {
    expect((await run(["query", BOOKS])).out).toContain("The quick fox\\u001b[2J");
  });

  test.each([
    [["--text", "title:walrus sea"], [1]],
    [["--vector", "[0.9,0.1]", "--top-k", "1"], [2]],
    [
      ["--vector", "[0.9,0.1]", "--vector-attribute", "vector"],
      [2, 1],
    ],
    [
      ["--order", "year:desc"],
      [2, 1],
    ],
    [["--filter", '["year","Lt",2000]'], [1]],
  ])("%j finds %j", async (options, ids) => {
    const { json } = await run(["query", BOOKS, ...options, "--json"]);
    expect(json.rows.map(({ id }: { id: number }) => id)).toEqual(ids);
    expect(json.rows[0]).toHaveProperty("title");
  });

  test("--include picks attributes", async () => {
    const { json } = await run(["query", BOOKS, "--include", "year, title", "--json"]);
    expect(json.rows[0]).toEqual({ id: 1, title: "A walrus at sea", year: 1999 });
  });

  test("takes a body as argument, as a file, and from standard input", async () => {
    const body = '{"top_k":1,"rank_by":["year","desc"]}';
    const directory = await temporaryDirectory();
    const file = join(directory.path, "body.json");
    await writeFile(file, body);
    for (const argument of [body, `@${file}`, "-"]) {
      const { json } = await run(["query", BOOKS, argument, "--json"], { input: body });
      expect(json.rows).toEqual([{ id: 2 }]);
    }
    await directory.remove();
  });

  test("shows integers of 64 bits exactly, and gives them as they are", async () => {
    const large = nameOf(namespace("large"));
    const body = '{"upsert_rows":[{"id":18446744073709551615,"n":-9223372036854775808}]}';
    await rawCall("POST", `/v2/namespaces/${large}`, body);
    const { out } = await run(["query", large]);
    expect(out).toMatch(/^18446744073709551615 +-9223372036854775808$/m);
    const asJson = await run(["query", large, "--json"]);
    expect(asJson.out).toContain('"id":18446744073709551615,"n":-9223372036854775808');
  });

  test("shows aggregates, groups and several results", async () => {
    const queries = [
      { top_k: 1 },
      { aggregate_by: { n: ["Count"] } },
      { aggregate_by: { n: ["Count"] }, group_by: ["year"] },
    ];
    const { out } = await run(["query", BOOKS, JSON.stringify({ queries })]);
    expect(out).toMatch(/^result 1\nid\n 1\n1 document\n\nresult 2\nn\n2\n\nresult 3\nyear +n\n/);
    expect(out).toMatch(/2 groups\n\d+ ms/);
  });

  test.each([
    [["--text", "walrus"], "--text: walrus is not attribute:words"],
    [["--order", "year:up"], "--order: up is neither asc nor desc"],
    [["--text", "a:b", "--order", "a:asc"], "each rank the documents: give one"],
    [["--vector", "[1,"], "--vector is no JSON"],
    [["--vector", "@/nowhere/at/all"], "--vector: cannot read /nowhere/at/all"],
    [["--vector-attribute", "v"], "--vector-attribute needs --vector"],
    [["--top-k", "0"], "--top-k: 0 is not a whole number from 1 to 10,000"],
    [["{}", "--top-k", "5"], "give either the request's body or options"],
    [["{top_k:1}"], "the body is no JSON"],
  ])("%j is refused with code 2", async (words, said) => {
    const { code, err } = await run(["query", BOOKS, ...words]);
    expect(err).toContain(said);
    expect(code).toBe(2);
  });

  test("a query that the server refuses fails with its words", async () => {
    const { code, err } = await run(["query", BOOKS, "--order", "pages:asc"]);
    expect([code, err]).toEqual([1, expect.stringMatching(/^trawl query: .*pages/)]);
  });
});

describe("trawl explain", () => {
  test("shows a plan, and with --timings what it cost", async () => {
    const plan = await run(["explain", BOOKS, "--text", "title:walrus"]);
    expect(plan.out).toMatch(/BM25 on title/);
    expect(plan.out).not.toMatch(/Work:|Time:/);
    const timed = await run(["explain", BOOKS, "--text", "title:walrus", "--timings"]);
    const [phases, steps] = timed.out.trimEnd().split("\n").slice(-2);
    expect(timed.out).toMatch(/Work: [\s\S]*\nTime: \d+ ms to run, \d+ ms in all, \w+\nPhases: /);
    expect(phases).toMatch(/\b(plan|search) \d+\.\d\d ms\b/);
    expect(steps).toMatch(/^Steps: .+ \d+\.\d\d ms$/);
    const body = await run(["explain", BOOKS, ' { "top_k": 1}', "--timings", "--json"]);
    expect(body.json).toHaveProperty("analysis.performance");
    const empty = await run(["explain", BOOKS, "{ }", "--timings"]);
    expect([empty.code, empty.err]).toEqual([1, expect.not.stringContaining("JSON")]);
  });
});

describe("trawl recall", () => {
  test("measures with stored vectors", async () => {
    const { code, out } = await run(["recall", BOOKS, "--num", "2", "--top-k", "1"]);
    expect([code, out]).toEqual([
      0,
      "recall@1                 1.0000\nfound by exact searches  1\nfound by ANN searches    1\n",
    ]);
    const options = ["--filter", '["year","Lt",2000]', "--json"];
    expect((await run(["recall", BOOKS, ...options])).json).toEqual({
      avg_recall: 1,
      avg_exhaustive_count: 1,
      avg_ann_count: 1,
    });
  });
});

describe("trawl schema", () => {
  test("shows attributes, types and indexes", async () => {
    const { out } = await run(["schema", BOOKS]);
    expect(out).toMatch(/^ATTRIBUTE +TYPE +INDEXES\nid +uint\n/);
    expect(out).toMatch(/^title +string +full_text_search \(english, word_v3\)$/m);
    expect(out).toMatch(/^vector +\[2\]f32 +ann \(cosine_distance\)$/m);
    expect(out).toMatch(/^year +int +filterable$/m);
    expect((await run(["schema", BOOKS, "--json"])).json.year).toEqual({
      type: "int",
      filterable: true,
    });
  });
});

describe("trawl copy, branch and delete", () => {
  test("make a namespace of another, and take it away", async () => {
    for (const verb of ["copy", "branch"]) {
      const to = nameOf(namespace(verb));
      expect((await run([verb, BOOKS, to, "--json"])).json).toMatchObject({ from: BOOKS, to });
      expect((await run(["query", to, "--json"])).json.rows).toHaveLength(2);
      const again = await run([verb, BOOKS, to]);
      expect([again.code, again.err]).toEqual([
        1,
        expect.stringContaining("has documents already"),
      ]);
      const deleted = await run(["delete", to, "--yes"]);
      expect(deleted.out).toMatch(new RegExp(`^deleted ${to} with 2 documents \\(\\d+ B\\)\n$`));
      expect((await run(["delete", to, "--yes"])).code).toBe(1);
    }
  });

  test("a copy of what is not there fails with the server's words", async () => {
    const { code, err } = await run(["copy", "cli-queries-nowhere", nameOf(namespace("none"))]);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining("'cli-queries-nowhere' was not found"),
    ]);
  });

  test("a deletion asks for the name, and deletes nothing for another one", async () => {
    const to = nameOf(namespace("asked"));
    await run(["branch", BOOKS, to]);
    const wrong = await run(["delete", to], { inIsTerminal: true, input: "yes\n" });
    expect([wrong.code, wrong.err]).toEqual([
      1,
      expect.stringMatching(/this deletes .* with 2 documents .*\nType .* to go on: .*nothing was/),
    ]);
    expect((await run(["delete", to])).code).toBe(2);
    expect((await run(["stats", to])).code).toBe(0);
    expect((await run(["delete", to], { inIsTerminal: true, input: `${to}\n` })).code).toBe(0);
    expect((await run(["stats", to])).code).toBe(1);
  });
});
