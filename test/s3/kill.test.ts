/** What was acknowledged outlives kills of the server, over a bucket. */

import { expect, test } from "vitest";
import { runKillLoop } from "../support/kill-loop.ts";
import { freshS3Config, s3Arguments } from "../support/s3-bucket.ts";
import { startServer } from "../support/server-process.ts";

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
