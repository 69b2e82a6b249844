/** A directory that is copied under load opens, with all that was acknowledged before the copy. */

import { execFile } from "node:child_process";
import { rm } from "node:fs/promises";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { sdkClient } from "../support/servers/sdk-client.ts";
import { startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const COPIES = Number(process.env.TRAWL_TEST_COPIES ?? 20);
/** Copies that are opened beside each other: each start waits for the lock's owner elsewhere. */
const OPENED_AT_ONCE = 4;
const NAMES = ["a", "b"];
const WRITERS = 4;
const ID_STEP = 1_000_000;
/** So long that logs are folded every thousand writes; still a filterable value. */
const TEXT = "of some length ".repeat(250);

/** Clients that write while something else is done, and count what was acknowledged. */
class Writers {
  readonly #client: ReturnType<typeof sdkClient>;
  /** Rows by namespace and writer. */
  readonly #acknowledged = new Map<string, number[]>();

  constructor(url: string) {
    this.#client = sdkClient({ baseURL: url });
    for (const name of NAMES) this.#acknowledged.set(name, new Array(WRITERS).fill(0));
  }

  /** What was acknowledged so far. */
  counts(): Map<string, number[]> {
    return structuredClone(this.#acknowledged);
  }

  /** Writes until `work` is done. */
  async beside(work: () => Promise<void>): Promise<void> {
    let isDone = false;
    const writing = [...this.#acknowledged].flatMap(([name, counts]) =>
      counts.map(async (_, writer) => {
        while (!isDone) {
          const number = counts[writer] + 1;
          const row = { id: writer * ID_STEP + number, writer, text: `${number} ${TEXT}` };
          await this.#client.namespace(name).write({ upsert_rows: [row] });
          counts[writer] = number;
        }
      }),
    );
    const working = work().finally(() => {
      isDone = true;
    });
    await Promise.all([working, ...writing]);
  }
}

/** Opens a copy and looks whether each writer's rows are there up to some row, `counts` at least. */
async function check(path: string, counts: ReadonlyMap<string, number[]>): Promise<void> {
  const server = await startServer({ dataDir: path, arguments: ["--query-threads", "1"] });
  try {
    const client = sdkClient({ baseURL: server.url });
    for (const [name, acknowledged] of counts) {
      const namespace = client.namespace(name);
      for (const [writer, count] of acknowledged.entries()) {
        const filters: ["writer", "Eq", number] = ["writer", "Eq", writer];
        const total = { aggregate_by: { n: ["Count"] as ["Count"] }, filters };
        const last = { rank_by: ["id", "desc"] as ["id", "desc"], filters, limit: 1 };
        const { results } = await namespace.multiQuery({ queries: [total, last] });
        const { n } = results[0].aggregations as unknown as { n: number };
        expect(n, `rows of ${name}, writer ${writer}`).toBeGreaterThanOrEqual(count);
        if (n > 0) expect(Number(results[1].rows?.[0]?.id) - writer * ID_STEP).toBe(n);
      }
      await namespace.write({ upsert_rows: [{ id: 7, writer: 99 }] });
      const found = await namespace.query({ filters: ["id", "Eq", 7], limit: 1 });
      expect(found.rows).toHaveLength(1);
    }
  } catch (error) {
    throw new Error(`the copy ${path} is not what it should be:\n${server.output()}`, {
      cause: error,
    });
  } finally {
    await server.stop();
  }
  await rm(path, { recursive: true });
}

test(`${COPIES} copies of a directory under load open`, async () => {
  const directory = await temporaryDirectory();
  const copies = await temporaryDirectory();
  const server = await startServer({ dataDir: directory.path });
  try {
    const writers = new Writers(server.url);
    // All namespaces are there before the first copy.
    await writers.beside(async () => {});
    for (let copied = 0; copied < COPIES; ) {
      const made: [path: string, counts: Map<string, number[]>][] = [];
      while (made.length < OPENED_AT_ONCE && copied < COPIES) {
        const path = `${copies.path}/${copied++}`;
        made.push([path, writers.counts()]);
        // What is removed while it is copied is a complaint of cp's.
        const copy = promisify(execFile)("cp", ["-a", directory.path, path]).catch(() => {});
        await writers.beside(() => copy.then(() => {}));
      }
      await Promise.all(made.map(([path, counts]) => check(path, counts)));
    }
  } finally {
    await server.stop();
    await directory.remove();
    await copies.remove();
  }
});
