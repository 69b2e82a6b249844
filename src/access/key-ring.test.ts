import { describe, expect, test } from "vitest";
import { KeyFixture } from "../../test/support/access/key-fixture.ts";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { ManualClock } from "../../test/support/clocks/manual-clock.ts";
import { testRandom } from "../../test/support/random/seed.ts";
import { HookedObjectStore } from "../../test/support/stores/hooked-object-store.ts";
import { DatabaseError } from "../base/errors.ts";
import { CountingObjectStore } from "../storage/counting-object-store.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import {
  apiKeyKey,
  KEY_CHANGES_KEY,
  KEY_USES_KEY,
  keyRevocationKey,
} from "../storage/object-keys.ts";
import { ALWAYS, type ObjectKey } from "../storage/object-store.ts";
import { DEAD_KEYS_MAX, DEAD_KEYS_MS } from "./dead-keys.ts";
import { KEY_AGE_MS_MAX, KEY_POLL_MS, KEY_WAIT_MS_MAX } from "./key-ring.ts";
import { KEY_USES_MS } from "./key-uses.ts";

describe("the header", () => {
  test("is not looked at while there is no key", async () => {
    const { ring } = await KeyFixture.open();
    for (const header of [undefined, "", "Basic x", "Bearer x", "Bearer tput_x.y"]) {
      expect(ring.identify(header)).toEqual({ kind: "anyone" });
    }
  });

  test.each(["Bearer right", "bearer right", "BEARER  right  "])(
    "%j has the key",
    async (header) => {
      const { ring } = await KeyFixture.open({ apiKey: "right" });
      expect(ring.identify(header)).toMatchObject({ kind: "key", key: { name: "--api-key" } });
    },
  );

  test.each([
    [undefined, "missing API key"],
    ["", "malformed"],
    ["right", "malformed"],
    ["Basic right", "malformed"],
    ["Bearer", "malformed"],
    ["Bearer right key", "malformed"],
    ["Bearer  ", "malformed"],
    ["Bearer Right", "unknown API key"],
    ["Bearer righ", "unknown API key"],
    ["Bearer rightt", "unknown API key"],
  ])("%j is unauthorized: %s", async (header, message) => {
    const { ring } = await KeyFixture.open({ apiKey: "right" });
    const attempt = () => ring.identify(header);
    expect(attempt).toThrow(message);
    expect(attempt).toThrow(expect.objectContaining({ code: "unauthorized" }));
  });

  test("is repeated by no refusal, and neither is a key", async () => {
    const { ring } = await KeyFixture.open({ apiKey: "k3y" });
    for (const header of ["Bearer s3nt", "Basic s3nt", "Bearer tput_s3nt.s3nt"]) {
      expect(() => ring.identify(header)).toThrow(
        expect.objectContaining({ message: expect.not.stringMatching(/s3nt|k3y/) }),
      );
    }
  });
});

describe("keys", () => {
  test("have the form that is told, and are kept as a hash alone", async () => {
    const store = new MemoryObjectStore();
    const keys = await KeyFixture.open({ store });
    const made = await keys.create({ name: "first", expires_in: "30d" });
    expect(made).toMatchObject({
      key: expect.stringMatching(/^tpuf_[A-Za-z0-9]{32}$/),
      id: expect.stringMatching(/^[0-9a-f]{16}$/),
      name: "first",
      last_four: made.key.slice(-4),
      actions: ["admin"],
      namespaces: ["*"],
      expires_at: "2026-01-31T00:00:00.000Z",
      last_used_at: null,
    });
    const { keys: objects } = await store.list({ prefix: "", limit: 100 });
    for (const object of objects) {
      expect(Buffer.from((await store.get(object)) ?? []).includes(made.key)).toBe(false);
    }
    const { json } = await keys.operations.list();
    expect(JSON.stringify(json)).not.toContain(made.key);
    expect(json.keys).toMatchObject([{ id: made.id, name: "first" }]);
  });

  test("are needed from the first one on, also when none is left", async () => {
    const store = new MemoryObjectStore();
    const clock = new InstantClock();
    const keys = await KeyFixture.open({ store, clock });
    expect(keys.ring.isLocked).toBe(false);
    const { id } = await keys.create();
    expect(keys.ring.isLocked).toBe(true);
    await keys.operations.revoke(id);
    await clock.sleep(2 * DEAD_KEYS_MS);
    for (let restart = 0; restart < 2; restart++) {
      const again = await KeyFixture.open({ store, clock });
      expect(again.ring.isLocked).toBe(true);
    }
    // What was left of the key is gone by then.
    expect((await store.list({ prefix: "keys/", limit: 9 })).keys).toEqual([KEY_CHANGES_KEY]);
  });

  test("begin with one that may create others, unless there is --api-key", async () => {
    const reader = { actions: ["read"], namespaces: ["a-*"] };
    const open = await KeyFixture.open();
    await expect(open.create(reader)).rejects.toThrow("the first key needs the action `admin`");
    expect(open.ring.isLocked).toBe(false);
    await open.create();
    await open.create(reader);
    await (await KeyFixture.open({ apiKey: "k" })).create(reader);
  });

  test("end at their time, and say so", async () => {
    const keys = await KeyFixture.open({ apiKey: "boot" });
    const { key } = await keys.create({ name: "short", expires_in: "90s" });
    await keys.clock.sleep(89_999);
    expect(keys.verdict(key)).toBe("key");
    await keys.clock.sleep(1);
    expect(keys.verdict(key)).toMatch(/^the key "short" \(….{4}\) has expired at 2026-/);
    expect(keys.verdict("boot")).toBe("key");
  });

  test("say that they were revoked, for as long as that is remembered", async () => {
    const store = new MemoryObjectStore();
    const keys = await KeyFixture.open({ store });
    const { key, id } = await keys.create({ name: "old" });
    await keys.create();
    await keys.operations.revoke(id);
    await keys.operations.revoke(id);
    expect(keys.verdict(key)).toMatch(/^the key "old" \(….{4}\) was revoked$/);
    const { json } = await keys.operations.list();
    expect(json.keys).toContainEqual(
      expect.objectContaining({ id, revoked_at: "2026-01-01T00:00:00.000Z" }),
    );
    await keys.clock.sleep(DEAD_KEYS_MS + 1);
    const later = await KeyFixture.open({ store, clock: keys.clock });
    await later.ring.poll();
    const last = await KeyFixture.open({ store, clock: keys.clock });
    expect(last.verdict(key)).toBe("unknown API key");
  });

  test("are not removed by a server whose clock is far ahead, and are by the others", async () => {
    const store = new MemoryObjectStore();
    const right = await KeyFixture.open({ store });
    const { key } = await right.create({ name: "app", expires_in: "1d" });
    await right.create();
    const ahead = await KeyFixture.open({
      store,
      clock: new InstantClock(right.clock.nowMs() + 3 * DEAD_KEYS_MS),
    });
    expect(ahead.verdict(key)).toMatch(/has expired/);
    // What it has made is no proof of the time, also where it is started anew.
    await ahead.create();
    const again = await KeyFixture.open({ store, clock: ahead.clock });
    await again.ring.poll();
    for (let turn = 0; turn < 3; turn++) {
      const { id } = await ahead.create();
      await ahead.operations.revoke(id);
      await ahead.ring.poll();
    }
    await right.ring.poll();
    expect(right.verdict(key)).toBe("key");
    await right.clock.sleep(DEAD_KEYS_MS + 2 * 86_400_000);
    await right.create();
    await right.ring.poll();
    expect(right.verdict(key)).toBe("unknown API key");
  });

  test("are remembered up to a number, those that ended last", async () => {
    const store = new MemoryObjectStore();
    const keys = await KeyFixture.open({ store, apiKey: "boot" });
    const ended: string[] = [];
    for (let i = 0; i < DEAD_KEYS_MAX + 40; i++) {
      const { id } = await keys.create();
      await keys.clock.sleep(1);
      await keys.operations.revoke(id);
      ended.push(id);
    }
    const { id: live } = await keys.create();
    await keys.ring.poll();
    const { json } = await keys.operations.list();
    const left = new Set((json.keys as { id: string }[]).map(({ id }) => id));
    expect(left).toEqual(new Set([...ended.slice(-DEAD_KEYS_MAX), live]));
    const again = await KeyFixture.open({ store, clock: keys.clock, apiKey: "boot" });
    expect(((await again.operations.list()).json.keys as object[]).length).toBe(DEAD_KEYS_MAX + 1);
  });

  test("that are not there cannot be revoked, nor that of the settings", async () => {
    const keys = await KeyFixture.open({ apiKey: "boot" });
    await expect(keys.operations.revoke("0123456789abcdef")).rejects.toThrow("there is no key");
    await expect(keys.operations.revoke("../../namespaces")).rejects.toThrow("there is no key");
    const caller = keys.caller("boot");
    const id = caller.kind === "key" ? caller.key.id : "";
    await expect(keys.operations.revoke(id)).rejects.toThrow("--api-key");
  });
});

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

describe("damage", () => {
  async function damaged(object: (id: string) => ObjectKey) {
    const store = new MemoryObjectStore();
    const first = await KeyFixture.open({ store });
    const kept = await first.create();
    const hurt = await first.create();
    await first.operations.revoke(hurt.id);
    first.caller(kept.key);
    await first.ring.flushUses();
    const at = object(hurt.id);
    const bytes = Buffer.from((await store.get(at)) ?? []);
    bytes[bytes.length - 1] ^= 1;
    await store.put(at, bytes, ALWAYS);
    const keys = await KeyFixture.open({ store });
    expect(keys.ring.isLocked).toBe(true);
    expect(keys.verdict(kept.key)).toBe("key");
    return { keys, verdict: keys.verdict(hurt.key) };
  }

  test("of a key makes it open nothing", async () => {
    const { keys, verdict } = await damaged(apiKeyKey);
    expect(verdict).toBe("unknown API key");
    expect(keys.logs).toEqual(["an API key cannot be read, and opens nothing"]);
  });

  test("of a revocation revokes the key", async () => {
    const { keys, verdict } = await damaged(keyRevocationKey);
    expect(verdict).toContain("was revoked");
    expect(keys.logs).toHaveLength(1);
  });

  test("of the mark of changes has keys listed at each look", async () => {
    const { keys } = await damaged(() => KEY_CHANGES_KEY);
    const { key } = await keys.create();
    await keys.ring.poll();
    expect(keys.verdict(key)).toBe("key");
  });

  test("of the mark of changes is told at growing intervals", async () => {
    const { keys } = await damaged(() => KEY_CHANGES_KEY);
    for (let look = 0; look < 100; look++) await keys.ring.poll();
    // Each look reads it twice, and the start once: told the 1st, 2nd, 4th, … 128th time.
    expect(keys.logs).toEqual(
      Array(8).fill("the mark of changes of API keys cannot be read; they are listed anew"),
    );
  });

  test("of the times of use loses those", async () => {
    const { keys } = await damaged(() => KEY_USES_KEY);
    const { json } = await keys.operations.list();
    expect(json.keys).toContainEqual(expect.objectContaining({ last_used_at: null }));
    expect(keys.logs).toHaveLength(1);
  });
});
