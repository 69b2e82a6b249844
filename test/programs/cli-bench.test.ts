/** `trawl bench`, over the server that end-to-end tests share, with a clock that a test owns. */

import { beforeAll, describe, expect, inject, test } from "vitest";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { runCli } from "../support/servers/run-cli.ts";
import { nameOf, rawCall, testNamespaces } from "../support/servers/sdk-client.ts";

const namespace = testNamespaces("cli-bench");
const BOOKS = nameOf(namespace("books"));

/** Time goes by with each look at it, so that a measurement has an end on every machine. */
class LookedAtClock extends InstantClock {
  #looks = 0;

  override monotonicMs(): number {
    return super.monotonicMs() + this.#looks++;
  }
}

function run(...words: string[]) {
  const url = ["--url", inject("serverUrl")];
  return runCli(["bench", ...words, ...url], { clock: new LookedAtClock() });
}

beforeAll(async () => {
  const upsert_rows = Array.from({ length: 60 }, (_, id) => ({
    id,
    vector: [id, 60 - id],
    title: `title of book ${id}`,
  }));
  const schema = { title: { type: "string", full_text_search: true } };
  const body = { upsert_rows, schema, distance_metric: "euclidean_squared" };
  await rawCall("POST", `/v2/namespaces/${BOOKS}`, body);
});

describe("trawl bench", () => {
  test("measures what the schema allows with each number of clients, and recall", async () => {
    const words = [BOOKS, "--duration", "600ms", "--clients", "1,3", "--top-k", "5"];
    const { code, out } = await run(...words);
    expect(code).toBe(0);
    expect(out).toMatch(/^QUERIES +CLIENTS +QUERIES\/S +P50 +P95 +P99 +MAX +REFUSED\n/);
    for (const kind of ["ANN on vector", "BM25 on title", "by id"]) {
      for (const clients of [1, 3]) {
        expect(out).toMatch(new RegExp(`^${kind} +${clients} +[\\d.,]+ +\\d.*ms +0$`, "m"));
      }
    }
    expect(out).toMatch(
      /\n60 documents, 5 of them for each query; .*\nrecall@10 of ANN: 1.0000\n$/,
    );
  });

  test("measures a query of the user's own", async () => {
    const query = '{"top_k":1,"include_attributes":true}';
    const { json } = await run(
      BOOKS,
      "--query",
      query,
      "--clients",
      "2",
      "--duration",
      "99ms",
      "--json",
    );
    expect(json).toMatchObject({ namespace: BOOKS, documents: 60, recall: 1 });
    expect(json.measured).toEqual([
      {
        queries: "--query",
        clients: 2,
        per_second: expect.any(Number),
        count: expect.any(Number),
        p50: expect.any(Number),
        p95: expect.any(Number),
        p99: expect.any(Number),
        max: expect.any(Number),
        refused: 0,
      },
    ]);
    const [{ count, p50, p95, p99, max }] = json.measured;
    expect(count).toBeGreaterThan(0);
    expect([p50, p95, p99, max].toSorted((a, b) => a - b)).toEqual([p50, p95, p99, max]);
  });

  test("works without vectors and texts", async () => {
    const plain = nameOf(namespace("plain"));
    await rawCall("POST", `/v2/namespaces/${plain}`, { upsert_rows: [{ id: "a", n: 1 }] });
    const { json } = await run(plain, "--clients", "1", "--duration", "50ms", "--json");
    expect(json.measured.map(({ queries }: { queries: string }) => queries)).toEqual(["by id"]);
    expect(json).not.toHaveProperty("recall");
  });

  test("ends with the server's words where a query is refused", async () => {
    const { code, err } = await run(BOOKS, "--query", '{"top_k":-1}');
    expect([code, err]).toEqual([1, expect.stringContaining("top_k")]);
  });

  test.each([
    [["--clients", "0"], "--clients: 0 is not a whole number from 1 to 64"],
    [["--clients", "1,,2"], "--clients:  is not a whole number"],
    [["--duration", "1h"], "--duration: 1h is not a number with a unit"],
    [["--query", "{"], "--query is no JSON"],
  ])("%j is refused with code 2", async (words, said) => {
    const { code, err } = await run(BOOKS, ...words);
    expect(err).toContain(said);
    expect(code).toBe(2);
  });
});
