/** What was acknowledged outlives kills of the server, over a bucket. */

import { expect, test } from "vitest";
import { runKillLoop } from "../support/servers/kill-loop.ts";
import { startServer } from "../support/servers/server-process.ts";
import { freshS3Config, s3Arguments } from "../support/stores/s3-bucket.ts";

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 8);

test(`no acknowledged write is lost in ${ROUNDS} kills, and none is half there`, async () => {
  const config = freshS3Config();
  const settings = ["--query-threads", "1", "--disk-cache-limit", "0"];
  const sent = await runKillLoop({
    rounds: ROUNDS,
    writingMsMax: 600,
    start: () => startServer({ arguments: [...s3Arguments(config), ...settings] }),
  });
  console.log(`${sent} writes sent in ${ROUNDS} rounds`);
  expect(sent).toBeGreaterThan(ROUNDS);
}, 300_000);
