/** A directory that is copied under load opens, with all that was acknowledged before the copy. */

import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { sdkClient } from "../support/servers/sdk-client.ts";
import { startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const COPIES = Number(process.env.TRAWL_TEST_COPIES ?? 3);
const NAMES = ["a", "b"];
const WRITERS = 4;

test(`${COPIES} copies of a directory under load open`, async () => {
  const directory = await temporaryDirectory();
  const copies = await temporaryDirectory();
  const server = await startServer({ dataDir: directory.path });
  const client = sdkClient({ baseURL: server.url });
  // The last number that was acknowledged, by namespace and writer.
  const acknowledged = new Map<string, number>();
  let stop = false;
  const write = async (name: string, writer: number) => {
    const namespace = client.namespace(name);
    for (let number = 1; !stop; number++) {
      const row = { id: writer * 1_000_000 + number, writer, text: `number ${number}` };
      await namespace.write({ upsert_rows: [row] });
      acknowledged.set(`${name}${writer}`, number);
    }
  };
  const writers = NAMES.flatMap((name) =>
    Array.from({ length: WRITERS }, (_, writer) => write(name, writer)),
  );
  while (acknowledged.size < writers.length) await new Promise((done) => setImmediate(done));
  try {
    for (let copy = 0; copy < COPIES; copy++) {
      const before = new Map(acknowledged);
      const path = `${copies.path}/${copy}`;
      await promisify(execFile)("cp", ["-a", directory.path, path]).catch(() => {});
      const opened = await startServer({ dataDir: path, arguments: ["--query-threads", "1"] });
      try {
        const reader = sdkClient({ baseURL: opened.url });
        for (const name of NAMES) {
          for (let writer = 0; writer < WRITERS; writer++) {
            const count = before.get(`${name}${writer}`) ?? 0;
            const filters: ["writer", "Eq", number] = ["writer", "Eq", writer];
            const query = reader.namespace(name);
            const { aggregations } = await query.query({ aggregate_by: { n: ["Count"] }, filters });
            const { rows } = await query.query({ rank_by: ["id", "desc"], filters, limit: 1 });
            const { n } = aggregations as unknown as { n: number };
            const last = Number(rows?.[0]?.id);
            expect(n, `copy ${copy} of ${name}`).toBeGreaterThanOrEqual(count);
            expect(last - writer * 1_000_000, `copy ${copy} of ${name}`).toBe(n);
          }
          await reader.namespace(name).write({ upsert_rows: [{ id: 7, writer: 99 }] });
          const found = await reader.namespace(name).query({ filters: ["id", "Eq", 7], limit: 1 });
          expect(found.rows).toHaveLength(1);
        }
      } finally {
        await opened.stop();
        await rm(path, { recursive: true });
      }
    }
  } finally {
    stop = true;
    await Promise.all(writers);
    await server.stop();
    await directory.remove();
    await copies.remove();
  }
}, 1_800_000);
