/**
 * Hostile bodies of up to 256 MB, some of them at the same time, to a server that may plan with
 * 1 GiB: whatever their structure, it goes on, keeps to its memory, and gives it back. Bodies are
 * made while they are sent.
 */

import { request } from "node:http";
import type { Writable } from "node:stream";
import { createGzip } from "node:zlib";
import { beforeAll, expect, test } from "vitest";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { type HostileBody, hostileBody } from "../support/random/hostile-bodies.ts";
import { testSeed } from "../support/random/seed.ts";
import { fileServer } from "../support/servers/file-server.ts";
import {
  peakResidentMib,
  residentMibOutsideArenas,
  restedMib,
} from "../support/servers/resident-memory.ts";

const ROUNDS = Number(process.env.TRAWL_TEST_BODY_ROUNDS ?? 16);
/** One in so many is no write. */
const OTHERS_IN = 3;
/** So many are sent at the same time, at most. */
const AT_ONCE_MAX = 3;
const BODY_BYTES_MAX = 256_000_000;
const MEMORY_LIMIT_MIB = 1024;
/** Factor of its limit that the server may take. */
const MEMORY_SLACK = 1.25;
/** Factor of the memory before that the server may take at rest: code, and little garbage. */
const REST_SLACK = 1.25;
/** 429 is for what finds no room, 408 for what is sent too slowly. */
const STATUSES = [200, 202, 400, 404, 408, 409, 413, 422, 429];

const server = fileServer(() => ({
  arguments: [
    ...["--memory-limit", `${MEMORY_LIMIT_MIB}MiB`, "--query-threads", "2"],
    ...["--indexer", "off", "--log-level", "warn"],
  ],
}));

beforeAll(async () => {
  await call("/v2/namespaces/known", '{"upsert_rows":[{"id":1,"text":"a b","n":1}]}');
  await warmUp();
});

const call = async (path: string, body: string) => (await server.post(path, body)).status;

/** Usual requests, after which all threads have their code and their heaps. */
async function warmUp(): Promise<void> {
  const documents = Array.from({ length: 10_000 }, (_, id) => ({
    id,
    text: `some words ${id}`,
    n: id % 100,
    vector: [id, 1, 2, 3],
  }));
  await call("/v2/namespaces/usual", JSON.stringify({ upsert_rows: documents }));
  const query = JSON.stringify({ rank_by: ["n", "asc"], limit: 1000, include_attributes: true });
  for (let i = 0; i < 100; i++) await call("/v2/namespaces/usual/query", query);
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

/** Sends one body to a namespace of its own; resolves to the outcome, and to what it was. */
async function attack(random: Random, namespace: string) {
  const bytes = Math.floor(BODY_BYTES_MAX * random.next() ** 2);
  const body = hostileBody(random, bytes, random.below(OTHERS_IN) > 0);
  const isGzip = random.below(4) === 0;
  const path = body.path.replace("$NAMESPACE", namespace);
  const outcome = await send(path, body, isGzip);
  return { outcome, what: `${body.title}, ${bytes} bytes, ${path}: ${outcome}` };
}

test.runIf(process.platform === "linux")(
  `${ROUNDS} rounds of hostile bodies leave the server alive and within its memory`,
  async () => {
    const seed = testSeed();
    const random: Random = seededRandom(seed);
    const outcomes = new Map<number | string, number>();
    const before = await residentMibOutsideArenas(server);
    for (let round = 0; round < ROUNDS; round++) {
      const names = Array.from(
        { length: 1 + random.below(AT_ONCE_MAX) },
        (_, i) => `h${round}-${i}`,
      );
      const attacks = await Promise.all(names.map((name) => attack(random, name)));
      const what = [`seed ${seed}`, ...attacks.map((one) => one.what)].join("\n");
      expect(server.process.exitCode ?? server.process.signalCode, what).toBeNull();
      for (const { outcome } of attacks) {
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        if (typeof outcome === "number") expect(STATUSES, what).toContain(outcome);
      }
      const peak = await peakResidentMib(server);
      expect(peak, what).toBeLessThan(MEMORY_LIMIT_MIB * MEMORY_SLACK);
      expect(await call("/v2/namespaces/known/query", '{"limit":1}'), what).toBe(200);
      // What is stored takes memory by right.
      for (const name of names) {
        await fetch(`${server.url}/v2/namespaces/${name}`, { method: "DELETE" });
      }
    }
    const peak = await peakResidentMib(server);
    const restMax = before * REST_SLACK;
    const rested = await restedMib(server, restMax);
    console.log(Object.fromEntries(outcomes), { seed, before, peak, rested });
    expect(rested).toBeLessThan(restMax);
  },
);
