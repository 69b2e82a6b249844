/** What docs/backup.md shows works as it is shown, line by line. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { runCli } from "../support/servers/run-cli.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const DOCS = readFileSync(new URL("../../docs/backup.md", import.meta.url), "utf8");
const COMMANDS = [...DOCS.matchAll(/^trawl (.*?)(?: +#.*)?$/gm)].map(([, words]) => words);
const DOCUMENTS = 20;

let server: ServerProcess;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  directory = await temporaryDirectory();
  const [, flags] = /^npm start -- (--checkpoint.*)$/m.exec(DOCS) as RegExpExecArray;
  server = await startServer({
    dataDir: join(directory.path, "data"),
    arguments: ["--log-level", "warn", ...flags.split(" ")],
  });
  const upsert_rows = Array.from({ length: DOCUMENTS }, (_, id) => ({ id, title: `book ${id}` }));
  await request("POST", "books", { upsert_rows });
});

afterAll(async () => {
  const code = await server.stop();
  await directory.remove();
  expect(code, server.output()).toBe(0);
});

function request(method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${server.url}/v2/namespaces/${path}`, {
    method,
    ...(body && { body: JSON.stringify(body) }),
  });
}

async function countOf(namespace: string): Promise<unknown> {
  const answer = await request("POST", `${namespace}/query`, { aggregate_by: { n: ["Count"] } });
  return ((await answer.json()) as { aggregations: { n: unknown } }).aggregations.n;
}

test("there are commands of each kind", () => {
  const kinds = new Set(COMMANDS.map((command) => command.split(" ")[0]));
  expect([...kinds]).toEqual(["backup", "verify", "restore", "checkpoint"]);
});

test("all commands end well, one after the other", async () => {
  const clock = new InstantClock();
  for (const command of COMMANDS) {
    await clock.sleep(1000);
    const place = join(directory.path, "backups");
    const [newest] = command.includes("--backup ")
      ? readdirSync(join(place, "backups")).slice(-1)
      : [];
    const words = command
      .replace("/backups/trawl", place)
      .replace("s3://bucket/backups", join(directory.path, "bucket"))
      .replace(/(?<=--backup )\S+/, newest)
      .split(" ");
    // One that exists is refused.
    if (command.startsWith("restore") && !command.includes("--as"))
      await request("DELETE", "books");
    const { code, err } = await runCli([...words, "--url", server.url], { clock });
    expect([code, err], command).toEqual([0, expect.not.stringContaining("trawl ")]);
    expect(await countOf("books"), command).toBe(DOCUMENTS);
    const [, as] = /--as (\S+)/.exec(command) ?? [];
    if (as !== undefined) expect(await countOf(as), command).toBe(DOCUMENTS);
  }
});
