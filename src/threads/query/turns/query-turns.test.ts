import { describe, expect, test } from "vitest";
import { testRandom } from "../../../../test/support/random/seed.ts";
import type { Clock } from "../../../base/clock.ts";
import { DatabaseError } from "../../../base/errors.ts";
import { MemoryPool } from "../../../base/memory-pool.ts";
import { oneStep, type Steps } from "../../../base/steps.ts";
import { QueryMemory } from "../../../query/operator/query-memory.ts";
import { QueryLife } from "./query-life.ts";
import { HandedOver, QueryTurns, SLICE_MS } from "./query-turns.ts";

function* oneAfterTheOther(all: readonly Steps<unknown>[]): Steps<void> {
  for (const steps of all) yield* steps;
}

/** A thread whose time runs only while queries work. */
function thread({ handsOver = false } = {}) {
  let nowMs = 0;
  let turns = 0;
  const heard: (() => void)[] = [];
  const clock: Clock = {
    nowMs: () => nowMs,
    monotonicMs: () => nowMs,
    sleep: () => new Promise(() => {}),
    every: () => () => {},
  };
  const nextTurn = async () => {
    turns++;
    for (const message of heard.splice(0)) message();
  };
  const life = (namespace: string, timeoutMs = 1e9, isBackground = false) =>
    new QueryLife(
      { key: "", namespace },
      {
        clock,
        timeoutMs,
        isBackground,
        waitedMs: 0,
        memory: new QueryMemory(new MemoryPool(1000)),
      },
    );
  return {
    turns: new QueryTurns({ clock, nextTurn, handsOver }),
    life,
    /** Work that takes so many milliseconds for each of its steps. */
    *work<T>(steps: number, stepMs: number, result: T, ended?: () => void): Steps<T> {
      try {
        for (let i = 0; i < steps; i++) {
          nowMs += stepMs;
          yield;
        }
        return result;
      } finally {
        ended?.();
      }
    },
    /** Does something at the next look at the messages. */
    hear: (message: () => void) => heard.push(message),
    nowMs: () => nowMs,
    turnCount: () => turns,
  };
}

test("a query alone begins at once, and pauses after each slice", async () => {
  const { turns, life, work, nowMs, turnCount } = thread();
  const query = life("a");
  const answer = turns.run(work(100, SLICE_MS / 4, "done"), query);
  expect(nowMs()).toBe(SLICE_MS);
  expect(turns.runnableCount).toBe(1);
  expect(await answer).toBe("done");
  expect(turnCount()).toBe(25);
  expect(query.workedMs).toBe(25 * SLICE_MS);
  expect(turns.stats).toMatchObject({ longestSliceMs: SLICE_MS, workedMs: 25 * SLICE_MS });
  expect(turns.runnableCount).toBe(0);
});

test("a short query waits for one slice, whatever runs", async () => {
  const { turns, life, work, hear, nowMs } = thread();
  const slow = ["a", "a", "b", "b", "b"].map((flow) =>
    turns.run(work(1000, SLICE_MS, flow), life(flow)),
  );
  const waits: number[] = [];
  for (let round = 0; round < 50; round++) {
    await new Promise<void>((resolve) => {
      hear(() => {
        const beganMs = nowMs();
        const short = turns.run(work(1, SLICE_MS / 2, "short"), life("c"));
        void short.then(() => {
          waits.push(nowMs() - beganMs);
          resolve();
        });
      });
    });
  }
  expect(Math.max(...waits)).toBeLessThanOrEqual(4 * SLICE_MS);
  expect(await Promise.all(slow)).toEqual(["a", "a", "b", "b", "b"]);
});

test("a short query waits for one slice each time, however long others' steps are", async () => {
  const { turns, life, work, hear } = thread();
  const random = testRandom();
  // Nine namespaces, in which some steps take many times as long as a slice should.
  for (let i = 0; i < 9; i++) {
    const steps = Array.from({ length: 2000 }, () => work(1, random.below(20) === 0 ? 20 : 0.1, 0));
    void turns.run(oneAfterTheOther(steps), life(`slow ${i}`));
  }
  const waits: number[] = [];
  for (let round = 0; round < 300; round++) {
    for (let turn = random.below(9); turn >= 0; turn--) await new Promise<void>(hear);
    const query = life("quick");
    // The query finds documents and writes its answer.
    for (let part = 0; part < 2; part++) {
      const before = turns.stats.slices;
      const begin = oneStep(() => waits.push(turns.stats.slices - before));
      await turns.run(oneAfterTheOther([begin, work(1, 0.1, 0)]), query);
    }
  }
  expect(waits).toHaveLength(600);
  // With the average of all other flows instead, up to 16 slices passed.
  expect(Math.max(...waits)).toBeLessThanOrEqual(1);
});

test("namespaces share alike, however many queries each has", async () => {
  const { turns, life, work, hear } = thread();
  const lives = ["a", "b", "b", "b", "b"].map((flow) => life(flow));
  for (const each of lives) void turns.run(work(10_000, SLICE_MS, each.flow), each);
  await new Promise<void>((resolve) => {
    let heardCount = 0;
    const again = (): void => {
      if (++heardCount === 400) resolve();
      else hear(again);
    };
    hear(again);
  });
  const [first, ...others] = lives.map(({ workedMs }) => workedMs);
  const second = others.reduce((sum, ms) => sum + ms, 0);
  expect(Math.abs(first - second)).toBeLessThanOrEqual(4 * SLICE_MS);
  expect(Math.max(...others) - Math.min(...others)).toBeLessThanOrEqual(4 * SLICE_MS);
});

describe("an end", () => {
  test("takes no further step, and cleans up", async () => {
    const { turns, life, work, hear, nowMs } = thread();
    const query = life("a");
    let ended = 0;
    const answer = turns.run(
      work(1000, SLICE_MS, "never", () => ended++),
      query,
    );
    hear(() => query.end(new DatabaseError("unavailable", "the client has left")));
    await expect(answer).rejects.toThrow("the client has left");
    const workedMs = nowMs();
    expect(workedMs).toBeLessThanOrEqual(2 * SLICE_MS);
    expect(ended).toBe(1);
    expect(turns.runnableCount).toBe(0);
    await expect(turns.run(work(1, 1, "late"), query)).rejects.toThrow("the client has left");
    expect(nowMs()).toBe(workedMs);
  });

  test("comes by itself when the time is over, and says where it went", async () => {
    const { turns, life, work } = thread();
    const query = life("a", 100);
    query.enter(() => "Filter: text matches /x/");
    const answer = turns.run(work(1000, SLICE_MS, "never"), query);
    await expect(answer).rejects.toMatchObject({
      code: "timed_out",
      message: expect.stringMatching(
        /longer than 100 ms \(--query-timeout\).* worked for 100 ms, 100 ms of them at: Filter: text/,
      ),
    });
  });

  test("reaches what waits for others", async () => {
    const { life } = thread();
    const query = life("a");
    const waiting = query.until(new Promise(() => {}));
    const { signal } = query;
    query.end(new Error("first"));
    query.end(new Error("second"));
    await expect(waiting).rejects.toThrow("first");
    expect(signal.reason).toMatchObject({ message: "first" });
    await expect(query.until(Promise.resolve(1))).rejects.toThrow("first");
  });
});

test("a query that fails leaves the others alone", async () => {
  const { turns, life, work } = thread();
  function* fails(): Steps<never> {
    yield;
    throw new Error("a fault");
  }
  const answers = [
    turns.run(fails(), life("a")),
    turns.run(work(10, SLICE_MS, "whole"), life("a")),
  ];
  expect(await Promise.allSettled(answers)).toMatchObject([
    { status: "rejected", reason: { message: "a fault" } },
    { status: "fulfilled", value: "whole" },
  ]);
});

describe("work in the background", () => {
  test("waits until no query has a turn to take, and then goes on", async () => {
    const { turns, life, work } = thread();
    const ended: string[] = [];
    const run = (flow: string, steps: number, isBackground = false) =>
      turns
        .run(work(steps, SLICE_MS, flow), life(flow, 1e9, isBackground))
        .then((result) => ended.push(result));
    const all = [run("measured", 3, true), run("a", 50), run("b", 50), run("a", 50)];
    expect(turns.runnableCount).toBe(4);
    await Promise.all(all);
    expect(ended.at(-1)).toBe("measured");
    expect(turns.runnableCount).toBe(0);
  });

  test("is no reason to wait: a query begins at once", async () => {
    const { turns, life, work, hear, nowMs } = thread();
    const measured = turns.run(work(100, SLICE_MS, "measured"), life("a", 1e9, true));
    const waits: number[] = [];
    for (let round = 0; round < 10; round++) {
      await new Promise<void>((resolve) => {
        hear(() => {
          const beganMs = nowMs();
          const short = turns.run(work(1, SLICE_MS / 2, "short"), life("a"));
          waits.push(nowMs() - beganMs);
          void short.then(() => resolve());
        });
      });
    }
    expect(waits).toEqual(Array(10).fill(SLICE_MS / 2));
    expect(await measured).toBe("measured");
  });

  test("takes nothing from the share of its namespace", async () => {
    const { turns, life, work, nowMs } = thread();
    const measured = turns.run(work(100, SLICE_MS, "measured"), life("a", 1e9, true));
    const endedMs = new Map<string, number>();
    const queries = ["a", "b"].map((flow) =>
      turns.run(work(40, SLICE_MS, flow), life(flow)).then(() => endedMs.set(flow, nowMs())),
    );
    await Promise.all(queries);
    const [a, b] = ["a", "b"].map((flow) => endedMs.get(flow) ?? 0);
    expect(Math.abs(a - b)).toBeLessThanOrEqual(2 * SLICE_MS);
    await measured;
  });

  test("ends when it takes too long, though it has no turn", async () => {
    const { turns, life, work, hear } = thread();
    const query = life("a", 1e9, true);
    const measured = turns.run(work(1000, SLICE_MS, "measured"), query);
    const other = turns.run(work(20, SLICE_MS, "other"), life("b"));
    hear(() => query.end(new DatabaseError("timed_out", "late")));
    await expect(measured).rejects.toThrow("late");
    expect(await other).toBe("other");
    expect(turns.runnableCount).toBe(0);
  });
});

test("where queries are handed over, one that needs a second slice is, and is ended", async () => {
  const { turns, life, work, turnCount } = thread({ handsOver: true });
  expect(await turns.run(work(3, SLICE_MS / 4, "done"), life("a"))).toBe("done");
  let isEnded = false;
  const long = work(100, SLICE_MS / 4, "done", () => {
    isEnded = true;
  });
  await expect(turns.run(long, life("a"))).rejects.toThrow(HandedOver);
  expect(isEnded).toBe(true);
  expect([turns.runnableCount, turnCount()]).toEqual([0, 0]);
});

test("where queries are handed over, all of a query's work shares one slice", async () => {
  const { turns, life, work } = thread({ handsOver: true });
  const query = life("a");
  expect(await turns.run(work(3, SLICE_MS / 4, "read"), query)).toBe("read");
  await expect(turns.run(work(3, SLICE_MS / 4, "written"), query)).rejects.toThrow(HandedOver);
  expect(query.workedMs).toBe(SLICE_MS);
  expect(() => turns.mayWait()).toThrow(HandedOver);
  expect(() => thread().turns.mayWait()).not.toThrow();
});
