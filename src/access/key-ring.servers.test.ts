import { describe, expect, test } from "vitest";
import { KeyFixture } from "../../test/support/access/key-fixture.ts";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { ManualClock } from "../../test/support/clocks/manual-clock.ts";
import { testRandom } from "../../test/support/random/seed.ts";
import { HookedObjectStore } from "../../test/support/stores/hooked-object-store.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import { DatabaseError } from "../base/errors.ts";
import { CountingObjectStore } from "../storage/counting-object-store.ts";
import { KEY_CHANGES_KEY, keyRevocationKey } from "../storage/object-keys.ts";
import { KEY_AGE_MS_MAX, KEY_POLL_MS, KEY_WAIT_MS_MAX } from "./key-ring.ts";
import { KEY_USES_MS } from "./key-uses.ts";

/** A hook of a store that fails to announce changes to other servers. */
async function refuseAnnouncements(key: string, kind: string): Promise<void> {
  if (key === KEY_CHANGES_KEY && kind === "put") throw new DatabaseError("unavailable", "away");
}

describe("servers over one store", () => {
  async function two(store: MemoryObjectStore = new MemoryObjectStore()) {
    const clock = new InstantClock();
    return {
      store,
      a: await KeyFixture.open({ store, clock }),
      b: await KeyFixture.open({ store, clock }),
    };
  }

  test("take over keys and revocations with one look", async () => {
    const { a, b } = await two();
    const first = await a.create();
    expect(b.ring.isLocked).toBe(false);
    await b.ring.poll();
    expect(b.verdict(first.key)).toBe("key");
    const second = await b.create();
    await b.operations.revoke(first.id);
    expect(b.verdict(first.key)).toContain("was revoked");
    expect(a.verdict(first.key)).toBe("key");
    await a.ring.poll();
    expect(a.verdict(first.key)).toContain("was revoked");
    expect(a.verdict(second.key)).toBe("key");
    expect(KEY_AGE_MS_MAX).toBeLessThanOrEqual(2000);
  });

  test("revoke keys that they have not heard of", async () => {
    const { a, b } = await two();
    const { key, id } = await a.create();
    await b.operations.revoke(id);
    expect(b.verdict(key)).toContain("was revoked");
    await a.ring.poll();
    expect(a.verdict(key)).toContain("was revoked");
  });

  test("ask for one object while nothing changes", async () => {
    const store = new CountingObjectStore(new MemoryObjectStore());
    const keys = await KeyFixture.open({ store });
    for (let made = 0; made < 5; made++) await keys.create();
    await keys.ring.poll();
    const before = store.counts().requests;
    for (let times = 0; times < 10; times++) await keys.ring.poll();
    const { get, list, put } = store.counts().requests;
    expect([get - before.get, list - before.list, put - before.put]).toEqual([10, 0, 0]);
  });

  test("ask for nothing while no request arrives", async () => {
    const store = new CountingObjectStore(new MemoryObjectStore());
    const keys = await KeyFixture.open({ store });
    const { key } = await keys.create();
    keys.caller(key);
    for (const _ of [1, 2]) {
      await keys.clock.sleep(KEY_USES_MS);
      await keys.ring.tick(); // Writes the key's time of use.
    }
    const before = store.counts().requests;
    for (let ms = 0; ms < 600_000; ms += KEY_POLL_MS) {
      await keys.clock.sleep(KEY_POLL_MS);
      await keys.ring.tick();
    }
    expect(store.counts().requests).toEqual(before);
  });

  test("look while requests arrive, which need not wait then", async () => {
    const store = new CountingObjectStore(new MemoryObjectStore());
    const keys = await KeyFixture.open({ store });
    let waits = 0;
    for (let ms = 0; ms < 60_000; ms += 500) {
      await keys.clock.sleep(500);
      if (ms % KEY_POLL_MS === 0) await keys.ring.tick();
      const recent = keys.ring.whenRecent();
      if (recent === undefined) continue;
      waits++;
      await recent;
    }
    expect(waits).toBe(0);
    expect(store.counts().requests.get).toBeLessThanOrEqual(60_000 / KEY_POLL_MS + 2);
  });

  test("refuse a revoked key also after a quiet hour", async () => {
    const { a, b } = await two();
    const { key, id } = await a.create();
    await b.ring.whenRecent();
    await b.ring.poll();
    expect(b.verdict(key)).toBe("key");
    for (let ms = 0; ms < 3_600_000; ms += KEY_POLL_MS) {
      await b.clock.sleep(KEY_POLL_MS);
      await b.ring.tick();
    }
    await a.operations.revoke(id);
    await b.clock.sleep(KEY_AGE_MS_MAX + 1);
    await b.ring.whenRecent();
    expect(b.verdict(key)).toContain("was revoked");
  });

  test("let requests wait for the look alone, not for what is written behind it", async () => {
    const store = new HookedObjectStore();
    const clock = new ManualClock();
    const keys = await KeyFixture.open({ store, clock });
    const { ring } = keys;
    const { key } = await keys.create();
    await clock.advance(KEY_USES_MS);
    keys.caller(key);
    const writing = Promise.withResolvers<void>();
    store.before = (_key, kind) => {
      if (kind !== "put") return Promise.resolve();
      writing.resolve();
      return new Promise(() => {});
    };
    void ring.tick();
    await writing.promise;
    await clock.advance(KEY_AGE_MS_MAX + 1);
    await ring.whenRecent(); // The clock stands still: only the look can end it.
    expect(ring.whenRecent()).toBeUndefined();
  });

  test("let requests wait for a store that hangs for some seconds, and not again", async () => {
    const store = new HookedObjectStore();
    const clock = new ManualClock();
    const { ring } = await KeyFixture.open({ store, clock });
    const hangs = Promise.withResolvers<void>();
    store.before = () => hangs.promise;
    await clock.advance(KEY_AGE_MS_MAX + 1);
    let waited = 0;
    const wait = () => void ring.whenRecent()?.then(() => waited++);
    wait();
    wait();
    await clock.advance(KEY_WAIT_MS_MAX - 1);
    expect(waited).toBe(0);
    await clock.advance(1);
    expect(waited).toBe(2);
    wait();
    await clock.advance(0);
    expect(waited).toBe(3);
    hangs.resolve();
    await clock.advance(0);
    store.before = () => Promise.reject(new DatabaseError("unavailable", "away"));
    await ring.poll();
    expect(ring.whenRecent()).toBeUndefined();
  });

  test("lose no change, whatever they do at the same time", async () => {
    const random = testRandom();
    for (let round = 0; round < 30; round++) {
      const store = new HookedObjectStore();
      const { a, b } = await two(store);
      // Calls take turns by chance.
      const yieldBy = async () => {
        for (let n = random.below(4); n > 0; n--) await new Promise((go) => setImmediate(go));
      };
      const admin = await a.create();
      store.before = yieldBy;
      store.after = yieldBy;
      const made: { key: string; id: string }[] = [];
      const gone = new Set<string>();
      const work = async (at: KeyFixture) => {
        for (let step = 0; step < 6; step++) {
          const victim = made[random.below(made.length + 1)];
          if (random.below(3) === 0) await at.ring.poll();
          if (victim === undefined || random.below(2) === 0) made.push(await at.create());
          else {
            gone.add(victim.id);
            await at.operations.revoke(victim.id);
            expect(at.verdict(victim.key)).toContain("was revoked");
          }
        }
      };
      await Promise.all([work(a), work(b), work(a)]);
      for (const at of [a, b]) {
        await at.ring.poll();
        expect(at.verdict(admin.key)).toBe("key");
        for (const { key, id } of made) {
          expect(at.verdict(key)).toMatch(gone.has(id) ? /was revoked/ : /^key$/);
        }
      }
    }
  });

  test("keep what they know while the store does not answer, and say so once", async () => {
    const store = new HookedObjectStore();
    const keys = await KeyFixture.open({ store });
    const { key, id } = await keys.create();
    store.before = () => Promise.reject(new DatabaseError("unavailable", "away"));
    for (let times = 0; times < 3; times++) await keys.ring.poll();
    expect(keys.verdict(key)).toBe("key");
    expect(keys.logs).toEqual(["API keys cannot be read; those known stay"]);
    await expect(keys.operations.revoke(id)).rejects.toThrow("away");
    store.before = undefined;
    await keys.operations.revoke(id);
    await keys.ring.poll();
    expect(keys.logs).toEqual([
      "API keys cannot be read; those known stay",
      "API keys are read again",
    ]);
  });

  test("make up for what they could not tell the others", async () => {
    const store = new HookedObjectStore();
    const { a, b } = await two(store);
    store.before = refuseAnnouncements;
    // The text of the first key would be lost, and with it the server.
    const { key, id } = await a.create();
    expect(a.verdict(key)).toBe("key");
    expect(a.logs).toEqual(["other servers hear later of a new API key"]);
    await b.ring.poll();
    expect(b.ring.isLocked).toBe(false);
    store.before = undefined;
    await a.ring.poll();
    await b.ring.poll();
    expect(b.verdict(key)).toBe("key");
    store.before = refuseAnnouncements;
    await expect(a.operations.revoke(id)).rejects.toThrow("away");
    expect(a.verdict(key)).toContain("was revoked");
    store.before = undefined;
    await a.ring.poll();
    await b.ring.poll();
    expect(b.verdict(key)).toContain("was revoked");
  });

  test("see what others have changed while they cannot tell of their own", async () => {
    const store = new HookedObjectStore();
    const { a, b } = await two(store);
    const { key, id } = await a.create();
    await b.ring.poll();
    store.before = refuseAnnouncements;
    await b.create();
    store.before = undefined;
    await a.operations.revoke(id);
    store.before = refuseAnnouncements;
    await b.ring.poll();
    expect(b.verdict(key)).toContain("was revoked");
  });

  test("take back no revocation whose object another one is removing", async () => {
    const store = new HookedObjectStore();
    const { a, b } = await two(store);
    const { key, id } = await a.create();
    await a.operations.revoke(id);
    await b.ring.poll();
    expect(b.verdict(key)).toContain("was revoked");
    await store.delete(keyRevocationKey(id));
    await a.create();
    await b.ring.poll();
    expect(b.verdict(key)).toContain("was revoked");
  });

  test("join when keys were used", async () => {
    const { a, b } = await two();
    const { key, id } = await a.create();
    const lastUsed = async (at: KeyFixture) =>
      ((await at.operations.list()).json.keys as { last_used_at: string | null }[])[0].last_used_at;
    await b.ring.poll();
    expect(await lastUsed(a)).toBeNull();
    a.caller(key);
    await a.clock.sleep(5000);
    b.caller(key);
    expect(await lastUsed(a)).toBe("2026-01-01T00:00:00.000Z");
    expect(await lastUsed(b)).toBe("2026-01-01T00:00:05.000Z");
    await b.clock.sleep(KEY_USES_MS);
    await b.ring.poll();
    await a.ring.poll();
    expect(await lastUsed(a)).toBe("2026-01-01T00:00:05.000Z");
    expect((await KeyFixture.open({ store: new MemoryObjectStore() })).ring.isLocked).toBe(false);
    expect(id).toMatch(/./);
  });
});
