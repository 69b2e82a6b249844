/** Random documents, writes and queries answer like the slow twin; the long run is a heavy test. */

import { expect, test } from "vitest";
import { runModelOnServer } from "../support/servers/model-server.ts";

test("the server answers like the twin, through stops and kills", async () => {
  const size = { namespaces: 3, writes: 12, queries: 5, writesPerRestart: 12, idSpace: 40 };
  const counts = await runModelOnServer(size);
  expect(counts.queries).toBeGreaterThan(150);
});
