import { expect, test } from "vitest";
import type { ApiKey } from "./api-key.ts";
import { DEAD_KEYS_MAX, DEAD_KEYS_MS, pickDeadKeys, StoreTime } from "./dead-keys.ts";
import type { StoredKey } from "./key-store.ts";

const NOW = 10 * DEAD_KEYS_MS;
const SURE = { nowMs: NOW, storeMs: NOW };

function stored(id: string, ended: { expiresAtMs?: number; revokedAtMs?: number }): StoredKey {
  const { expiresAtMs, revokedAtMs } = ended;
  const key: ApiKey = {
    id,
    hash: "",
    name: id,
    lastFour: "",
    actions: ["read"],
    namespaces: ["*"],
    createdAtMs: 5,
    ...(expiresAtMs !== undefined && { expiresAtMs }),
  };
  return { key, ...(revokedAtMs !== undefined && { revocation: { atMs: revokedAtMs } }) };
}

test("keys are forgotten once they have ended for long", () => {
  const keys = [
    stored("live", {}),
    stored("expires", { expiresAtMs: NOW + 1 }),
    stored("expired", { expiresAtMs: NOW - DEAD_KEYS_MS }),
    stored("long expired", { expiresAtMs: NOW - DEAD_KEYS_MS - 1 }),
    stored("revoked", { revokedAtMs: NOW - DEAD_KEYS_MS }),
    stored("long revoked", { revokedAtMs: NOW - DEAD_KEYS_MS - 2, expiresAtMs: NOW }),
    { ...stored("damaged", {}), revocation: {} },
  ];
  expect(pickDeadKeys(keys, SURE)).toEqual(["long revoked", "long expired"]);
});

test("whether one has expired, both the clock and the store must say", () => {
  const keys = [
    stored("expired", { expiresAtMs: NOW - 2 * DEAD_KEYS_MS }),
    stored("revoked", { revokedAtMs: NOW - 2 * DEAD_KEYS_MS }),
  ];
  expect(pickDeadKeys(keys, SURE)).toEqual(["expired", "revoked"]);
  for (const storeMs of [undefined, NOW - 2 * DEAD_KEYS_MS]) {
    expect(pickDeadKeys(keys, { nowMs: NOW, storeMs })).toEqual(["revoked"]);
  }
  expect(pickDeadKeys(keys, { nowMs: 0, storeMs: NOW })).toEqual([]);
});

test("of too many the first to have ended go, and none that may still count", () => {
  const keys = Array.from({ length: DEAD_KEYS_MAX + 3 }, (_, i) =>
    stored(`${i}`, i % 2 === 0 ? { revokedAtMs: NOW - i } : { expiresAtMs: NOW - i }),
  );
  const ids = [DEAD_KEYS_MAX + 2, DEAD_KEYS_MAX + 1, DEAD_KEYS_MAX].map(String);
  expect(pickDeadKeys(keys, SURE)).toEqual(ids);
  expect(pickDeadKeys(keys, { nowMs: NOW, storeMs: 0 })).toEqual([]);
  const damaged = Array.from({ length: DEAD_KEYS_MAX }, (_, i) => ({
    ...stored(`damaged ${i}`, {}),
    revocation: {},
  }));
  expect(pickDeadKeys([...damaged, stored("new", { revokedAtMs: NOW })], SURE)).toEqual([
    "damaged 0",
  ]);
});

test("the store's time goes on with what has passed since it was read", () => {
  const time = new StoreTime();
  expect(time.at(7)).toBeUndefined();
  time.read([stored("a", { revokedAtMs: 1_000 })], 50);
  expect(time.at(50)).toBe(1_000);
  expect(time.at(80)).toBe(1_030);
  time.read([stored("a", { revokedAtMs: 1_010 })], 80);
  expect(time.at(80)).toBe(1_030);
  time.read([stored("a", { revokedAtMs: 2_000 })], 90);
  expect(time.at(91)).toBe(2_001);
});
