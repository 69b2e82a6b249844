import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { MemoryObjectStore } from "../../../test/support/stores/memory-object-store.ts";
import { WorkingStore } from "../../../test/support/stores/working-store.ts";
import { DatabaseError } from "../../base/errors.ts";
import { piecesBytes } from "../../base/pieces.ts";
import {
  ALWAYS,
  type ListPage,
  type ListRequest,
  type ObjectBody,
  type ObjectKey,
  type ObjectStore,
  type PutCondition,
  type PutOutcome,
  piecesOf,
} from "../object-store.ts";
import { CERTIFICATION_CASES, certify } from "./certification.ts";

/** Stores that are broken elsewhere keep these promises, which take the most time. */
const isSlow = (promise: string) =>
  promise.startsWith("large objects") || promise.startsWith("listings of more than a thousand");
const TRIED_BY_ALL = effort({ usual: (promise: string) => !isSlow(promise), full: () => true });

/** Tries the cases whose promises are `tried`, and returns those that were not kept. */
async function notKept(store: ObjectStore, tried: string | ((promise: string) => boolean)) {
  const isTried = typeof tried === "string" ? (promise: string) => promise.includes(tried) : tried;
  const lost: { promise: string; verdict: string; seen: string }[] = [];
  for (const [index, certificationCase] of CERTIFICATION_CASES.entries()) {
    if (!isTried(certificationCase.promise)) continue;
    const parts = { store, folder: `certify/${index}`, tally: { unknownPuts: 0 } };
    const result = await certify(certificationCase, parts);
    if (result.verdict !== "kept") lost.push(result);
  }
  return lost;
}

/** A promise that is among the broken ones, by its first words. */
const broken = (words: string) =>
  expect.objectContaining({ verdict: "broken", promise: expect.stringContaining(words) });

test("a store that keeps its promises passes, and is left empty", async () => {
  const store = new MemoryObjectStore();
  expect(await notKept(store, () => true)).toEqual([]);
  expect((await store.list({ prefix: "", limit: 10 })).keys).toEqual([]);
});

test("a store that fails is no store that breaks promises", async () => {
  class Failing extends WorkingStore {
    override list(): Promise<ListPage> {
      return Promise.reject(new DatabaseError("unavailable", "not now"));
    }
  }
  const lost = await notKept(new Failing(), TRIED_BY_ALL);
  expect(lost.length).toBeGreaterThan(5);
  expect(lost.every(({ verdict, seen }) => verdict === "failed" && seen === "not now")).toBe(true);
});

test("nothing is written after a case that could not be found out", async () => {
  class FailingOnce extends WorkingStore {
    override async put(key: ObjectKey, body: ObjectBody, condition: PutCondition) {
      if (key.includes("/many/")) await new Promise((resolve) => setImmediate(resolve));
      if (key.endsWith("/00100")) throw new DatabaseError("unavailable", "this once");
      return this.store.put(key, body, condition);
    }
  }
  const store = new FailingOnce();
  const [{ verdict, promise }] = await notKept(store, "thousand keys");
  expect([verdict, promise]).toEqual(["failed", expect.stringContaining("thousand keys")]);
  for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect((await store.list({ prefix: "", limit: 10 })).keys).toEqual([]);
});

describe("a store fails that", () => {
  test("ignores conditions", async () => {
    class Ignoring extends WorkingStore {
      override put(key: ObjectKey, body: ObjectBody): Promise<PutOutcome> {
        return this.store.put(key, body, ALWAYS);
      }
    }
    const lost = await notKept(new Ignoring(), () => true);
    const words = ["put-if-absent conflicts", "large objects", "64 conditional puts"];
    expect(lost).toEqual(words.map(broken));
  });

  test("checks first and writes later", async () => {
    class Checking extends WorkingStore {
      override async put(key: ObjectKey, body: ObjectBody, condition: PutCondition) {
        const isThere = (await this.store.get(key)) !== undefined;
        if (isThere && condition.kind === "absent") return { kind: "conflict" } as const;
        await Promise.resolve(); // Others come in between.
        return this.store.put(key, body, ALWAYS);
      }
    }
    expect(await notKept(new Checking(), TRIED_BY_ALL)).toEqual([broken("64 conditional puts")]);
  });

  test("ignores the conditions of large bodies", async () => {
    class Careless extends WorkingStore {
      override put(key: ObjectKey, body: ObjectBody, condition: PutCondition) {
        const isLarge = piecesBytes(piecesOf(body)) > 2 ** 24;
        return this.store.put(key, body, isLarge ? ALWAYS : condition);
      }
    }
    expect(await notKept(new Careless(), () => true)).toEqual([broken("large objects")]);
  });

  test("lists late", async () => {
    class Late extends WorkingStore {
      #page: Promise<ListPage> | undefined;
      override list(request: ListRequest): Promise<ListPage> {
        const page = this.#page ?? this.store.list(request);
        this.#page = this.store.list(request);
        return page;
      }
    }
    expect(await notKept(new Late(), "a put shows at once")).toEqual([
      broken("a put shows at once"),
    ]);
  });

  test("lists in another order", async () => {
    class Unordered extends WorkingStore {
      override async list(request: ListRequest): Promise<ListPage> {
        const page = await this.store.list(request);
        return { ...page, keys: page.keys.toReversed() };
      }
    }
    expect(await notKept(new Unordered(), "in byte order")).toEqual([broken("in byte order")]);
  });

  test("starts again behind the folder that a listing starts in", async () => {
    class Skipping extends WorkingStore {
      override list(request: ListRequest): Promise<ListPage> {
        const { prefix, startAfter = "", delimiter } = request;
        const slash = delimiter ? startAfter.indexOf("/", prefix.length) : -1;
        if (slash < 0) return this.store.list(request);
        return this.store.list({ ...request, startAfter: `${startAfter.slice(0, slash + 1)}~` });
      }
    }
    expect(await notKept(new Skipping(), "also inside of a folder")).toEqual([
      broken("also inside of a folder"),
    ]);
  });

  test("lists a thousand keys at most", async () => {
    class Bounded extends WorkingStore {
      override list(request: ListRequest): Promise<ListPage> {
        return this.store.list({ ...request, limit: Math.min(request.limit, 1_000) });
      }
    }
    expect(await notKept(new Bounded(), () => true)).toEqual([broken("more than a thousand keys")]);
  });

  test("ends ranges one byte late", async () => {
    class Inclusive extends WorkingStore {
      override getRange(key: ObjectKey, start: number, end: number) {
        return this.store.getRange(key, start, end + 1);
      }
    }
    for (const words of ["ranges are half-open", "random ranges"])
      expect(await notKept(new Inclusive(), words)).toEqual([broken(words)]);
  });

  test("shows half of a replacement", async () => {
    class Torn extends WorkingStore {
      override async put(key: ObjectKey, body: ObjectBody, condition: PutCondition) {
        const isWhole = !(body instanceof Uint8Array) || body.length < 2;
        if (isWhole || condition.kind === "absent") return this.store.put(key, body, condition);
        await this.store.put(key, body.subarray(0, body.length / 2), condition);
        await Promise.resolve(); // Others come in between.
        return this.store.put(key, body, condition);
      }
    }
    expect(await notKept(new Torn(), TRIED_BY_ALL)).toEqual([broken("readers see whole objects")]);
  });

  test("keeps a caller's array instead of its bytes", async () => {
    class Aliasing extends WorkingStore {
      readonly #bodies = new Map<ObjectKey, Uint8Array>();
      override put(key: ObjectKey, body: ObjectBody, condition: PutCondition) {
        if (body instanceof Uint8Array) this.#bodies.set(key, body);
        return this.store.put(key, body, condition);
      }
      override async get(key: ObjectKey) {
        const stored = await this.store.get(key);
        return stored && (this.#bodies.get(key) ?? stored);
      }
    }
    expect(await notKept(new Aliasing(), "what a caller does")).toEqual([
      broken("what a caller does"),
    ]);
  });
});
