/**
 * The promises of src/storage/numbered-objects.ts as tests, for each family of objects that is
 * built on it, over each kind of store: what was told is written stays, nothing is there twice, and
 * nothing that is in doubt is called refused.
 */

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Clock } from "../../src/base/clock.ts";
import { DatabaseError, isDatabaseError } from "../../src/base/errors.ts";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { type FileSystem, systemFiles } from "../../src/storage/directory/file-system.ts";
import { FsObjectStore } from "../../src/storage/directory/fs-object-store.ts";
import { ALWAYS, type ObjectKey, type ObjectStore } from "../../src/storage/object-store.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import {
  type FaultRates,
  FaultyObjectStore,
  SimulatedCrash,
} from "../support/stores/faulty-object-store.ts";
import { MemoryObjectStore } from "../support/stores/memory-object-store.ts";
import { temporaryDirectory } from "../support/stores/temporary-directory.ts";
import { unsyncedFiles } from "../support/stores/unsynced-files.ts";

/** Puts objects of one family, each of which holds a text. */
export interface NumberedWriter {
  /** Puts an object after the last that this writer knows; returns the number that it won. */
  put(text: string): Promise<number | "conflict">;
  /** Learns of all that is there. */
  catchUp(): Promise<void>;
}

/** What a writer works with. */
export interface NumberedOptions {
  readonly store: ObjectStore;
  readonly clock: Clock;
  readonly random: Random;
}

/** A family under test. */
export interface NumberedSubject {
  readonly name: string;
  /** What a put asks of the store where nothing fails; its first request puts the object. */
  readonly putRequests: number;
  keyOf(number: number): ObjectKey;
  /** A writer that knows of nothing. */
  writer(options: NumberedOptions): NumberedWriter;
  readonly effort: NumberedEffort;
  /** The texts of all objects, by number. */
  texts(store: ObjectStore): Promise<string[]>;
}

const NO_FAULTS = { before: 0, after: 0, delayMsMax: 0 };

interface OpenedStore {
  /** All that is there, without faults. */
  readonly inner: ObjectStore;
  /** How a writer reaches it. */
  connect(seed: number): ObjectStore;
  close(): Promise<void>;
}

const STORES: Readonly<Record<string, (files: FileSystem) => Promise<OpenedStore>>> = {
  memory: async () => {
    const inner = new MemoryObjectStore();
    return { inner, connect: () => inner, close: async () => {} };
  },
  directory: async (files) => {
    const { path, remove } = await temporaryDirectory();
    const inner = await FsObjectStore.open({ root: path, random: seededRandom(1), files });
    return { inner, connect: () => inner, close: remove };
  },
  faulty: async () => {
    const inner = new MemoryObjectStore();
    const rates = { before: 0.2, after: 0.2, delayMsMax: 20 };
    const connect = (seed: number) => faulty(inner, rates, seed);
    return { inner, connect, close: async () => {} };
  },
};

/** Number of test cases for each kind of store. */
export interface NumberedEffort {
  /** Seeds of the test with several writers; without faults they differ in nonces only. */
  readonly seeds: Readonly<Record<string, number>>;
  /** Step between the calls at which a writer crashes; odd, to reach each request of a put. */
  readonly crashStride: Readonly<Record<string, number>>;
  /** The files of directory stores. */
  readonly files: FileSystem;
}

/** All cases. */
export const NUMBERED_FULL: NumberedEffort = {
  seeds: { memory: 5, directory: 3, faulty: 60 },
  crashStride: { memory: 1, directory: 1, faulty: 1 },
  files: systemFiles,
};
/** A share of them, without syncs. */
export const NUMBERED_USUAL: NumberedEffort = {
  seeds: { memory: 1, directory: 1, faulty: 10 },
  crashStride: { memory: 1, directory: 5, faulty: 1 },
  files: unsyncedFiles,
};

/** Runs the suite for one family over each kind of store. */
export function describeNumberedObjects(subject: NumberedSubject): void {
  describe.each(Object.keys(STORES))(`${subject.name} over a %s store`, (kind) => {
    let opened: OpenedStore;
    beforeEach(async () => {
      opened = await STORES[kind](subject.effort.files);
    });
    afterEach(() => opened.close());

    const writerOver = (store: ObjectStore, seed: number) =>
      subject.writer({ store, clock: new InstantClock(), random: seededRandom(seed) });
    const writerOf = (seed: number) => writerOver(opened.connect(seed), seed);

    test("are numbered without gaps, in the order in which they were put", async () => {
      const written = await putAll(writerOf(1), "a", 5);
      const texts = await subject.texts(opened.inner);
      expectAll(written, texts);
      const numbers = [...written.values()];
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      for (let number = 1; number <= texts.length; number++) {
        expect(await opened.inner.get(subject.keyOf(number)), `number ${number}`).toBeDefined();
      }
    });

    test("of many writers of one number, one is told that it wrote it", async () => {
      const writers = Array.from({ length: 16 }, (_, seed) => writerOf(seed + 1));
      const outcomes = await Promise.all(
        writers.map((writer, number) => writer.put(`${number}`).catch(asDoubt)),
      );
      const texts = await subject.texts(opened.inner);
      expect(texts.length).toBe(1);
      const winners = outcomes.flatMap((outcome, number) => {
        return outcome === 1 ? [`${number}`] : [];
      });
      const isDoubted = outcomes[Number(texts[0])] === "unknown";
      expect(winners).toEqual(isDoubted ? [] : texts);
    });

    test("a writer that lost goes on behind who won", async () => {
      await putAll(writerOf(1), "a", 2);
      const writer = writerOver(opened.inner, 2);
      expect(await writer.put("lost")).toBe("conflict");
      await writer.catchUp();
      const number = await writer.put("mine");
      const texts = await subject.texts(opened.inner);
      expect(texts).not.toContain("lost");
      expect(texts.at(-1)).toBe("mine");
      expect(number).toBe(texts.length);
    });

    test("a put whose answer is lost is found to be written, once", async () => {
      const { inner } = opened;
      let isLost = false;
      const put: ObjectStore["put"] = async (...words) => {
        const outcome = await inner.put(...words);
        if (isLost) return outcome;
        isLost = true;
        throw new DatabaseError("unavailable", "the answer is lost");
      };
      expect(await writerOver(overriding(inner, { put }), 3).put("once")).toBe(1);
      expect(await subject.texts(opened.inner)).toEqual(["once"]);
    });

    test("a put that stays in doubt says so, and is another's from then on", async () => {
      const store = faulty(opened.inner, { before: 0, after: 1, delayMsMax: 0 });
      const writer = writerOver(store, 4);
      await expect(writer.put("in doubt")).rejects.toMatchObject({
        code: "unavailable",
        message: expect.stringMatching(
          `^cannot commit ${subject.keyOf(1)} in 6 tries, but it may be .*: injected`,
        ),
      });
      store.setRates(NO_FAULTS);
      expect(await writer.put("another")).toBe("conflict");
      expect(await subject.texts(opened.inner)).toEqual(["in doubt"]);
    });

    test("a damaged object under its number stops a writer", async () => {
      await opened.inner.put(subject.keyOf(1), new Uint8Array(50), ALWAYS);
      await expect(writerOver(opened.inner, 5).put("x")).rejects.toMatchObject({ code: "corrupt" });
    });

    test("one that was collected before it was read is not taken for one's own", async () => {
      await putAll(writerOf(1), "a", 1);
      const { inner } = opened;
      const get: ObjectStore["get"] = async (key) => {
        return key === subject.keyOf(1) ? undefined : inner.get(key);
      };
      const late = writerOver(overriding(inner, { get }), 6).put("late");
      expect(["conflict", "unknown"]).toContain(await late.catch(asDoubt));
    });

    test("what several writers are told is written is there, each text once", async () => {
      for (let seed = 1; seed <= subject.effort.seeds[kind]; seed++) {
        const { inner, connect, close } = await STORES[kind](subject.effort.files);
        const write = (writer: number) => {
          const own = seed * 10 + writer;
          return putAll(writerOver(connect(own), own), `${writer}`, 8);
        };
        const written = await Promise.all([1, 2, 3].map(write));
        const texts = await subject.texts(inner);
        for (const own of written) expectAll(own, texts, `seed ${seed}`);
        await close();
      }
    });

    test("a crash at any call leaves whole objects, and all that were told written", async () => {
      for (const when of ["before", "after"] as const) {
        const stride = subject.effort.crashStride[kind];
        for (let call = 1; call <= 6 * subject.putRequests; call += stride) {
          const opening = await STORES[kind](subject.effort.files);
          const store = faulty(opening.inner, NO_FAULTS);
          store.crashAt({ call, when });
          const writer = writerOver(store, 7);
          const written: string[] = [];
          for (const text of ["a", "b", "c", "d", "e"]) {
            const outcome = await writer.put(text).catch((error: unknown) => {
              expect(error).toBeInstanceOf(SimulatedCrash);
            });
            if (outcome === undefined) break;
            written.push(text);
          }
          const texts = await subject.texts(opening.inner);
          expect(texts.slice(0, written.length)).toEqual(written);
          const isPut = when === "after" || (call - 1) % subject.putRequests > 0;
          const isCrashed = call <= 5 * subject.putRequests;
          expect(texts.length - written.length).toBe(isCrashed && isPut ? 1 : 0);
          await opening.close();
        }
      }
    });
  });
}

/** Puts so many texts, each until it is told written; returns what was, with the numbers won. */
async function putAll(
  writer: NumberedWriter,
  prefix: string,
  count: number,
): Promise<Map<string, number>> {
  const written = new Map<string, number>();
  for (let tried = 0; written.size < count; tried++) {
    expect(tried, "tries").toBeLessThan(100 * count);
    // What is in doubt may be there, so each try has a text of its own.
    const text = `${prefix}.${tried}`;
    const outcome = await writer.put(text).catch(asDoubt);
    if (typeof outcome === "number") written.set(text, outcome);
    else while ((await writer.catchUp().catch(asDoubt)) === "unknown");
  }
  return written;
}

/** What was told written is where it was told to be, and nothing is there twice. */
function expectAll(
  written: ReadonlyMap<string, number>,
  texts: readonly string[],
  context = "",
): void {
  expect(new Set(texts).size, context).toBe(texts.length);
  for (const [text, number] of written) expect(texts[number - 1], context).toBe(text);
}

/** A put whose outcome is unknown to the writer. */
function asDoubt(error: unknown): "unknown" {
  if (!isDatabaseError(error, "unavailable", "conflict")) throw error;
  return "unknown";
}

function faulty(inner: ObjectStore, rates: FaultRates, seed = 8): FaultyObjectStore {
  const clock = new InstantClock();
  return new FaultyObjectStore({ store: inner, random: seededRandom(seed), clock, rates });
}

/** The store `inner`, but for some calls. */
function overriding(inner: ObjectStore, calls: Partial<ObjectStore>): ObjectStore {
  return {
    get: (key) => inner.get(key),
    getRange: (...words) => inner.getRange(...words),
    put: (...words) => inner.put(...words),
    list: (request) => inner.list(request),
    delete: (key) => inner.delete(key),
    ...calls,
  };
}
