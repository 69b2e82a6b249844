/** The long run of the random comparison with the slow twin; `npm test` has a short one. */

import { expect, test } from "vitest";
import { runModelOnServer } from "../support/servers/model-server.ts";

const MINUTES = 10;

test(
  "many namespaces answer like the twin, through stops and kills",
  async () => {
    const counts = await runModelOnServer({
      namespaces: 12,
      writes: 60,
      queries: 6,
      writesPerRestart: 12,
      idSpace: 90,
    });
    console.log(counts);
    expect(counts.writes).toBeGreaterThan(700);
  },
  MINUTES * 60_000,
);

test(
  "a namespace that is written far more often than it has documents answers, too",
  async () => {
    const counts = await runModelOnServer({
      namespaces: 1,
      writes: 500,
      queries: 1,
      writesPerRestart: 50,
      idSpace: 40,
    });
    console.log(counts);
  },
  MINUTES * 60_000,
);
