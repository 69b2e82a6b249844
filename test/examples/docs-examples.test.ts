/** What the pages of docs/ show works as it is shown, in the order in which it is shown. */

import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { curlRequests, type DocExample, readExamples } from "../support/docs/doc-examples.ts";
import { docPages } from "../support/docs/doc-pages.ts";
import { pythonInterpreter } from "../support/docs/python-interpreter.ts";
import { type RecordingProxy, startRecordingProxy } from "../support/docs/recording-proxy.ts";
import { type ProgramLanguage, runPrograms } from "../support/docs/run-programs.ts";
import { hasTool } from "../support/processes/find-tool.ts";
import { OFFLINE_MODELS } from "../support/servers/replaced-config.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SHOWN_URL = "http://127.0.0.1:8484";
/** Pages whose examples need settings or data that others must not have, or have tests of their own. */
const ELSEWHERE = /^(?:adr\/.*|[^/]+)\.md$/;
const EXAMPLES = docPages()
  .filter((page) => page === "quick-start.md" || !ELSEWHERE.test(page))
  .flatMap((page) => readExamples(page, readFileSync(join(ROOT, "docs", page), "utf8")));
const PYTHON = pythonInterpreter();
const HAS_PYTHON = hasTool(PYTHON, ["-c", "import turbopuffer"]);

/** What stands at the top of the page with the documents, and is left out on the others. */
const PRELUDES: Record<ProgramLanguage, string> = {
  ts: `import Turbopuffer from "@turbopuffer/turbopuffer";
const client = new Turbopuffer({ baseURL: "${SHOWN_URL}", apiKey: "unused" });
const books = client.namespace("books");
`,
  python: `from turbopuffer import Turbopuffer
client = Turbopuffer(base_url="${SHOWN_URL}", api_key="unused")
books = client.namespace("books")
`,
};

let server: ServerProcess;
let proxy: RecordingProxy;
let data: Awaited<ReturnType<typeof temporaryDirectory>>;
let folder: string;
const faults = new Map<string, string>();

beforeAll(async () => {
  data = await temporaryDirectory();
  server = await startServer({
    dataDir: data.path,
    arguments: ["--strict", "--log-level", "warn"],
    replaced: OFFLINE_MODELS,
  });
  proxy = await startRecordingProxy(server.url);
  mkdirSync(join(ROOT, "build"), { recursive: true });
  folder = mkdtempSync(join(ROOT, "build", "docs-"));
  await runCurl();
  await runLanguage("ts", process.execPath);
  if (HAS_PYTHON) await runLanguage("python", PYTHON);
});

afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await proxy.close();
  await server.stop();
  await data.remove();
});

/** The name of an example in a language, as the sender of its requests. */
function senderOf(example: DocExample, language: string): string {
  return `${language}${EXAMPLES.indexOf(example)}`;
}

/** Each language begins with an empty server. */
async function deleteNamespaces(): Promise<void> {
  const list = await fetch(`${server.url}/v1/namespaces?page_size=1000`);
  const { namespaces } = (await list.json()) as { namespaces: { id: string }[] };
  for (const { id } of namespaces) {
    await fetch(`${server.url}/v2/namespaces/${id}`, { method: "DELETE" });
  }
}

async function runCurl(): Promise<void> {
  for (const example of EXAMPLES) {
    if (example.sh === undefined) continue;
    const url = proxy.urlOf(senderOf(example, "sh"));
    for (const request of curlRequests(example.sh.replaceAll(SHOWN_URL, url))) {
      const { method, headers, body } = request;
      await fetch(request.url, { method, headers, ...(body !== undefined && { body }) });
    }
  }
}

async function runLanguage(language: ProgramLanguage, interpreter: string): Promise<void> {
  await deleteNamespaces();
  const sources = new Map<string, string>();
  for (const example of EXAMPLES) {
    const block = example[language];
    if (block === undefined) continue;
    const sender = senderOf(example, language);
    const source = block.includes("Turbopuffer(") ? block : PRELUDES[language] + block;
    sources.set(sender, source.replaceAll(SHOWN_URL, proxy.urlOf(sender)));
  }
  const place = { folder: join(folder, language), language, interpreter, sources };
  for (const [name, fault] of await runPrograms(place)) faults.set(name, fault);
}

/** Query bodies of the languages are compared; in writes, Python's client packs vectors. */
function queriesOf(sender: string): unknown[] {
  const queries = proxy.exchangesOf(sender).filter(({ path }) => /\/query\b/.test(path));
  return queries.map(({ path, body }) => [path.replace(/\?.*/, ""), body]);
}

function expectExample(example: DocExample, language: "sh" | ProgramLanguage): void {
  const sender = senderOf(example, language);
  expect(faults.get(sender)).toBeUndefined();
  const exchanges = proxy.exchangesOf(sender);
  expect(exchanges.length).toBeGreaterThan(0);
  const last = exchanges.at(-1);
  const fails = "error" in Object(example.answer);
  for (const { status, answer } of fails ? exchanges.slice(0, -1) : exchanges) {
    expect([status < 300, answer]).toEqual([true, answer]);
  }
  if (example.answer !== undefined) expect(last?.answer).toMatchObject(Object(example.answer));
}

test("there are examples, and each page of queries has them in three languages", () => {
  expect(EXAMPLES.length).toBeGreaterThan(20);
  for (const page of docPages().filter((name) => name.startsWith("queries/"))) {
    const complete = EXAMPLES.filter(
      ({ page: of, sh, ts, python }) => of === page && sh && ts && python,
    );
    expect(complete.length, page).toBeGreaterThan(0);
  }
});

describe.each(EXAMPLES)("$name", (example) => {
  test.runIf(example.sh !== undefined)("with curl", () => expectExample(example, "sh"));

  test.runIf(example.ts !== undefined)("in TypeScript", () => {
    expectExample(example, "ts");
    if (example.sh === undefined) return;
    expect(queriesOf(senderOf(example, "ts"))).toEqual(queriesOf(senderOf(example, "sh")));
  });

  test.runIf(example.python !== undefined && HAS_PYTHON)("in Python", () => {
    expectExample(example, "python");
    const other = example.ts === undefined ? "sh" : "ts";
    expect(queriesOf(senderOf(example, "python"))).toEqual(queriesOf(senderOf(example, other)));
  });
});

test("TypeScript is right by the client's types", async () => {
  const config = join(folder, "ts", "tsconfig.json");
  const compilerOptions = { noUnusedLocals: false, types: ["node"] };
  const settings = { extends: join(ROOT, "tsconfig.json"), compilerOptions, include: ["*.ts"] };
  writeFileSync(config, JSON.stringify(settings));
  const tsc = join(ROOT, "node_modules", "typescript", "bin", "tsc");
  const checked = await promisify(execFile)(process.execPath, [tsc, "-p", config]).catch(
    (error: { stdout: string }) => error,
  );
  expect(checked.stdout).toBe("");
});
