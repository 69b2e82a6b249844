import { expect, test, vi } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { temporaryDirectory } from "../../../test/support/stores/temporary-directory.ts";
import { seededRandom } from "../../base/random.ts";
import { IF_ABSENT, objectKey } from "../object-store.ts";
import { openObjectStore } from "./open-object-store.ts";

const sdk = vi.hoisted(() => ({ loads: 0 }));
vi.mock("@aws-sdk/client-s3", async (original) => {
  sdk.loads++;
  return original();
});

const parts = { clock: new InstantClock(), random: seededRandom(24) };

test("the SDK is loaded for a bucket, and not for a directory", async () => {
  const { path, remove } = await temporaryDirectory();
  const { store, exclusive } = await openObjectStore({ kind: "directory", root: path }, parts);
  await store.put(objectKey("a"), new Uint8Array(1), IF_ABSENT);
  expect(exclusive).toBe(true);
  expect(sdk.loads).toBe(0);
  const bucket = { bucket: "bucket", prefix: "p", region: "eu-central-1" } as const;
  const config = { kind: "s3", ...bucket, pathStyle: false } as const;
  expect((await openObjectStore(config, parts)).exclusive).toBe(false);
  expect(sdk.loads).toBe(1);
  await remove();
});
