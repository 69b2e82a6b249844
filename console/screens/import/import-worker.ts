/** The thread that imports: files are read and encoded in it, so that the page stays responsive. */

import { systemClock } from "../../../src/base/clock.ts";
import { systemRandom } from "../../../src/base/random.ts";
import { ApiClient } from "../../api/api-client.ts";
import { ImportJob } from "./import-job.ts";
import type { ImportCommand } from "./import-messages.ts";

const job = new ImportJob({
  clientOf: (key) => new ApiClient({ baseUrl: "", key, fetch: (url, init) => fetch(url, init) }),
  tell: (event) => postMessage(event),
  clock: systemClock,
  random: systemRandom,
});

addEventListener("message", ({ data }: MessageEvent<ImportCommand>) => void job.handle(data));
