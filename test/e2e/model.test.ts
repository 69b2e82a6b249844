/** Random documents, writes and queries answer like the slow twin; the long run is a heavy test. */

import { expect, test } from "vitest";
import { runModelOnServer } from "../support/model-server.ts";

test("the server answers like the twin, through stops and kills", async () => {
  const counts = await runModelOnServer({
    namespaces: 4,
    writes: 25,
    queries: 5,
    writesPerRestart: 12,
    idSpace: 60,
  });
  expect(counts.queries).toBeGreaterThan(300);
});
