/** The probe at the start, against a real service. */

import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { checkStore } from "../../src/storage/certify/store-check.ts";
import { startServer } from "../support/servers/server-process.ts";
import {
  CARELESS_ENDPOINT,
  freshS3Config,
  openS3,
  s3Arguments,
} from "../support/stores/s3-bucket.ts";

test("the service passes the probe, which leaves nothing behind", async () => {
  const store = await openS3(freshS3Config());
  await checkStore({ store, name: "the service", random: seededRandom(1) });
  expect((await store.list({ prefix: "", limit: 10 })).keys).toEqual([]);
});

test.skipIf(CARELESS_ENDPOINT === undefined)(
  "no server starts over a service that ignores conditions",
  async () => {
    const config = { ...freshS3Config(), endpoint: CARELESS_ENDPOINT ?? "" };
    const server = startServer({ arguments: s3Arguments(config) });
    await expect(server).rejects.toThrow(
      /cannot use s3:\/\/trawl-test\/.* it does not decide races of conditional puts \(16 of 16/,
    );
  },
);
