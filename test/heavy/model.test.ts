/** The long run of the random comparison with the slow twin; `npm test` has a short one. */

import { expect, test } from "vitest";
import { runModelOnServer } from "../support/servers/model-server.ts";

const MINUTES = 10;
/** CI compares fewer for a known change (scripts/ci/ci-steps.ts). */
const NAMESPACES = Number(process.env.MODEL_NAMESPACES ?? 8);
const WRITES = 60;

test(
  "many namespaces answer like the twin, through stops and kills",
  async () => {
    const counts = await runModelOnServer({
      namespaces: NAMESPACES,
      writes: WRITES,
      queries: 6,
      writesPerRestart: 12,
      idSpace: 90,
    });
    console.log(counts);
    // Of 12 namespaces, 700 of 720.
    expect(counts.writes).toBeGreaterThan((700 / 720) * NAMESPACES * WRITES);
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
