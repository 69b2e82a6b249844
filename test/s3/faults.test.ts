/**
 * The real server over a real service behind a network that fails: whatever is lost on the way,
 * what was acknowledged is there, and nothing takes effect twice (I1, I3, I5).
 */

import { join } from "node:path";
import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { testSeed } from "../support/random/seed.ts";
import { callJson, startServer } from "../support/servers/server-process.ts";
import { startFaultyProxy } from "../support/stores/faulty-proxy.ts";
import { freshS3Config, S3_TEST_ENDPOINT, s3Arguments } from "../support/stores/s3-bucket.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const FAULTS = {
  lost: 0.03,
  failed: 0.03,
  throttled: 0.03,
  answerLost: 0.04,
  answerFailed: 0.04,
  cut: 0.03,
};
const CLIENTS = 4;
/** Of each client at least; more where too few requests have failed by then. */
const WRITES = 40;
const WRITES_MAX = 400;
/** Waited for: how many requests fail is chance, and many writes may share one request. */
const FAULTS_MIN = 40;

test("no acknowledged write is lost or repeated while requests and answers get lost", async () => {
  const seed = testSeed();
  const proxy = await startFaultyProxy(S3_TEST_ENDPOINT, seededRandom(seed));
  const directory = await temporaryDirectory();
  const cache = ["--disk-cache-dir", join(directory.path, "cache")];
  const settings = ["--query-threads", "1", "--log-level", "error", ...cache];
  const config = { ...freshS3Config(), endpoint: proxy.url };
  const start = () => startServer({ arguments: [...s3Arguments(config), ...settings] });
  const path = "/v2/namespaces/faults";
  let server = await start();
  proxy.faults = FAULTS;
  const faultCount = () => Object.values(proxy.counts).reduce((sum, count) => sum + count, 0);
  const acknowledged = new Map<number, number>();
  const unanswered = new Map<number, number[]>();

  await Promise.all(
    Array.from({ length: CLIENTS }, async (_, client) => {
      for (let value = 1; value <= WRITES_MAX; value++) {
        if (value > WRITES && faultCount() >= FAULTS_MIN) break;
        const isNew = value % 2 === 0;
        // Nobody else creates these ids; the others are written over and over.
        const id = client * 1_000 + (isNew ? 100 + value : value % 5);
        const condition = isNew ? { upsert_condition: ["id", "Eq", null] } : {};
        const body = { upsert_rows: [{ id, value }], ...condition };
        const answer = await callJson(server.url, "POST", path, body);
        const seen = JSON.stringify(answer);
        expect([200, 429, 503], seen).toContain(answer.status);
        if (answer.status === 200) {
          const { rows_affected: rows } = answer.body as { rows_affected: number };
          expect(rows, `seed ${seed}, id ${id}: it met its own effect: ${seen}`).toBe(1);
          acknowledged.set(id, value);
          unanswered.delete(id);
        } else {
          unanswered.set(id, [...(unanswered.get(id) ?? []), value]);
        }
      }
    }),
  );

  const check = async (where: string) => {
    const answer = await callJson(server.url, "POST", `${path}/query`, {
      rank_by: ["id", "asc"],
      limit: 9_999,
      include_attributes: ["value"],
    });
    expect(answer.status, `${where}: ${JSON.stringify(answer.body)}`).toBe(200);
    const { rows } = answer.body as { rows: { id: number; value: number }[] };
    const found = new Map(rows.map(({ id, value }) => [id, value]));
    for (const [id, value] of acknowledged) {
      const possible = [value, ...(unanswered.get(id) ?? [])];
      expect(possible, `seed ${seed}, ${where}, id ${id}`).toContain(found.get(id));
    }
    for (const id of found.keys()) {
      expect(acknowledged.has(id) || unanswered.has(id), `${where}: ${id} was never sent`).toBe(
        true,
      );
    }
  };
  console.log(`${acknowledged.size} ids acknowledged, ${unanswered.size} in doubt`, proxy.counts);
  expect(faultCount()).toBeGreaterThanOrEqual(FAULTS_MIN);
  expect(acknowledged.size).toBeGreaterThan(50);
  proxy.faults = undefined;
  await check("once the faults have ended");
  await server.kill();
  server = await start();
  await check("after a restart");
  expect(await server.stop()).toBe(0);
  await proxy.close();
  await directory.remove();
});
