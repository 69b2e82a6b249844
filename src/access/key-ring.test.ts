import { describe, expect, test } from "vitest";
import { KeyFixture } from "../../test/support/access/key-fixture.ts";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { MemoryObjectStore } from "../../test/support/stores/memory-object-store.ts";
import {
  apiKeyKey,
  KEY_CHANGES_KEY,
  KEY_USES_KEY,
  keyRevocationKey,
} from "../storage/object-keys.ts";
import { ALWAYS, type ObjectKey } from "../storage/object-store.ts";
import { DEAD_KEYS_MAX, DEAD_KEYS_MS } from "./dead-keys.ts";

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
