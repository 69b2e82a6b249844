/** Puts numbered objects if absent, against rivals, and prints the numbers that it won. */

import { systemRandom } from "../../../src/base/random.ts";
import { FsObjectStore } from "../../../src/storage/directory/fs-object-store.ts";
import { IF_ABSENT, objectKey } from "../../../src/storage/object-store.ts";

const [root, name, count] = process.argv.slice(2);
const store = await FsObjectStore.open({ root, random: systemRandom });
const body = new TextEncoder().encode(name.repeat(5000));
for (let round = 0; round < Number(count); round++) {
  // Directories are made in the race, too.
  const key = objectKey(`race/${Math.floor(round / 5)}/${round}`);
  const { kind } = await store.put(key, body, IF_ABSENT);
  if (kind === "written") process.stdout.write(`${round}\n`);
}
