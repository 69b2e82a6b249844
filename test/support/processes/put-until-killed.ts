/**
 * Puts objects whose bytes all equal their number modulo 251, and prints each number once written.
 */

import { systemRandom } from "../../../src/base/random.ts";
import { FsObjectStore } from "../../../src/storage/directory/fs-object-store.ts";
import { IF_ABSENT, objectKey } from "../../../src/storage/object-store.ts";

const [root, first] = process.argv.slice(2);
const store = await FsObjectStore.open({ root, random: systemRandom });
let next = Number(first);
const writer = async () => {
  for (;;) {
    const number = next++;
    const body = new Uint8Array(1 + ((number * 7919) % 200_000)).fill(number % 251);
    await store.put(objectKey(`put/${number}`), body, IF_ABSENT);
    process.stdout.write(`${number}\n`);
  }
};
await Promise.all([writer(), writer(), writer(), writer()]);
