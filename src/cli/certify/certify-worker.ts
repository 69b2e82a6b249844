/**
 * One of the processes that `trawl certify` starts: it opens the store for itself and puts objects
 * as it is told. It ends with its parent, or when it is killed.
 */

import { systemClock } from "../../base/clock.ts";
import { isDatabaseError } from "../../base/errors.ts";
import { systemRandom } from "../../base/random.ts";
import { openObjectStore } from "../../storage/access/open-object-store.ts";
import { racerBody } from "../../storage/certify/put-race.ts";
import { IF_ABSENT, type ObjectStore, objectKey } from "../../storage/object-store.ts";
import { PrefixedObjectStore } from "../../storage/prefixed-object-store.ts";
import { RetryingObjectStore } from "../../storage/retrying-object-store.ts";
import type { StoreConfig } from "../../storage/store-config.ts";
import {
  type FromWorker,
  type NumberedPuts,
  numberedBody,
  type ToWorker,
} from "./certify-messages.ts";

/** First argument of the process, as JSON. */
export interface CertifyWorkerStart {
  readonly config: StoreConfig;
  /** Part of the store that the process works in. */
  readonly folder: string;
}

const send = (message: FromWorker) => process.send?.(message);
process.on("disconnect", () => process.exit(0));
if (process.connected === false) process.exit(0); // It ended while this process started.
main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
});

async function main(): Promise<void> {
  const { config, folder }: CertifyWorkerStart = JSON.parse(process.argv[2]);
  const parts = { clock: systemClock, random: systemRandom };
  const opened = await openObjectStore(config, parts);
  // Conditional puts go through once; a fault of the moment must not end the process.
  const retrying = new RetryingObjectStore({ store: opened.store, ...parts });
  const store = new PrefixedObjectStore(retrying, folder);
  await store.get(objectKey("connect")); // So that the first race is not one of connecting.
  process.on("message", (message: ToWorker) => {
    if (message.kind === "race") void race(store, message);
    else void putNumbered(store, message);
  });
  send({ kind: "ready" });
}

async function race(
  store: ObjectStore,
  { key, racer }: ToWorker & { kind: "race" },
): Promise<void> {
  try {
    const outcome = await store.put(objectKey(key), racerBody(racer), IF_ABSENT);
    send({ kind: "raced", racer, outcome: outcome.kind });
  } catch (error) {
    if (!isDatabaseError(error, "unavailable", "overloaded")) throw error;
    send({ kind: "raced", racer, outcome: "unknown", message: error.message });
  }
}

/** Puts objects with rising numbers, a few at a time, until the process is killed. */
async function putNumbered(store: ObjectStore, { first, parallel }: NumberedPuts): Promise<void> {
  let next = first;
  const writer = async () => {
    for (;;) {
      const number = next++;
      try {
        const { kind } = await store.put(
          objectKey(`put/${number}`),
          numberedBody(number),
          IF_ABSENT,
        );
        if (kind === "written") send({ kind: "acknowledged", number });
      } catch (error) {
        if (!isDatabaseError(error, "unavailable", "overloaded")) throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, writer));
}
