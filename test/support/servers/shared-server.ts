/**
 * Starts the one server that all end-to-end files share. Files keep apart by the names of their
 * namespaces (`testNamespaces`), and nothing may depend on how many namespaces there are.
 */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { temporaryDirectory } from "../stores/temporary-directory.ts";
import { startServer } from "./server-process.ts";

declare module "vitest" {
  /** What the global set-up tells the test files. */
  interface ProvidedContext {
    serverUrl: string;
  }
}

/**
 * Vitest's global set-up: starts the server, and returns what stops it. The server is strict, so
 * that nothing that the tests and the SDK send is unknown to it.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await temporaryDirectory();
  const keys = join(directory.path, "keys");
  await mkdir(keys);
  await writeFile(join(keys, "mine"), Buffer.alloc(32, 7).toString("base64"));
  const server = await startServer({
    dataDir: join(directory.path, "data"),
    arguments: ["--embedder", "hash", "--encryption-keys", keys, "--strict", "--log-level", "warn"],
  });
  project.provide("serverUrl", server.url);
  return async () => {
    const code = await server.stop();
    await directory.remove();
    if (code !== 0) throw new Error(`the shared server ended with ${code}:\n${server.output()}`);
  };
}
