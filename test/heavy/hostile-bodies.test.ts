/**
 * Hostile bodies of up to 256 MB to a server that may plan with 1 GiB: whatever their structure, it
 * goes on and keeps to its memory. Bodies are made while they are sent.
 */

import { readFile } from "node:fs/promises";
import { request } from "node:http";
import type { Writable } from "node:stream";
import { createGzip } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { type HostileBody, hostileBody } from "../support/random/hostile-bodies.ts";
import { testSeed } from "../support/random/seed.ts";
import { type ServerProcess, startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const ROUNDS = Number(process.env.TRAWL_TEST_BODY_ROUNDS ?? 12);
/** One in so many is no write; none by default. */
const OTHERS_IN = Number(process.env.TRAWL_TEST_BODY_OTHERS ?? 0);
const BODY_BYTES_MAX = 256_000_000;
const MEMORY_LIMIT_MIB = 1024;
/** How much more than its limit the server may take. */
const MEMORY_SLACK = 1.25;
/** 429 is for what finds no room, 408 for what is sent too slowly. */
const STATUSES = [200, 202, 400, 404, 408, 409, 413, 422, 429];

let server: ServerProcess;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  directory = await temporaryDirectory();
  server = await startServer({
    dataDir: directory.path,
    arguments: [
      ...["--memory-limit", `${MEMORY_LIMIT_MIB}MiB`, "--query-threads", "2"],
      ...["--indexer", "off", "--log-level", "warn"],
    ],
  });
  await call("/v2/namespaces/known", '{"upsert_rows":[{"id":1,"text":"a b","n":1}]}');
});

afterAll(async () => {
  await server.kill();
  await directory.remove();
});

async function call(path: string, body: string): Promise<number> {
  return (await fetch(server.url + path, { method: "POST", body })).status;
}

async function residentMib(field: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await readFile(`/proc/${server.process.pid}/status`, "utf8");
  return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
}

/** Sends a body as fast as it is taken; resolves to the status, or to why there is none. */
function send(path: string, body: HostileBody, isGzip: boolean): Promise<number | string> {
  return new Promise((resolve) => {
    const headers = isGzip ? { "content-encoding": "gzip" } : {};
    const { method } = body;
    const sent = request(server.url + path, { method, headers }, (response) => {
      response.resume();
      response.once("close", () => {
        isOver = true;
        sent.destroy();
        resolve(response.statusCode ?? 0);
      });
    });
    let isOver = false;
    sent.on("error", (error: NodeJS.ErrnoException) => {
      isOver = true;
      resolve(error.code ?? error.message);
    });
    const target = isGzip ? createGzip({ level: 1 }) : sent;
    if (target !== sent) target.pipe(sent);
    const write = async () => {
      for (const chunk of body.chunks()) {
        if (isOver) return;
        const isTaken = target.write(chunk, "latin1");
        if (!isTaken) await drained(target, sent);
      }
      target.end();
    };
    void write();
  });
}

/** Resolves when more may be written, or nothing more is taken. */
function drained(target: Writable, sent: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      target.off("drain", done);
      sent.off("close", done);
      resolve();
    };
    target.on("drain", done);
    sent.on("close", done);
  });
}

test.runIf(process.platform === "linux")(
  `${ROUNDS} hostile bodies leave the server alive and within its memory`,
  async () => {
    const seed = testSeed();
    const random: Random = seededRandom(seed);
    const outcomes = new Map<number | string, number>();
    await call("/v2/namespaces/known/query", '{"limit":1}');
    const beforeMib = await residentMib("VmRSS");
    for (let round = 0; round < ROUNDS; round++) {
      const bytes = Math.floor(BODY_BYTES_MAX * random.next() ** 2);
      const body = hostileBody(random, bytes, OTHERS_IN === 0 || random.below(OTHERS_IN) > 0);
      const isGzip = random.below(4) === 0;
      const path = body.path.replace("$NAMESPACE", `hostile-${round}`);
      const what = `seed ${seed}, round ${round}: ${body.title}, ${bytes} bytes, ${path}`;
      const outcome = await send(path, body, isGzip);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
      expect(server.process.exitCode ?? server.process.signalCode, what).toBeNull();
      if (typeof outcome === "number") expect(STATUSES, what).toContain(outcome);
      const peakMib = await residentMib("VmHWM");
      expect(peakMib, `${what}: ${outcome}`).toBeLessThan(MEMORY_LIMIT_MIB * MEMORY_SLACK);
      expect(await call("/v2/namespaces/known/query", '{"limit":1}'), what).toBe(200);
      // What is stored takes memory by right.
      await fetch(`${server.url}/v2/namespaces/hostile-${round}`, { method: "DELETE" });
    }
    const [peakMib, restedMib] = [await residentMib("VmHWM"), await residentMib("VmRSS")];
    console.log(Object.fromEntries(outcomes), { beforeMib, peakMib, restedMib });
  },
);
