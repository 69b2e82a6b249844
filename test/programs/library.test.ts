/** The library: what it answers beside the official client, and how it opens and closes. */

import { execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import Turbopuffer from "@turbopuffer/turbopuffer";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { libraryOptionNames } from "../../src/library/library-settings.ts";
import { openDatabase } from "../../src/library/open-database.ts";
import {
  type CallOptions,
  type Filter,
  type Namespace,
  openTrawl,
  type Trawl,
  TrawlError,
  type TrawlOptions,
  type WriteParameters,
} from "../../src/library/open-trawl.ts";
import { productEnvironment } from "../support/processes/environment.ts";
import { OFFLINE_MODELS, replaceConfig } from "../support/servers/replaced-config.ts";
import { sdkClient, untyped } from "../support/servers/sdk-client.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

type SdkNamespace = ReturnType<Turbopuffer["namespace"]>;
/** What both can do; the client's types are narrower. */
type AnyNamespace = Pick<Namespace, Exclude<keyof Namespace, "id">>;

const SMALL: TrawlOptions = {
  memoryLimit: "512MiB",
  queryThreads: 1,
  logLevel: "error",
};

const BOOKS: WriteParameters = {
  upsert_rows: [
    { id: 1, vector: [0.1, 0.9], title: "A walrus at sea", year: 1999, tags: ["sea"] },
    { id: 2, vector: [0.8, 0.2], title: "The quick fox", year: 2011, tags: ["land", "quick"] },
    { id: 3, vector: [0.5, 0.5], title: "Sea and land", year: 2020 },
  ],
  distance_metric: "cosine_distance",
  schema: { title: { type: "string", full_text_search: true } },
};

/** Calls in their order, each on what those before have left. */
const CALLS: Readonly<Record<string, (books: AnyNamespace, name: string) => Promise<unknown>>> = {
  "exists before the first write": (books) => books.exists(),
  "write of rows": (books) => books.write(BOOKS),
  "exists after it": (books) => books.exists(),
  "write of columns, patches and deletes with conditions": (books) =>
    books.write({
      upsert_columns: { id: [4, 5], vector: ["AAAAPwAAAD8=", [0, 1]], title: ["Four", "Five"] },
      patch_rows: [{ id: 2, year: 2012 }],
      deletes: [3],
      delete_condition: ["year", "Gt", 2000],
      return_affected_ids: true,
    }),
  ANN: (books) =>
    books.query({
      rank_by: ["vector", "ANN", [0.1, 0.8]],
      top_k: 3,
      include_attributes: true,
      consistency: { level: "strong" },
    }),
  "BM25 with a filter": (books) =>
    books.query({
      rank_by: ["title", "BM25", "walrus fox"],
      filters: ["year", "Lt", 2005],
      limit: { total: 2 },
      include_attributes: ["title", "tags"],
    }),
  aggregates: (books) =>
    books.query({ aggregate_by: { n: ["Count"] }, group_by: ["year"], top_k: 10 }),
  "several queries": (books) =>
    books.multiQuery({
      queries: [
        { rank_by: ["vector", "ANN", [1, 0]], limit: 2 },
        { rank_by: ["title", "BM25", "sea"], limit: 2 },
      ],
    }),
  "an explained query": (books) =>
    books.explainQuery({ rank_by: ["id", "asc"], filters: ["year", "Gt", 1], limit: 1 }),
  schema: (books) => books.schema(),
  "a changed schema": (books) =>
    books.updateSchema({ schema: { year: { type: "uint", filterable: true } } }),
  metadata: (books) => books.metadata(),
  "a warm cache": (books) => books.hintCacheWarm(),
  recall: (books) => books.recall({ num: 2, top_k: 2 }),
  "a copy onto itself": (books, name) => books.copyFrom({ source_namespace: name }),
  "an unknown attribute": (books) => books.query({ filters: ["nope", "Eq", 1], limit: 1 }),
  "a wrong shape": (books) => books.write(untyped({ upsert_rows: {} })),
  "a value of another type": (books) => books.write({ upsert_rows: [{ id: 1, year: "no" }] }),
  "nothing to write": (books) => books.write({}),
  "too many results": (books) => books.query({ rank_by: ["id", "asc"], limit: 1_000_000 }),
  deletion: (books) => books.deleteAll(),
  "a query of what is not there": (books) => books.query({ rank_by: ["id", "asc"], limit: 1 }),
};

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let trawl: Trawl;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const options = { ...SMALL, dataDir: join(directory.path, "shared") };
  trawl = await openDatabase(options, (config) => replaceConfig(config, OFFLINE_MODELS));
});

afterAll(async () => {
  await trawl.close();
  await directory.remove();
});

/** An answer without what differs from run to run, or what the error says. */
async function outcome(call: Promise<unknown>): Promise<unknown> {
  try {
    return withoutTimes(await call);
  } catch (error) {
    if (!(error instanceof TrawlError) && !(error instanceof Turbopuffer.APIError)) throw error;
    return { status: error.status, error: error.error };
  }
}

function withoutTimes(answer: unknown): unknown {
  if (typeof answer !== "object" || answer === null) return answer;
  const times = ["performance", "created_at", "updated_at", "last_write_at"];
  return Object.fromEntries(Object.entries(answer).filter(([name]) => !times.includes(name)));
}

test("calls answer as the official client's do, mistakes included", async () => {
  const name = "library-and-client";
  const client = sdkClient({ baseURL: inject("contractUrl") });
  const theirs = untyped<AnyNamespace>(client.namespace(name) satisfies SdkNamespace);
  const ours = trawl.namespace(name);
  for (const [what, call] of Object.entries(CALLS)) {
    const expected = await outcome(call(theirs, name));
    expect({ what, answer: await outcome(call(ours, name)) }).toEqual({ what, answer: expected });
  }
});

test("namespaces are listed by pages, by their prefix", async () => {
  const names = ["list-a", "list-b", "list-c"];
  for (const name of names) await trawl.namespace(name).write({ upsert_rows: [{ id: 1 }] });
  const asked = { prefix: "list-", page_size: 2 };
  const page = await trawl.namespaces(asked);
  expect(page.namespaces.map(({ id }) => id)).toEqual(names.slice(0, 2));
  expect(page.hasNextPage()).toBe(true);
  const last = await page.getNextPage();
  expect(last.namespaces.map(({ id }) => id)).toEqual(names.slice(2));
  expect(last.hasNextPage()).toBe(false);
  await expect(last.getNextPage()).rejects.toMatchObject({ status: 400 });
  const all: string[] = [];
  for await (const { id } of trawl.namespaces(asked)) all.push(id);
  expect(all).toEqual(names);
});

describe("calls are refused", () => {
  test("for names that no namespace can have", async () => {
    const call = trawl.namespace("a/b").schema();
    await expect(call).rejects.toMatchObject({
      name: "TrawlError",
      status: 400,
      message: "Namespace contains invalid characters, must be [A-Za-z0-9-_.]",
    });
  });

  test("for parameters that are no JSON", async () => {
    const call = trawl.namespace("big").write({ upsert_rows: [{ id: 1, n: 10n }] });
    await expect(call).rejects.toThrow("cannot be written as JSON");
  });

  test("for parameters that are larger than a body may be", async () => {
    const filters: Filter = ["a", "Eq", "x".repeat(64 * 1024 * 1024)];
    const call = trawl.namespace("big").query({ filters, limit: 1 });
    await expect(call).rejects.toMatchObject({ status: 413 });
  });

  test("where the parameters of others leave no room", async () => {
    const options = { ...SMALL, dataDir: join(directory.path, "room"), bodyMemory: "1MiB" };
    const narrow = await openTrawl(options);
    const rows = [{ id: 1, text: "x".repeat(300_000) }];
    const schema = { text: { type: "string", filterable: false } };
    const write = () => narrow.namespace("a").write({ upsert_rows: rows, schema });
    const [first, second] = await Promise.allSettled([write(), write()]);
    expect(first.status).toBe("fulfilled");
    expect(second).toMatchObject({ reason: { status: 429, retryAfterMs: expect.any(Number) } });
    const large = [{ id: 1, text: "x".repeat(600_000) }];
    const call = narrow.namespace("a").write({ upsert_rows: large });
    await expect(call).rejects.toThrow(/raise the setting bodyMemory/);
    await narrow.close();
  });

  test("with the signal's reason, where it was aborted", async () => {
    const reason = new Error("no longer wanted");
    const options: CallOptions = { signal: AbortSignal.abort(reason) };
    await expect(trawl.namespace("gone").schema(null, options)).rejects.toBe(reason);
  });

  test("for unknown fields, where strictness is asked for", async () => {
    const options = { ...SMALL, dataDir: join(directory.path, "strict"), strict: true };
    const strict = await openTrawl(options);
    const parameters = untyped<WriteParameters>({ upsert_row: [{ id: 1 }] });
    const call = strict.namespace("a").write(parameters);
    await expect(call).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("upsert_row"),
    });
    await strict.close();
  });
});

describe("options are refused", () => {
  test.each<[object, string]>([
    [{ datadir: "x" }, "unknown option datadir; the nearest one is dataDir"],
    [{ port: 1 }, "option port has no use here: a library listens nowhere"],
    [{ memoryLimit: "1" }, "option memoryLimit: "],
    [{ dataDir: "x", objectStore: "s3://bucket" }, "dataDir and objectStore are both set"],
    [{ embeddingUrl: "http://x" }, "embeddingUrl is set, but embedder is none"],
  ])("%j", async (options, message) => {
    const opened = openTrawl(untyped<TrawlOptions>(options));
    await expect(opened).rejects.toMatchObject({ name: "TrawlError", status: 400 });
    await expect(opened).rejects.toThrow(message);
  });
});

describe("a directory", () => {
  test("is its owner's alone, is open once at a time, and again after a close", async () => {
    const dataDir = join(directory.path, "once");
    const first = await openTrawl({ ...SMALL, dataDir });
    expect((await stat(dataDir)).mode & 0o777).toBe(0o700);
    await first.namespace("kept").write(BOOKS);
    const second = openTrawl({ ...SMALL, dataDir });
    await expect(second).rejects.toMatchObject({ name: "TrawlError", status: 409 });
    await expect(second).rejects.toThrow(/choose another directory with dataDir/);
    await Promise.all([first.close(), first.close()]);
    await expect(first.namespace("kept").schema()).rejects.toMatchObject({ status: 503 });
    const again = await openTrawl({ ...SMALL, dataDir });
    const { rows } = await again.namespace("kept").query({ rank_by: ["id", "asc"], limit: 10 });
    expect(rows?.map(({ id }) => id)).toEqual([1, 2, 3]);
    await again.close();
  });

  test("is closed after all calls in progress have settled", async () => {
    const dataDir = join(directory.path, "unawaited");
    const first = await openTrawl({ ...SMALL, dataDir });
    await first.namespace("kept").write(BOOKS);
    const kept = first.namespace("kept");
    const calls = [
      kept.query({ rank_by: ["id", "asc"], limit: 10 }),
      kept.multiQuery({ queries: [{ rank_by: ["id", "asc"], limit: 1 }] }),
      first.namespace("new").query({ rank_by: ["id", "asc"], limit: 1 }),
      kept.write({ upsert_rows: [{ id: 4, vector: [1, 0] }] }),
      kept.metadata(),
      kept.recall({ num: 1 }),
      first.namespaces().then(({ namespaces }) => namespaces),
    ];
    const closed = first.close();
    const settled = await Promise.allSettled(calls);
    const kinds = settled.map(({ status }) => status);
    expect(kinds).toEqual(kinds.map((_, i) => (i === 2 ? "rejected" : "fulfilled")));
    expect(settled[2]).toMatchObject({ reason: { name: "TrawlError", status: 404 } });
    await closed;
  });
});

describe("the end of a scope of `await using`", () => {
  const find = (opened: Trawl) =>
    opened.namespace("kept").query({ rank_by: ["id", "asc"], limit: 10 });

  test("closes it after the calls that nobody waited for, and releases the directory", async () => {
    const options = { ...SMALL, dataDir: join(directory.path, "scope") };
    let write: Promise<unknown>;
    let opened: Trawl;
    {
      await using scoped = await openTrawl(options);
      opened = scoped;
      write = scoped.namespace("kept").write(BOOKS);
    }
    await expect(write).resolves.toMatchObject({ rows_affected: 3 });
    await expect(find(opened)).rejects.toMatchObject({ name: "TrawlError", status: 503 });
    await using again = await openTrawl(options);
    expect((await find(again)).rows).toHaveLength(3);
  });

  test("closes it where the scope throws, and passes the error on", async () => {
    const options = { ...SMALL, dataDir: join(directory.path, "thrown") };
    const reason = new Error("thrown in the scope");
    let opened: Trawl | undefined;
    const scope = async () => {
      await using scoped = await openTrawl(options);
      opened = scoped;
      throw reason;
    };
    await expect(scope()).rejects.toBe(reason);
    await expect(opened?.namespace("kept").schema()).rejects.toMatchObject({ status: 503 });
    await (await openTrawl(options)).close();
  });

  test("is the same as `close`, also where both are called", async () => {
    const options = { ...SMALL, dataDir: join(directory.path, "both") };
    const opened = await openTrawl(options);
    await Promise.all([opened.close(), opened[Symbol.asyncDispose](), opened.close()]);
    await expect(opened[Symbol.asyncDispose]()).resolves.toBeUndefined();
    await (await openTrawl(options)).close();
  });
});

test("every option of the types is read, and every setting is an option or refused", () => {
  const source = readFileSync("src/library/trawl-options.ts", "utf8");
  const typed = [...source.matchAll(/^ {2}readonly (\w+)\?:/gm)].map(([, name]) => name);
  expect(typed.sort()).toEqual([...libraryOptionNames(), "onCrash"].sort());
});

test("the example of docs/library.md finds what it wrote", async () => {
  const page = readFileSync("docs/library.md", "utf8");
  const [, example] = /```ts\n([\s\S]*?)```/.exec(page) ?? [];
  // Inside the project, which is the package that it imports.
  mkdirSync("build", { recursive: true });
  const folder = mkdtempSync(join("build", "library-"));
  try {
    writeFileSync(join(folder, "example.ts"), example);
    const env = productEnvironment();
    const { stdout } = await promisify(execFile)(process.execPath, ["example.ts"], {
      cwd: folder,
      env,
    });
    expect(stdout).toMatch(/id: 1[\s\S]*id: 1/);
    expect(stdout).toContain("404 🤷");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test.each(["query-thread", "write-thread"])(
  "a crash of the %s is told, and ends what waits for it, but not the process",
  async (thread) => {
    const script = "test/support/processes/crash-library.ts";
    const child = spawn(process.execPath, [script, join(directory.path, thread), thread], {
      env: productEnvironment(),
      stdio: ["ignore", "pipe", "inherit"],
    });
    let printed = "";
    child.stdout.on("data", (chunk) => {
      printed += String(chunk);
    });
    const code = await new Promise((resolve) => child.once("close", resolve));
    const refused = [500, expect.stringMatching(/^a thread of Trawl has crashed: .*null/)];
    expect(JSON.parse(printed)).toEqual({
      before: 1,
      told: [expect.stringContaining("null")],
      pending: refused,
      later: refused,
      closed: true,
    });
    expect(code).toBe(0);
  },
);
