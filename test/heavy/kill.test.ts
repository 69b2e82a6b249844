/** What was acknowledged outlives kills of the server, on a local directory. */

import { expect, test } from "vitest";
import { runKillLoop } from "../support/servers/kill-loop.ts";
import { startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

const ROUNDS = Number(process.env.KILL_ROUNDS ?? 200);

test(`no acknowledged write is lost in ${ROUNDS} kills, and none is half there`, async () => {
  const directory = await temporaryDirectory();
  try {
    const sent = await runKillLoop({
      rounds: ROUNDS,
      writingMsMax: 150,
      start: () => startServer({ dataDir: directory.path, arguments: ["--query-threads", "1"] }),
    });
    console.log(`${sent} writes sent in ${ROUNDS} rounds`);
    expect(sent).toBeGreaterThan(ROUNDS);
  } finally {
    await directory.remove();
  }
}, 1_800_000);
