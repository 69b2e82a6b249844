/** What the check of a request's key or token costs, by itself: `node bench/keys.bench.ts`. */

import { keyHash, keyId, newKeyText } from "../src/access/api-key.ts";
import { authorize } from "../src/access/caller.ts";
import { KeyOperations } from "../src/access/key-operations.ts";
import { parseKeyRequest } from "../src/access/key-requests.ts";
import { KeyRing } from "../src/access/key-ring.ts";
import { KeyStore } from "../src/access/key-store.ts";
import { signToken } from "../src/access/query-token.ts";
import { systemClock } from "../src/base/clock.ts";
import { seededRandom } from "../src/base/random.ts";
import { MemoryObjectStore } from "../test/support/stores/memory-object-store.ts";

const KEYS = [1, 1000, 9999];
const ROUNDS = 7;
const CHECKS = 20_000;

/** Microseconds of one call: the median of some rounds. */
function measure(check: () => void): number {
  const times = Array.from({ length: ROUNDS }, () => {
    const start = systemClock.monotonicMs();
    for (let i = 0; i < CHECKS; i++) check();
    return ((systemClock.monotonicMs() - start) * 1000) / CHECKS;
  });
  return times.sort((a, b) => a - b)[Math.floor(ROUNDS / 2)];
}

for (const count of KEYS) {
  const random = seededRandom(1);
  const store = new KeyStore({ store: new MemoryObjectStore(), random, log: () => {} });
  const ring = new KeyRing({ store, clock: systemClock, log: () => {}, bootstrapKey: "root" });
  const operations = new KeyOperations({ ring, clock: systemClock, random });
  const asked = { name: "n", actions: ["read"], namespaces: ["tenant-a-*"] };
  const body = Buffer.from(JSON.stringify(asked));
  for (let i = 1; i < count; i++) {
    const hash = keyHash(newKeyText(random));
    const made = { ...parseKeyRequest(body, 0), id: keyId(hash), hash, lastFour: "test" };
    await store.create(made);
  }
  await ring.open();
  const key = (await operations.create(body)).json.key as string;
  const need = {
    actions: ["read"],
    namespaces: { kind: "one", name: "tenant-a-docs" },
    what: "to query",
    isQuery: true,
  } as const;
  const token = (filter: string) =>
    signToken(key, {
      namespace: "tenant-a-docs",
      filter,
      expiresAtMs: systemClock.nowMs() + 3_600_000,
    });
  const callers = {
    key: `Bearer ${key}`,
    "unknown key": `Bearer ${key.slice(0, -1)}`,
    token: `Bearer ${token('["tenant","Eq",7]')}`,
    "token of 4 KiB": `Bearer ${token(JSON.stringify(["tenant", "In", "x".repeat(3000)]))}`,
  };
  for (const [name, header] of Object.entries(callers)) {
    const us = measure(() => {
      try {
        authorize(ring.identify(header), need);
      } catch {
        // Refusals are measured, too.
      }
    });
    console.log(`${count} keys, ${name}: ${us.toFixed(2)} µs`);
  }
}
