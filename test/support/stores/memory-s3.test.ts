/** The service keeps the promises of an object store, as the product's client sees them. */

import { S3ObjectStore } from "../../../src/storage/s3/s3-object-store.ts";
import { describeObjectStore, LARGE_BODIES, MANY_KEYS } from "../../conformance/object-store.ts";
import { ManualClock } from "../clocks/manual-clock.ts";
import { effort } from "../effort.ts";
import { startMemoryS3 } from "./memory-s3.ts";

const open = async () => {
  const { url: endpoint, credentials, close } = await startMemoryS3();
  const saved = { ...process.env };
  Object.assign(process.env, credentials);
  const config = { kind: "s3", bucket: "bucket", prefix: "", endpoint, pathStyle: true } as const;
  const store = await S3ObjectStore.open({ config, clock: new ManualClock() });
  return {
    store,
    close: async () => {
      store.close();
      await close();
      process.env = saved;
    },
  };
};

// Large unconditional bodies are uploaded in parts, which the service does not have.
const leftOut = effort({ usual: [LARGE_BODIES, MANY_KEYS], full: [LARGE_BODIES] });
describeObjectStore("an S3 service in memory", open, leftOut);
