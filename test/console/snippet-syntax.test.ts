import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { curlSnippet } from "../../console/query/curl-snippet.ts";
import { goSnippet } from "../../console/query/go-snippet.ts";
import { parseJsonText } from "../../console/query/json-source.ts";
import type { JsonMembers } from "../../console/query/json-value.ts";
import { printJson } from "../../console/query/print-literal.ts";
import { pythonSnippet } from "../../console/query/python-snippet.ts";
import { typescriptSnippet } from "../../console/query/typescript-snippet.ts";

const PLACE = { baseUrl: "http://127.0.0.1:8484", namespace: "books" };
const VECTOR = Array.from({ length: 300 }, (_, i) => i / 7);
/** What each kind of request, and strings that need care, look like. */
const BODIES: readonly JsonMembers[] = [
  { rank_by: ["title", "BM25", 'it\'s `a` "walrus" \\ $x $HOME\n'], top_k: 10 },
  { rank_by: ["vector", "ANN", VECTOR], top_k: 3, include_attributes: true },
  { filters: ["id", "Eq", 18446744073709551615n], top_k: 1, offset: 2 },
  {
    queries: [
      { rank_by: ["title", "BM25", "a"], filters: ["read", "Eq", null], top_k: 5 },
      { rank_by: ["vector", "ANN", [0.5, 1e-7]], filters: ["read", "Eq", false], top_k: 5 },
    ],
    rerank_by: ["RRF", { weights: [2, 1] }],
    limit: 10,
  },
  { aggregate_by: { "odd name": ["Count"] }, group_by: ["year"], top_k: 9 },
  { top_k: 1, unheard_of: { a: true } },
  {
    limit: { total: 9, per: { attributes: ["year"], limit: 1 } },
    rerank_by: { model: "words", attribute: "title", query: "a" },
  },
];

test("printed JSON is the request, in lines of at most 88 columns", () => {
  for (const body of BODIES) {
    const text = printJson(body);
    expect(parseJsonText(text)).toEqual(body);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(88);
  }
});

test.each(BODIES)("no snippet has a key, and each names its namespace", (body) => {
  for (const snippet of [curlSnippet, typescriptSnippet, pythonSnippet, goSnippet]) {
    const text = snippet(body, PLACE);
    expect(text).toContain("TURBOPUFFER_API_KEY");
    expect(text).toContain("books");
  }
});

test("calls and members follow the client's types", () => {
  expect(typescriptSnippet(BODIES[0], PLACE)).not.toContain(" as Parameters");
  expect(typescriptSnippet(BODIES[2], PLACE)).toContain('exact("18446744073709551615")');
  expect(typescriptSnippet(BODIES[3], PLACE)).toContain("await namespace.multiQuery({");
  expect(typescriptSnippet(BODIES[4], PLACE)).toContain("answer.aggregation_groups");
  expect(typescriptSnippet(BODIES[6], PLACE)).toContain(" as Parameters<typeof namespace.query>");
  expect(pythonSnippet(BODIES[5], PLACE)).toContain('extra_body={"unheard_of": {"a": True}}');
  expect(pythonSnippet(BODIES[3], PLACE)).toContain('["read", "Eq", None]');
});

/** The output of a program that reads `text` in a file; undefined, with a message, without it. */
function checked(program: string, args: readonly string[], file: string, text: string) {
  const directory = mkdtempSync(join(tmpdir(), "trawl-snippet-"));
  try {
    writeFileSync(join(directory, file), text);
    return execFileSync(program, [...args, file], { cwd: directory, encoding: "utf8" });
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function has(program: string, ...args: string[]): boolean {
  try {
    execFileSync(program, args, { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

const PYTHON = has("python3", "--version");
test.skipIf(!PYTHON)(`Python compiles its snippets${PYTHON ? "" : ": there is no python3"}`, () => {
  const text = BODIES.map((body) => pythonSnippet(body, PLACE)).join("\n");
  checked("python3", ["-m", "py_compile"], "snippets.py", text);
});

const GO = has("gofmt", "-h");
test.skipIf(!GO)(`gofmt leaves Go's snippets as they are${GO ? "" : ": there is no gofmt"}`, () => {
  for (const body of BODIES) {
    expect(checked("gofmt", ["-l"], "snippet.go", goSnippet(body, PLACE))).toBe("");
  }
});

test("Python reads the values that the request has", { skip: !PYTHON }, () => {
  for (const body of BODIES) {
    const text = pythonSnippet(body, PLACE);
    const call = text.slice(text.indexOf("answer = "), text.indexOf("print(answer"));
    const program = [
      "import json",
      "class namespace:",
      "    query = staticmethod(lambda extra_body={}, **all: {**all, **extra_body})",
      "    multi_query = query",
      `${call}print(json.dumps(answer))`,
    ].join("\n");
    expect(parseJsonText(checked("python3", [], "run.py", program))).toEqual(body);
  }
});
