/** A data directory and the servers that want it. */

import { expect, test } from "vitest";
import { startServer } from "../support/servers/server-process.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";

test("a data directory has one server", async () => {
  const directory = await temporaryDirectory();
  const first = await startServer({ dataDir: directory.path });
  const second = startServer({ dataDir: directory.path });
  await expect(second).rejects.toThrow(/directory/);
  expect(await first.stop()).toBe(0);
  await directory.remove();
});
