/** Commands about namespaces, over the server that end-to-end tests share. */

import { describe, expect, inject, test } from "vitest";
import { runCli } from "../support/servers/run-cli.ts";
import { nameOf, testNamespaces } from "../support/servers/sdk-client.ts";

const namespace = testNamespaces("cli");

function run(...words: string[]) {
  return runCli([...words, "--url", inject("serverUrl")]);
}

async function written(kind: string, count: number) {
  const made = namespace(kind);
  const upsert_rows = Array.from({ length: count }, (_, id) => ({ id, title: `book ${id}` }));
  await made.write({ upsert_rows });
  return nameOf(made);
}

describe("trawl ls", () => {
  test("lists names with documents and sizes", async () => {
    const name = await written("listed", 1_234);
    const { code, out } = await run("ls", name);
    expect(code).toBe(0);
    expect(out).toMatch(/^NAMESPACE +DOCUMENTS +SIZE +INDEX +UPDATED\n/);
    expect(out).toMatch(
      new RegExp(`^${name} +1,234 +[\\d.]+ KiB +\\S+ +20\\d\\d-\\d\\d-\\d\\d `, "m"),
    );
    expect(out).toMatch(/1 namespace\n$/);
  });

  test("with --json gives one line", async () => {
    const name = await written("json", 2);
    const { out, json } = await run("ls", name, "--json");
    expect(out.trimEnd().split("\n")).toHaveLength(1);
    expect(json.namespaces).toMatchObject([{ id: name, approx_row_count: 2 }]);
  });

  test("with --names gives names alone", async () => {
    const name = await written("named", 1);
    expect((await run("ls", name, "--names")).out).toBe(`${name}\n`);
  });

  test("says that there are none", async () => {
    const { code, out } = await run("ls", "cli-nothing-begins-so");
    expect([code, out]).toEqual([0, "no namespaces\n"]);
    expect((await run("ls", "cli-nothing-begins-so", "--names")).out).toBe("");
  });
});

describe("trawl stats", () => {
  test("shows one namespace", async () => {
    const name = await written("stats", 3);
    const { code, out } = await run("stats", name);
    expect(code).toBe(0);
    expect(out).toMatch(new RegExp(`^namespace +${name}\ndocuments +3\nsize +\\d+ B\n`));
    expect(out).toMatch(/^attributes +1: title$/m);
    expect((await run("stats", name, "--json")).json).toMatchObject({
      id: name,
      approx_row_count: 3,
      schema: { title: { type: "string" } },
    });
  });

  test("of a namespace that is not there fails with the server's words", async () => {
    const name = await written("near", 1);
    const { code, out, err } = await run("stats", `${name}x`);
    expect([code, out]).toEqual([1, ""]);
    expect(err).toMatch(/^trawl stats: .*'.*x' was not found/);
    const asJson = await run("stats", `${name}x`, "--json");
    expect(asJson.json).toMatchObject({ status: "error", error: expect.stringContaining(name) });
  });
});

describe("a wrong command line ends with code 2 and says what is right", () => {
  test.each([
    [["stats"], "missing required argument 'namespace'"],
    [["stats", "a", "b"], "too many arguments"],
    [["ls", "--jsn"], "unknown option '--jsn'"],
    [["lss"], "Did you mean ls?"],
    [["ls", "--timeout", "5"], "--timeout: 5 is not a number with a unit"],
    [["ls", "--url", "localhost:8484"], "--url: localhost:8484 is of another kind than http"],
    [["ls", "--api-key", "a b"], "the API key has characters that no header may hold"],
  ])("%j", async (words, said) => {
    const { code, err } = await runCli(words);
    expect(err).toContain(said);
    expect(code).toBe(2);
  });
});

describe("the server is", () => {
  test("that of --url, else of the SDKs' variable", async () => {
    const name = await written("which", 1);
    const environment = { TURBOPUFFER_BASE_URL: inject("serverUrl"), TURBOPUFFER_API_KEY: "x" };
    expect((await runCli(["stats", name], { environment })).code).toBe(0);
    const elsewhere = await runCli(["ls", "--url", "http://127.0.0.1:1"], { environment });
    expect([elsewhere.code, elsewhere.err]).toEqual([
      1,
      "trawl ls: cannot reach http://127.0.0.1:1: nothing listens there; start a server with " +
        "`npm start`, or name another one with --url or TURBOPUFFER_BASE_URL\n",
    ]);
  });
});

test("an interrupted command ends with code 130", async () => {
  const interruption = new AbortController();
  interruption.abort(new Error("interrupted"));
  const { signal } = interruption;
  const { code, err } = await runCli(["ls", "--url", inject("serverUrl")], { signal });
  expect([code, err]).toEqual([130, "trawl ls: interrupted\n"]);
});

test("an interrupted command says so in JSON, too, whatever failed by it", async () => {
  const signal = AbortSignal.abort(new Error("interrupted"));
  const { code, json } = await runCli(["verify", "/nowhere", "--json"], { signal });
  expect([code, json]).toEqual([130, { status: "error", error: "interrupted" }]);
});
