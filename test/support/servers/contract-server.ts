/** A server for the tables of the wire contract, which are sent as JSON without a client's help. */

import { expect, inject } from "vitest";
import { type RawAnswer, rawCall } from "./sdk-client.ts";

/** Calls to the server from one test file. */
export interface ContractServer {
  call(method: string, path: string, body?: unknown, headers?: object): Promise<RawAnswer>;
  write(namespace: string, body: unknown): Promise<RawAnswer>;
  query(namespace: string, body: unknown): Promise<RawAnswer>;
  /** All documents of a namespace by id, with all attributes. */
  documents(namespace: string): Promise<unknown>;
  /** A name that no namespace has yet. */
  fresh(): string;
}

/** The server that tables share; `prefix` begins the names that `fresh` gives to one file. */
export function contractServer(prefix: string): ContractServer {
  let names = 0;
  const call: ContractServer["call"] = (method, path, body, headers) =>
    rawCall(method, path, body, { url: inject("contractUrl"), headers: { ...headers } });
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
    fresh: () => `${prefix}-${++names}`,
  };
}

/** Expects an error in the documented shape, with a status and parts of its text. */
export function expectError(answer: RawAnswer, status: number, ...parts: string[]): void {
  expect([answer.status, answer.text]).toEqual([status, expect.any(String)]);
  expect(answer.json).toMatchObject({ status: "error", error: expect.any(String) });
  for (const part of parts) expect(answer.json.error).toContain(part);
}
