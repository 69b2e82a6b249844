import { describe, expect, test } from "vitest";
import { InstantClock } from "../../../test/support/clocks/instant-clock.ts";
import { FaultyObjectStore } from "../../../test/support/stores/faulty-object-store.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { WorkingStore } from "../../../test/support/stores/working-store.ts";
import { DatabaseError } from "../../base/errors.ts";
import { seededRandom } from "../../base/random.ts";
import {
  ALWAYS,
  type ListRequest,
  type ObjectBody,
  type ObjectKey,
  type ObjectStore,
  type PutCondition,
  type PutOutcome,
} from "../object-store.ts";
import { RetryingObjectStore } from "../retrying-object-store.ts";
import { checkStore } from "./store-check.ts";

const random = seededRandom(11);
const check = (store: ObjectStore) => checkStore({ store, name: "store X", random });

/** Leaves nothing below `probe/`. */
async function expectClean(store: ObjectStore): Promise<void> {
  expect((await store.list({ prefix: "", limit: 10 })).keys).toEqual([]);
}

describe("the probe", () => {
  test("passes a store that keeps its promises, and leaves nothing behind", async () => {
    const store = new MemoryObjectStore();
    await check(store);
    await expectClean(store);
  });

  test("settles unknown outcomes by reading back, whether they took effect or not", async () => {
    let passed = 0;
    for (let seed = 1; seed <= 40; seed++) {
      const faults = seededRandom(seed);
      const clock = new InstantClock();
      const rates = { before: 0.15, after: 0.15, delayMsMax: 3 };
      const inner = new MemoryObjectStore();
      const faulty = new FaultyObjectStore({ store: inner, random: faults, clock, rates });
      const store = new RetryingObjectStore({ store: faulty, clock, random: faults });
      const failure = await check(store).catch((error: unknown) => error);
      // A fault that outlasts all tries is passed on; it is never taken for a broken promise.
      if (failure !== undefined) {
        expect(failure, `seed ${seed}`).toMatchObject({ code: "unavailable" });
        continue;
      }
      passed++;
      await expectClean(inner);
    }
    expect(passed).toBeGreaterThan(30);
  });

  test("passes on what the store throws where it cannot be used", async () => {
    class Closed extends WorkingStore {
      override get(): Promise<undefined> {
        return Promise.reject(new DatabaseError("unavailable", "create the bucket"));
      }
    }
    await expect(check(new Closed())).rejects.toThrow(/^create the bucket$/);
  });
});

describe("the probe refuses, by name, a store that", () => {
  test("ignores the condition of a put", async () => {
    class Ignoring extends WorkingStore {
      override put(key: ObjectKey, body: ObjectBody): Promise<PutOutcome> {
        return this.store.put(key, body, ALWAYS);
      }
    }
    const store = new Ignoring();
    await expect(check(store)).rejects.toMatchObject({
      code: "invalid",
      message: expect.stringMatching(/^cannot use store X: it does not decide races .*16 of 16/),
    });
    await expectClean(store);
  });

  test("checks first and writes later", async () => {
    class Checking extends WorkingStore {
      override async put(key: ObjectKey, body: ObjectBody): Promise<PutOutcome> {
        if ((await this.store.get(key)) !== undefined) return { kind: "conflict" };
        await new Promise((resolve) => setImmediate(resolve));
        return this.store.put(key, body, ALWAYS);
      }
    }
    await expect(check(new Checking())).rejects.toThrow(/cannot use store X: .*races/);
  });

  test("says conflict and overwrites", async () => {
    class Overwriting extends WorkingStore {
      override async put(key: ObjectKey, body: ObjectBody, condition: PutCondition) {
        const outcome = await this.store.put(key, body, condition);
        await this.store.put(key, body, ALWAYS);
        return outcome;
      }
    }
    await expect(check(new Overwriting())).rejects.toThrow(/cannot use store X/);
  });

  test("forgets the condition once an object is old", async () => {
    class Forgetful extends WorkingStore {
      #puts = 0;
      override put(key: ObjectKey, body: ObjectBody, condition: PutCondition) {
        return this.store.put(key, body, ++this.#puts > 48 ? ALWAYS : condition);
      }
    }
    await expect(check(new Forgetful())).rejects.toThrow(/ignores the condition of a put/);
  });

  test("does not list what was put", async () => {
    class Late extends WorkingStore {
      override async list() {
        return { keys: [], prefixes: [], truncated: false };
      }
    }
    await expect(check(new Late())).rejects.toThrow(/listing does not show/);
  });

  test("starts every listing at its start", async () => {
    class Restarting extends WorkingStore {
      override list({ prefix, limit }: ListRequest) {
        return this.store.list({ prefix, limit });
      }
    }
    await expect(check(new Restarting())).rejects.toThrow(/listing does not go on after a key/);
  });

  test("answers ranges with something else", async () => {
    class Whole extends WorkingStore {
      override getRange(key: ObjectKey): Promise<Uint8Array | undefined> {
        return this.store.get(key);
      }
    }
    await expect(check(new Whole())).rejects.toThrow(/does not read ranges/);
  });

  test("keeps what was deleted", async () => {
    class Keeping extends WorkingStore {
      override async delete(): Promise<void> {}
    }
    await expect(check(new Keeping())).rejects.toThrow(/after it was deleted/);
  });
});
