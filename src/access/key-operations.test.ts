import { expect, test } from "vitest";
import { ManualClock } from "../../test/support/clocks/manual-clock.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { seededRandom } from "../base/random.ts";
import { KEY_REQUEST_MS_MAX, KeyOperations, type KeyOutcome } from "./key-operations.ts";
import { KeyRing } from "./key-ring.ts";
import { KeyStore } from "./key-store.ts";

/** Answers nothing once it hangs. */
class HangingStore extends MemoryObjectStore {
  isHanging = false;

  override async put(...asked: Parameters<MemoryObjectStore["put"]>) {
    return this.isHanging ? new Promise<never>(() => {}) : super.put(...asked);
  }

  override async get(...asked: Parameters<MemoryObjectStore["get"]>) {
    return this.isHanging ? new Promise<never>(() => {}) : super.get(...asked);
  }
}

const REQUEST = new TextEncoder().encode('{"name":"a","actions":["admin"],"namespaces":["*"]}');

test.each<[string, (keys: KeyOperations, id: string) => Promise<KeyOutcome>, string, string]>([
  ["making a key", (keys) => keys.create(REQUEST), "unavailable", "list the keys, and revoke it"],
  ["revoking a key", (keys, id) => keys.revoke(id), "unavailable", "revoke it again"],
  ["listing the keys", (keys) => keys.list(), "timed_out", "retry later"],
])("%s ends at its bound where the store does not answer", async (_what, act, code, says) => {
  const [clock, random] = [new ManualClock(), seededRandom(1)];
  const store = new HangingStore();
  const log = () => {};
  const ring = new KeyRing({ store: new KeyStore({ store, random, log }), clock, log });
  await ring.open();
  const keys = new KeyOperations({ ring, clock, random });
  const { target = "" } = await keys.create(REQUEST);
  store.isHanging = true;
  const ended = act(keys, target).then(
    () => undefined,
    (error: unknown) => error,
  );
  await clock.advance(KEY_REQUEST_MS_MAX);
  clock.tick();
  expect(await ended).toMatchObject({ code, message: expect.stringContaining(says) });
});
