import { describe, expect, test } from "vitest";
import {
  BY_ID,
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import type { RemoteSource } from "../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../test/support/segments/remote-snapshot.ts";
import { MemoryPool } from "../../base/memory-pool.ts";
import { oneStep, runSteps, type Steps } from "../../base/steps.ts";
import type { Query } from "../../model/query.ts";
import { BytesMissing, missedBy, type ReadRequest } from "../../segment/format/bytes-missing.ts";
import type { ReadingSteps } from "../../segment/format/reading-steps.ts";
import { SegmentMissing } from "../../segment/format/segment-missing.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import { QueryMemory } from "../operator/query-memory.ts";
import type { ScanProgress } from "../operator/scan-progress.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { runOnSnapshot, type TakeSteps } from "./run-on-snapshot.ts";
import { runRequest } from "./run-request.ts";

const DOCUMENTS = [1n, 2n, 3n].map((id) => documentOf(id));
const open = (): Snapshot => openSnapshot(schemaOf({}), [{ documents: DOCUMENTS }]);
const MISSED = new BytesMissing([{ object: "s" as ObjectKey, start: 0, end: 8 }]);

/** Runs attempts until one misses nothing, and continues those that request bytes. */
function readsWith(load: (request: ReadRequest) => void) {
  return {
    runCounted: async <T>(
      attempt: () => ReadingSteps<T>,
      take: TakeSteps,
      waits: () => void,
    ): Promise<{ result: T; stats: number }> => {
      let steps: ReadingSteps<T> | undefined;
      function* toRequest(): Steps<{ result: T } | { request: ReadRequest }> {
        try {
          steps ??= attempt();
          for (;;) {
            const { done, value } = steps.next();
            if (done === true) return { result: value };
            if (value !== undefined) return { request: value };
            yield;
          }
        } catch (error) {
          steps = undefined;
          return { request: missedBy(error) };
        }
      }
      for (let rounds = 0; ; rounds++) {
        const outcome = await take(toRequest());
        if ("result" in outcome) return { result: outcome.result, stats: rounds };
        waits();
        load(outcome.request);
      }
    },
  };
}

const READS = readsWith(() => {});

/** A source of these snapshots, one after the other, the last again and again. */
function sourceOf(...snapshots: readonly Snapshot[]) {
  const retained = { now: 0, ever: 0 };
  let next = 0;
  const source = {
    snapshot: () => snapshots[Math.min(next++, snapshots.length - 1)],
    scanBytesMax: 100,
    retain: () => {
      retained.now++;
      retained.ever++;
      return () => {
        retained.now--;
      };
    },
    take: async <T>(steps: Steps<T>) => runSteps(steps),
  };
  return { source, retained };
}

describe("where bytes are missing", () => {
  test("a query that throws runs again on its snapshot", async () => {
    const snapshot = open();
    const { source, retained } = sourceOf(snapshot, open());
    const seen: unknown[] = [];
    const query = (now: Snapshot) =>
      oneStep(() => {
        seen.push([now === snapshot, retained.now]);
        if (seen.length === 3) return "found";
        throw MISSED;
      });
    const { result, stats } = await runOnSnapshot(source, READS, query);
    expect(seen).toEqual([
      [true, 1],
      [true, 1],
      [true, 1],
    ]);
    expect([result, stats]).toEqual(["found", 2]);
    expect(retained).toEqual({ now: 0, ever: 1 });
  });

  test("a query that requests bytes continues; its scans may ask for more each round", async () => {
    const { source, retained } = sourceOf(open(), open());
    let begun = 0;
    let waited = 0;
    function* query(_now: Snapshot, progress: ScanProgress): ReadingSteps<boolean[]> {
      begun++;
      const asked: boolean[] = [];
      for (let round = 0; round < 3; round++) {
        const wave = progress.wave();
        const misses = () => {
          throw MISSED;
        };
        wave.has(misses, 100);
        wave.has(misses, 100);
        try {
          wave.end();
        } catch (error) {
          const { wanted, transient } = missedBy(error);
          asked.push(transient.length === 1);
          yield { wanted, transient };
        }
      }
      return asked;
    }
    const waits = () => {
      waited++;
    };
    const { result, stats } = await runOnSnapshot({ ...source, waits }, READS, query);
    expect(result).toEqual([true, true, true]);
    expect([begun, waited, stats]).toEqual([1, 3, 3]);
    expect(retained).toEqual({ now: 0, ever: 1 });
  });

  test("segments stay while the query pauses", async () => {
    const snapshot = open();
    const { source, retained } = sourceOf(snapshot);
    function* query(now: Snapshot): Steps<Snapshot> {
      for (let i = 0; i < 3; i++) {
        yield;
        expect(retained.now).toBe(1);
      }
      return now;
    }
    const done = await runOnSnapshot(source, READS, query);
    expect(done.result).toBe(snapshot);
    expect(done.snapshot).toBe(snapshot);
    expect(retained).toEqual({ now: 0, ever: 1 });
  });
});

describe("memory", () => {
  const schema = schemaOf({ tag: "string" });
  const documents = Array.from({ length: 40 }, (_, i) =>
    documentOf(BigInt(i), { tag: `tag ${i} ${"x".repeat(2000)}` }),
  );
  const contents = [{ documents: documents.slice(0, 20) }, { documents: documents.slice(20) }];
  const near = openSnapshot(schema, contents);
  const byId = { ...documentQuery(BY_ID, { limit: 40 }), selection: { kind: "all" } } as const;
  const groups: Query = {
    kind: "aggregate",
    filter: undefined,
    aggregates: new Map([["n", { kind: "count" }]]),
    groupBy: [{ kind: "attribute", attribute: "tag" }],
    groupLimit: 40,
  };

  /** What the request takes in the end, in a pool that has no more than `bytesMax`. */
  async function bytesOf(snapshot: Snapshot, sources: readonly RemoteSource[], bytesMax: number) {
    const memory = new QueryMemory(new MemoryPool(bytesMax));
    const rounds: number[] = [];
    const reads = readsWith(({ wanted }) => {
      rounds.push(memory.bytes);
      for (const source of sources) source.load(wanted);
    });
    const request = requestOf(byId, groups);
    await runOnSnapshot({ ...sourceOf(snapshot).source, memory }, reads, (now) =>
      runRequest(now, request, { kernels: KERNELS, memory }),
    );
    return { bytes: memory.bytes, rounds };
  }

  test("what an attempt took is given back where bytes were missing", async () => {
    const whole = await bytesOf(near, [], 2 ** 30);
    expect(whole.bytes).toBeGreaterThan(40 * 2000);
    const { snapshot, sources } = remoteSnapshot(near);
    const found = await bytesOf(snapshot, sources, whole.bytes);
    expect(found.bytes).toBe(whole.bytes);
    expect(found.rounds.length).toBeGreaterThan(1);
    // Groups that were found are kept; nothing else is.
    expect(Math.max(...found.rounds)).toBeLessThan(whole.bytes - 40 * 2000);
  });

  test("a query that begins anew on another snapshot keeps nothing", async () => {
    const memory = new QueryMemory(new MemoryPool(1000));
    const [old, newer] = [open(), open()];
    const { source } = sourceOf(old, newer);
    await runOnSnapshot({ ...source, memory }, READS, (now) =>
      oneStep(() => {
        memory.take(600, "groups");
        if (now === old) throw new SegmentMissing("it is gone");
      }),
    );
    expect(memory.bytes).toBe(600);
  });
});

describe("where a segment was collected", () => {
  const fails = () => {
    throw new SegmentMissing("it is gone");
  };

  test("the query runs on a newer snapshot", async () => {
    const [old, newer] = [open(), open()];
    const { source } = sourceOf(old, newer);
    const done = await runOnSnapshot(source, READS, (now) =>
      now === old ? fails() : oneStep(() => "found"),
    );
    expect(done).toMatchObject({ result: "found", snapshot: newer });
  });

  test("a newest snapshot that names it is damaged, and so is one after the other", async () => {
    const corrupt = expect.objectContaining({ code: "corrupt", message: "it is gone" });
    await expect(runOnSnapshot(sourceOf(open()).source, READS, fails)).rejects.toEqual(corrupt);
    const { source } = sourceOf(open(), open(), open(), open(), open());
    await expect(runOnSnapshot(source, READS, fails)).rejects.toEqual(corrupt);
  });

  test("other errors are the query's", async () => {
    const { source, retained } = sourceOf(open());
    let runs = 0;
    const query = () => {
      if (runs++ === 0) throw MISSED;
      throw new Error("a bug");
    };
    await expect(runOnSnapshot(source, READS, query)).rejects.toThrow("a bug");
    expect(retained).toEqual({ now: 0, ever: 1 });
  });
});
