import { readdir } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { temporaryDirectory } from "../../../test/support/stores/temporary-directory.ts";
import { seededRandom } from "../../base/random.ts";
import { ApiClient } from "../../client/api-client.ts";
import { exportNamespace } from "./export-namespace.ts";

const METADATA = '{"schema":{"id":{"type":"uint"}},"approx_row_count":0}';

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let url = "";
/** Lets everybody read, and nobody write. */
const server = createServer((request, response) => {
  request.resume();
  const isQuery = request.url?.endsWith("/query") === true;
  if (request.method !== "GET" && !isQuery) {
    response.writeHead(403);
    response.end('{"status":"error","error":"this key may not write"}');
  } else response.end(isQuery ? '{"rows":[],"billing":{}}' : METADATA);
});

beforeEach(async () => {
  directory = await temporaryDirectory();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await directory.remove();
});

async function exported(snapshot: boolean) {
  const clock = new InstantClock();
  const random = seededRandom(1);
  const client = new ApiClient({ url, clock, random });
  const out = join(directory.path, "books.jsonl");
  const form = { format: "jsonl", gzip: false, filters: null, vectors: "float" } as const;
  const ignore = () => {};
  const { signal } = new AbortController();
  try {
    return await exportNamespace(
      { url, namespace: "books", out, snapshot, ...form },
      { client, clock, random, signal, onBegin: ignore, onRows: ignore, onConvert: ignore },
    );
  } finally {
    client.close();
  }
}

test("a key that may not branch is told of --live, and nothing is left behind", async () => {
  await expect(exported(true)).rejects.toThrow(
    /^this key may not write; an export reads a branch of the namespace \(trawl-export-.*--live$/,
  );
  expect(await readdir(directory.path)).toEqual([]);
});

test("it can export the namespace itself", async () => {
  expect(await exported(false)).toMatchObject({ rows: 0, bytes: 0 });
  expect(await readdir(directory.path)).toEqual(["books.jsonl", "books.jsonl.schema.json"]);
});
