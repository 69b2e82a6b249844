/**
 * Starts the servers that end-to-end files share. Files keep apart by the names of their namespaces
 * (`testNamespaces`, `contractServer`), and nothing may depend on how many namespaces there are.
 */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { temporaryDirectory } from "../stores/temporary-directory.ts";
import { OFFLINE_MODELS } from "./replaced-config.ts";
import { startServer } from "./server-process.ts";

declare module "vitest" {
  /** What the global set-up tells the test files. */
  interface ProvidedContext {
    /** It is strict, so that nothing that the tests and the SDK send is unknown to it. */
    serverUrl: string;
    /** It passes over what it does not know, as servers do by themselves. */
    contractUrl: string;
  }
}

/** Vitest's global set-up: starts the servers, and returns what stops them. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await temporaryDirectory();
  const keys = join(directory.path, "keys");
  await mkdir(keys);
  await writeFile(join(keys, "mine"), Buffer.alloc(32, 7).toString("base64"));
  const started = async (name: string, ...flags: string[]) => {
    const all = ["--encryption-keys", keys, "--log-level", "warn", ...flags];
    const dataDir = join(directory.path, name);
    return startServer({ dataDir, arguments: all, replaced: OFFLINE_MODELS });
  };
  const servers = await Promise.all([
    started("strict", "--strict"),
    started("lenient", "--query-threads", "1"),
  ]);
  project.provide("serverUrl", servers[0].url);
  project.provide("contractUrl", servers[1].url);
  return async () => {
    const codes = await Promise.all(servers.map((server) => server.stop()));
    await directory.remove();
    servers.forEach((server, i) => {
      if (codes[i] !== 0) throw new Error(`a server ended with ${codes[i]}:\n${server.output()}`);
    });
  };
}
