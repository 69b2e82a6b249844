/** Files, runs against the shared server, and its documents, for the tests of `trawl import`. */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, inject } from "vitest";
import { type CliOptions, runCli } from "./run-cli.ts";
import { nameOf, rawCall, testNamespaces } from "./sdk-client.ts";

/** Files and namespaces of one test file, which calls it at its top; `kind` names both. */
export function importRuns(kind: string) {
  const folder = mkdtempSync(join(tmpdir(), `trawl-${kind}-`));
  afterAll(() => rmSync(folder, { recursive: true }));
  const namespace = testNamespaces(kind);
  return {
    folder,
    newName: (name: string): string => nameOf(namespace(name)),
    /** Writes a file, and returns its path. */
    file(name: string, content: string | Uint8Array): string {
      const path = join(folder, name);
      writeFileSync(path, content);
      return path;
    },
  };
}

/** Runs `trawl import` against the shared server. */
export function runImport(words: readonly string[], options: CliOptions = {}) {
  return runCli(["import", ...words, "--url", inject("serverUrl")], options);
}

/** All documents of a namespace by id, as text, so that integers are exact. */
export async function documents(name: string, count = 10_000): Promise<string> {
  const body = { rank_by: ["id", "asc"], top_k: count, include_attributes: true };
  const { text } = await rawCall("POST", `/v2/namespaces/${name}/query`, body);
  return /"rows":(\[.*\]),"billing"/s.exec(text)?.[1] ?? text;
}

/** The type of each attribute of a namespace. */
export async function types(name: string): Promise<Record<string, string>> {
  const { json } = await rawCall("GET", `/v1/namespaces/${name}/schema`);
  const entries = Object.entries<{ type: string }>(json);
  return Object.fromEntries(entries.map(([attribute, { type }]) => [attribute, type]));
}
