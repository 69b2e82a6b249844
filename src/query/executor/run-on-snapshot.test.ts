import { describe, expect, test } from "vitest";
import { documentOf, openSnapshot, schemaOf } from "../../../test/support/queries/query-fixture.ts";
import { oneStep, runSteps, type Steps } from "../../base/steps.ts";
import { BytesMissing } from "../../segment/format/bytes-missing.ts";
import { SegmentMissing } from "../../segment/format/segment-missing.ts";
import type { ObjectKey } from "../../storage/object-store.ts";
import type { Snapshot } from "../snapshot.ts";
import { type QueryAttempt, runOnSnapshot, type TakeSteps } from "./run-on-snapshot.ts";

const DOCUMENTS = [1n, 2n, 3n].map((id) => documentOf(id));
const open = (): Snapshot => openSnapshot(schemaOf({}), [{ documents: DOCUMENTS }]);
const MISSED = new BytesMissing([{ object: "s" as ObjectKey, start: 0, end: 8 }]);

/** Runs an attempt until it misses nothing. */
const READS = {
  runCounted: async <T>(attempt: () => Steps<T>, take: TakeSteps) => {
    for (let rounds = 0; ; rounds++) {
      try {
        return { result: await take(attempt()), stats: rounds };
      } catch (error) {
        if (!(error instanceof BytesMissing)) throw error;
      }
    }
  },
};

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
  test("the query runs again on its snapshot, with what it has kept", async () => {
    const snapshot = open();
    const { source, retained } = sourceOf(snapshot, open());
    const seen: unknown[] = [];
    const query = (now: Snapshot, attempt: QueryAttempt) =>
      oneStep(() => {
        seen.push([attempt.isFirst, now === snapshot, retained.now, attempt.kept.size]);
        attempt.kept.set(seen.length, { findings: { kind: "documents" }, work: {} as never });
        if (seen.length === 3) return "found";
        throw MISSED;
      });
    const { result, stats } = await runOnSnapshot(source, READS, query);
    expect(seen).toEqual([
      [true, true, 1, 0],
      [false, true, 1, 1],
      [false, true, 1, 2],
    ]);
    expect([result, stats]).toEqual(["found", 2]);
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
