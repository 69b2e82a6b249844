/** The probe at the start, against a real service. */

import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { probeStore } from "../../src/storage/store-probe.ts";
import { freshS3Config, openS3 } from "../support/s3-bucket.ts";

test("the service passes the probe, which leaves nothing behind", async () => {
  const store = await openS3(freshS3Config());
  await probeStore({ store, name: "the service", random: seededRandom(1) });
  expect((await store.list({ prefix: "", limit: 10 })).keys).toEqual([]);
});
