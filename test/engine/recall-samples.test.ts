/** Recall of sampled queries, measured in the background by a whole engine. */

import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/random.ts";
import { SAMPLES_WAITING_MAX } from "../../src/threads/query/recall-sampler.ts";
import { InstantClock } from "../support/clocks/instant-clock.ts";
import { EngineFixture, type FixtureOptions } from "../support/engine/engine-fixture.ts";

const DIMENSIONS = 4;
const ROWS = 300;

/** Those who sleep may be held until the test wakes them; a look at it may take its time. */
class HoldingClock extends InstantClock {
  isHolding = false;
  lookMs = 0;
  #held: (() => void)[] = [];
  #lookedMs = 0;

  override monotonicMs(): number {
    this.#lookedMs += this.lookMs;
    return super.monotonicMs() + this.#lookedMs;
  }

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (this.isHolding) await new Promise<void>((resolve) => this.#held.push(resolve));
    return super.sleep(ms, signal);
  }

  wake(): void {
    this.isHolding = false;
    for (const resolve of this.#held.splice(0)) resolve();
  }
}

async function filled(options: FixtureOptions) {
  const random = seededRandom(4);
  const vector = () => Array.from({ length: DIMENSIONS }, () => random.next());
  const engine = await EngineFixture.open(options);
  const upsert_rows = Array.from({ length: ROWS }, (_, id) => ({ id, vector: vector() }));
  await engine.write("n", { upsert_rows, distance_metric: "euclidean_squared" });
  await engine.indexAll();
  const ask = async (rest: object = {}, count = 1) => {
    const ranked = () => ({ rank_by: ["vector", "ANN", vector()], limit: 10, ...rest });
    const queries = Array.from({ length: count }, ranked);
    const { status, json } = await engine.call("query", "n", { queries });
    expect(status, JSON.stringify(json)).toBe(200);
  };
  const counts = (): Record<string, number> =>
    Object.fromEntries(
      engine.engine
        .metrics()
        .filter(({ name }) => name.startsWith("trawl_recall"))
        .map(({ name, labels, value }) => [labels?.outcome ?? name, value]),
    );
  /** When as many samples have an outcome. */
  const outcomes = async (count: number) => {
    const known = () => {
      const { measured, skipped, failed, dropped } = counts();
      return measured + skipped + failed + dropped;
    };
    await expect.poll(known, { timeout: 20_000 }).toBe(count);
    return counts();
  };
  return { engine, ask, counts, outcomes };
}

test("at rate 1 each ANN ranking is measured, and exact ones have recall 1", async () => {
  const { engine, ask, outcomes } = await filled({ recallSampleRate: 1 });
  await ask({}, 3);
  await ask({ filters: ["id", "Lt", 5], offset: 2 }, 1);
  await engine.call("query", "n", { rank_by: ["id", "asc"], limit: 1 });
  await engine.call("query", "n", {
    rank_by: ["vector", "kNN", [0, 0, 0, 0]],
    filters: ["id", "Lt", 5],
    limit: 1,
  });
  expect(await outcomes(4)).toEqual({
    measured: 4,
    dropped: 0,
    skipped: 0,
    failed: 0,
    trawl_recall_sum_total: 4,
  });
  expect(JSON.stringify(engine.logs)).not.toMatch(/vector|rank/);
  await engine.close();
});

test("what the approximate search misses shows", async () => {
  const { engine, ask, outcomes } = await filled({
    recallSampleRate: 1,
    clusters: { rowsMin: 8, clusterRows: 10 },
    probing: { missedShare: 20, firstClusters: 1, exactMatchesMax: 0 },
  });
  await ask({}, 8);
  const { measured, trawl_recall_sum_total } = await outcomes(8);
  expect(measured).toBe(8);
  expect(trawl_recall_sum_total).toBeGreaterThan(1);
  expect(trawl_recall_sum_total).toBeLessThan(7.5);
  await engine.close();
});

test("without a rate nothing is drawn, measured or shown", async () => {
  const { engine, ask, counts } = await filled({});
  await ask({}, 4);
  expect(counts()).toEqual({});
  await engine.close();
});

test("a rate that is never met measures nothing", async () => {
  const { engine, ask, counts } = await filled({ recallSampleRate: 0 });
  await ask({}, 4);
  expect(Object.values(counts())).toEqual([0, 0, 0, 0, 0]);
  await engine.close();
});

test("samples of a deleted namespace are skipped, those without room dropped", async () => {
  const clock = new HoldingClock();
  const { engine, ask, counts, outcomes } = await filled({ clock, recallSampleRate: 1 });
  clock.isHolding = true;
  await ask({}, 1);
  // The sampler rests after the first one.
  await outcomes(1);
  await ask({}, 16);
  await ask({}, 5);
  const late = 16 + 5 - SAMPLES_WAITING_MAX;
  await expect.poll(() => counts().dropped, { timeout: 20_000 }).toBe(late);
  clock.isHolding = false;
  expect((await engine.call("delete_namespace", "n")).status).toBe(200);
  clock.wake();
  expect(await outcomes(22)).toMatchObject({
    measured: 1,
    dropped: late,
    skipped: SAMPLES_WAITING_MAX,
    failed: 0,
  });
  expect(engine.logs.filter(({ level }) => level === "error")).toEqual([]);
  await engine.close();
});

test("samples of an attribute that was dropped are skipped", async () => {
  const clock = new HoldingClock();
  const { engine, ask, outcomes } = await filled({ clock, recallSampleRate: 1 });
  clock.isHolding = true;
  await ask({}, 1);
  await outcomes(1);
  await ask({}, 2);
  clock.isHolding = false;
  await engine.write("n", { schema: { vector: { drop: true } } });
  clock.wake();
  expect(await outcomes(3)).toMatchObject({ measured: 1, skipped: 2, failed: 0 });
  await engine.close();
});

test("a measurement that takes too long fails", async () => {
  const clock = new HoldingClock();
  const options = { clock, recallSampleRate: 1, queryTimeoutMs: 500 };
  const { engine, ask, outcomes } = await filled(options);
  clock.isHolding = true;
  await ask({}, 1);
  await outcomes(1);
  await ask({}, 1);
  clock.lookMs = 300;
  clock.wake();
  expect(await outcomes(2)).toMatchObject({ measured: 1, failed: 1 });
  await engine.close();
});

test("a stop does not wait for samples", async () => {
  const clock = new HoldingClock();
  const { engine, ask, outcomes } = await filled({ clock, recallSampleRate: 1 });
  clock.isHolding = true;
  await ask({}, 1);
  await outcomes(1);
  await ask({}, 3);
  clock.isHolding = false;
  await engine.close();
  clock.wake();
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
  expect((await outcomes(1)).measured).toBe(1);
});
