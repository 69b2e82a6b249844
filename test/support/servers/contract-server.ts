/** A server for the tables of the wire contract, which are sent as JSON without a client's help. */

import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import { temporaryDirectory } from "../stores/temporary-directory.ts";
import { type RawAnswer, rawCall } from "./sdk-client.ts";
import { type ServerProcess, startServer } from "./server-process.ts";

/** Calls to the server of one test file. */
export interface ContractServer {
  call(method: string, path: string, body?: unknown, headers?: object): Promise<RawAnswer>;
  write(namespace: string, body: unknown): Promise<RawAnswer>;
  query(namespace: string, body: unknown): Promise<RawAnswer>;
  /** All documents of a namespace by id, with all attributes. */
  documents(namespace: string): Promise<unknown>;
  /** A name that no namespace has yet. */
  fresh(): string;
}

/** Starts a server before the tests of the file that calls this, and stops it after them. */
export function contractServer(): ContractServer {
  let server: ServerProcess;
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  let names = 0;

  beforeAll(async () => {
    directory = await temporaryDirectory();
    const keys = join(directory.path, "keys");
    await mkdir(keys);
    await writeFile(join(keys, "mine"), Buffer.alloc(32, 7).toString("base64"));
    const models = ["--embedder", "hash", "--reranker", "words"];
    const flags = ["--query-threads", "1", ...models, "--encryption-keys", keys];
    server = await startServer({
      dataDir: join(directory.path, "data"),
      arguments: [...flags, "--log-level", "warn"],
    });
  });

  afterAll(async () => {
    await server.stop();
    await directory.remove();
  });

  const call: ContractServer["call"] = (method, path, body, headers) =>
    rawCall(method, path, body, { url: server.url, headers: { ...headers } });
  const write: ContractServer["write"] = (namespace, body) =>
    call("POST", `/v2/namespaces/${namespace}`, body);
  const query: ContractServer["query"] = (namespace, body) =>
    call("POST", `/v2/namespaces/${namespace}/query`, body);
  return {
    call,
    write,
    query,
    documents: async (namespace) => {
      const all = { rank_by: ["id", "asc"], limit: 1000, include_attributes: true };
      return (await query(namespace, all)).json.rows;
    },
    fresh: () => `contract-${++names}`,
  };
}

/** Expects an error in the documented shape, with a status and parts of its text. */
export function expectError(answer: RawAnswer, status: number, ...parts: string[]): void {
  expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
  expect(answer.json).toMatchObject({ status: "error", error: expect.any(String) });
  for (const part of parts) expect(answer.json.error).toContain(part);
}
