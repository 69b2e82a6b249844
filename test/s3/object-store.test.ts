/** The promises of an object store, kept by a real service. */

import { describeObjectStore } from "../conformance/object-store.ts";
import { freshS3Config, openS3 } from "../support/stores/s3-bucket.ts";

describeObjectStore("S3ObjectStore", async () => {
  return { store: await openS3(freshS3Config()), close: async () => undefined };
});
