/** What docs/cli.md shows works as it is shown, in the order in which it is shown. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BUILT_PROGRAM } from "../support/processes/built-program.ts";
import { productEnvironment } from "../support/processes/environment.ts";
import { runTrawl } from "../support/processes/run-trawl.ts";
import { rawCall } from "../support/servers/sdk-client.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const CLI_DOCS = readFileSync(join(ROOT, "docs/cli.md"), "utf8");

let server: ServerProcess;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  directory = await temporaryDirectory();
  server = await startServer({ dataDir: join(directory.path, "data") });
  await rawCall(
    "POST",
    "/v2/namespaces/books",
    {
      upsert_rows: [
        { id: 1, vector: [0.1, 0.9], title: "A walrus at sea", year: 1999 },
        { id: 2, vector: [0.8, 0.2], title: "The quick fox", year: 2011 },
      ],
      distance_metric: "cosine_distance",
      schema: { title: { type: "string", full_text_search: true } },
    },
    { url: server.url },
  );
});

afterAll(async () => {
  await server.stop();
  await directory.remove();
});

/** The blocks of commands, each with the heading above it. */
function shownBlocks(): [heading: string, block: string][] {
  const parts = CLI_DOCS.matchAll(/^## (.*)$|^```sh\n([\s\S]*?)^```$/gm);
  let heading = "";
  const blocks: [string, string][] = [];
  for (const [, title, block] of parts) {
    if (title !== undefined) heading = title;
    else if (/^[^\n]*\btrawl\b/m.test(block)) blocks.push([heading, block]);
  }
  return blocks;
}

/** Runs commands in bash as a user would who has `trawl` in the path. */
async function inShell(commands: string): Promise<{ code: number; out: string; err: string }> {
  const run = '"$NODE" "$MAIN" "$@"';
  const program = `set -e\ntrawl() { ${run}; }\n`;
  const child = spawn("bash", ["-c", `${program}${commands}`], {
    cwd: directory.path,
    env: {
      ...productEnvironment(),
      NODE: process.execPath,
      MAIN: BUILT_PROGRAM,
      TURBOPUFFER_BASE_URL: server.url,
      TURBOPUFFER_API_KEY: "unused",
    },
  });
  let out = "";
  let err = "";
  child.stdout.on("data", (part) => {
    out += part;
  });
  child.stderr.on("data", (part) => {
    err += part;
  });
  const [code] = await once(child, "close");
  return { code: code as number, out, err };
}

test.each(shownBlocks())("%s", async (_heading, block) => {
  for (const command of block.trim().split("\n")) {
    const { code, out, err } = await inShell(command);
    expect([command, code, err]).toEqual([command, 0, ""]);
    if (!command.includes(">") && !command.startsWith("eval")) expect(out).not.toBe("");
    if (command.includes("--json")) expect(() => JSON.parse(out)).not.toThrow();
  }
});

test("what is exported there is what it says", async () => {
  const read = async (name: string) => readFile(join(directory.path, name));
  expect(String(await read("books.jsonl"))).toBe(
    '{"id":1,"title":"A walrus at sea","vector":[0.1,0.9],"year":1999}\n' +
      '{"id":2,"title":"The quick fox","vector":[0.8,0.2],"year":2011}\n',
  );
  expect(String(gunzipSync(await read("books.csv.gz")))).toBe(
    "id,title,year\n1,A walrus at sea,1999\n2,The quick fox,2011\n",
  );
  expect((await stat(join(directory.path, "recent.parquet"))).size).toBeGreaterThan(100);
  expect(String(await read("again.jsonl"))).toContain('"vector":"zczMPWZmZj8="');
  const left = (await readdir(directory.path)).filter((name) => /\.(?:export|partial)$/.test(name));
  expect(left).toEqual([]);
});

describe("every command", () => {
  const docs = readdirSync(join(ROOT, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => readFileSync(join(ROOT, "docs", name), "utf8"))
    .join("\n");

  test("is documented with its options", async () => {
    const { out } = await runTrawl(["--help"]);
    const names = [...out.matchAll(/^ {2}([a-z][a-z-]*) /gm)].map(([, name]) => name);
    expect(names).toEqual(expect.arrayContaining(["serve", "ls", "export", "doctor"]));
    for (const name of names.filter((other) => other !== "help")) {
      expect(docs, name).toContain(`trawl ${name}`);
      const help = await runTrawl([name, "--help"]);
      const options = [...help.out.matchAll(/^ {2}(--[a-z-]+)/gm)].map(([, option]) => option);
      for (const option of options) {
        if (option !== "--help") expect(docs, `${name} ${option}`).toContain(option);
      }
    }
  });
});

describe("as a process", () => {
  test("a server that is not there is named, with what to do", async () => {
    const environment = { TURBOPUFFER_BASE_URL: "http://127.0.0.1:1" };
    const { code, out, err } = await runTrawl(["ls", "--json"], { environment });
    expect([code, err]).toEqual([
      1,
      "trawl ls: cannot reach http://127.0.0.1:1: nothing listens there; start a server with " +
        "`npm start`, or name another one with --url or TURBOPUFFER_BASE_URL\n",
    ]);
    expect(JSON.parse(out).error).toContain("cannot reach http://127.0.0.1:1");
  });

  test("wrong usage ends with code 2, of any command", async () => {
    for (const words of [["stats"], ["lss"], ["serve", "--prt", "1"], ["export"], []]) {
      const { code, out, err } = await runTrawl(words);
      expect([words, code, out]).toEqual([words, 2, ""]);
      expect(err).not.toBe("");
    }
    expect((await runTrawl(["--help"])).code).toBe(0);
    expect((await runTrawl(["ls", "--help"])).code).toBe(0);
  });

  test("Ctrl-C ends a command with code 130", async () => {
    const silent = createServer(() => child?.kill("SIGINT"));
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    let child: ReturnType<typeof spawn> | undefined;
    const { code, err } = await runTrawl(["stats", "books", "--url", url], {
      onStart: (started) => {
        child = started;
      },
    });
    expect([code, err]).toEqual([130, "trawl stats: interrupted\n"]);
    silent.closeAllConnections();
    silent.close();
  });

  test("a reader that has enough ends a command in silence", async () => {
    const { code, err } = await inShell("trawl ls | head -1 > /dev/null");
    expect([code, err]).toEqual([0, ""]);
  });

  test("a client loads nothing of the server", async () => {
    const loaded = await loadedFiles(["ls", "--url", server.url]);
    expect(loaded).toContain("client/api-client.ts");
    for (const folder of ["http", "threads", "api", "storage", "query", "commit", "wire"]) {
      expect(loaded.filter((file) => file.startsWith(`${folder}/`))).toEqual([]);
    }
  });
});

/** The files of src in the chunks that a command loads. */
async function loadedFiles(words: readonly string[]): Promise<string[]> {
  const hook = `import { registerHooks } from "node:module";
registerHooks({ load(url, context, next) { console.error(url); return next(url, context); } });`;
  const url = `data:text/javascript;base64,${Buffer.from(hook).toString("base64")}`;
  const environment = { NODE_OPTIONS: `--import=${url}` };
  const run = await runTrawl(words, { environment });
  expect(run.code).toBe(0);
  const chunks = [...run.err.matchAll(/^file:\S+\/dist\/\S+$/gm)];
  const code = chunks.map(([chunk]) => readFileSync(new URL(chunk), "utf8")).join("\n");
  return [...code.matchAll(/^\/\/ src\/(\S+\.ts)$/gm)].map(([, file]) => file);
}
