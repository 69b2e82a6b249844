/** Takes the lock of a data directory, says so, and keeps it until it is killed or told to stop. */

import { systemClock } from "../../../src/base/clock.ts";
import { systemRandom } from "../../../src/base/random.ts";
import { acquireDirectoryLock } from "../../../src/storage/directory/directory-lock.ts";

const root = process.argv[2];
try {
  const lock = await acquireDirectoryLock({ root, clock: systemClock, random: systemRandom });
  process.stdout.write("held\n");
  process.on("SIGTERM", () => void lock.release().then(() => process.exit(0)));
  await systemClock.sleep(60_000);
} catch (error) {
  process.stdout.write(`refused: ${error instanceof Error ? error.message : error}\n`);
}
