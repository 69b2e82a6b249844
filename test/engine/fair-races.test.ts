/**
 * Servers that write to one namespace at the same time all make progress, whatever their distance
 * from the store. All counts and times are virtual.
 */

import { expect, test } from "vitest";
import { RACE_WAIT_MS_MAX, YIELD_MS_MAX } from "../../src/commit/races/log-races.ts";
import {
  COMMITS_PER_LOOK_ALONE,
  COMMITS_PER_TURN,
  IGNORED_MS,
} from "../../src/commit/races/race-history.ts";
import { DELETING_PREFIX, waitMarkKey, waitMarkPrefix } from "../../src/storage/object-keys.ts";
import { ALWAYS } from "../../src/storage/object-store.ts";
import {
  RACE_GENERATION,
  type RaceLength,
  type Racer,
  type RacerChoices,
  RacingServers,
} from "../support/engine/racing-servers.ts";
import { testSeed } from "../support/random/seed.ts";

const DEAD = waitMarkKey(RACE_GENERATION, "00000000deadbeef");
const NEAR = { latencyMs: 5 };
const FAR = { latencyMs: 150 };
const DEAF = { latencyMs: 30, isDeaf: true };
const marksOf = async ({ store }: RacingServers) =>
  (await store.list({ prefix: waitMarkPrefix(RACE_GENERATION), limit: 9 })).keys;
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** Runs a test with one server for each of the choices. */
async function withServers<const Choices extends readonly RacerChoices[]>(
  choices: Choices,
  act: (servers: RacingServers, racers: { [At in keyof Choices]: Racer }) => Promise<void>,
): Promise<void> {
  const servers = new RacingServers(testSeed());
  await servers.run(async () => {
    const racers: Racer[] = [];
    for (const choice of choices) racers.push(await servers.open(choice));
    await act(servers, racers as { [At in keyof Choices]: Racer });
  });
}

/** Lets the first server write alone for a second; the act then meets its writes. */
async function amidWrites(
  { servers, ahead }: { readonly servers: RacingServers; readonly ahead: Racer },
  length: RaceLength,
  act: () => Promise<void>,
): Promise<void> {
  const racing = servers.race([ahead], length);
  await servers.scheduler.sleep(1_000, "the other one is ahead");
  await act();
  await racing;
}

async function race(choices: readonly RacerChoices[], length: RaceLength) {
  let all: readonly Racer[] = [];
  await withServers(choices, async (servers, racers) => {
    all = racers;
    await servers.race(racers, length);
    await expectExactlyOnce(servers, racers);
  });
  const counts = all.map(({ acknowledged }) => acknowledged.length);
  return { racers: all, counts, shares: counts.map((count) => count / sum(counts)) };
}

/** Checks that acknowledged writes are in the log once, and refused writes are not. */
async function expectExactlyOnce(servers: RacingServers, racers: readonly Racer[]): Promise<void> {
  const acknowledged = racers.flatMap((racer) => racer.acknowledged).sort((a, b) => a - b);
  expect(await servers.committedIds()).toEqual(acknowledged);
}

test.each([
  { clientCount: 1, forMs: 40_000 },
  { clientCount: 4, forMs: 20_000 },
])(
  "a server 30 times as far away gets a tenth, with $clientCount clients each",
  async ({ clientCount, forMs }) => {
    const { shares, racers } = await race([NEAR, FAR], { forMs, clientCount });
    expect(Math.min(...shares)).toBeGreaterThan(0.1);
    expect(sum(racers.map(({ refused }) => refused.length))).toBe(0);
    expect(Math.max(...racers.map(({ longestWaitMs }) => longestWaitMs))).toBeLessThan(5_000);
  },
);

test.each([10, 50])(
  "of three servers at %i ms none gets less than half of a third",
  async (latencyMs) => {
    const latencies = [{ latencyMs }, { latencyMs }, { latencyMs }];
    const { shares } = await race(latencies, { forMs: 150 * latencyMs + 3_000, clientCount: 2 });
    expect(Math.min(...shares)).toBeGreaterThan(1 / 6);
  },
);

test("two slow servers both commit next to a fast one", async () => {
  const latencies = [NEAR, { latencyMs: 100 }, FAR];
  const { shares } = await race(latencies, { forMs: 20_000, clientCount: 1 });
  // One of nine when all wait; the fast one was alone at first.
  expect(Math.min(...shares)).toBeGreaterThan(0.04);
});

test("a server that writes alone asks for 5 % more at most", async () => {
  const { racers, counts } = await race([NEAR], { forMs: 3_000, clientCount: 1 });
  const { put, list } = racers[0].store.counts().requests;
  const writes = counts[0];
  expect(writes).toBeGreaterThan(10 * COMMITS_PER_LOOK_ALONE);
  expect(racers[0].fixture.catalog.stats.races.yielded).toBe(0);
  // One of the listings opens the namespace and lists no marks.
  expect(list - 3).toBeLessThanOrEqual(Math.ceil(writes / COMMITS_PER_LOOK_ALONE));
  expect(list - 3).toBeLessThan(0.05 * writes);
  expect(put).toBeLessThan(1.01 * writes);
});

test("the mark of a server that died delays others for one yield at most", async () => {
  await withServers([{ latencyMs: 10 }, { latencyMs: 20 }], async (servers, racers) => {
    await servers.write(racers[0]);
    await servers.store.put(DEAD, new Uint8Array(0), ALWAYS);
    await servers.race(racers, { forMs: 10_000, clientCount: 1 });
    await expectExactlyOnce(servers, racers);
    for (const { longestWaitMs, acknowledged, fixture } of racers) {
      expect(longestWaitMs).toBeLessThan(YIELD_MS_MAX + 1_000);
      expect(acknowledged.length).toBeGreaterThan(50);
      expect(fixture.catalog.stats.races.refused).toBe(0);
    }
    expect(await marksOf(servers)).not.toContain(DEAD);
  });
});

test("a mark that is never removed takes a bounded share of the time", async () => {
  await withServers([{ latencyMs: 200 }], async (servers, [alone]) => {
    servers.store.delete = async () => {}; // The mark is never removed.
    await servers.write(alone);
    await servers.store.put(DEAD, new Uint8Array(0), ALWAYS);
    await servers.race([alone], { forMs: 3 * IGNORED_MS, clientCount: 1 });
    const { yielded, yieldMs } = alone.fixture.catalog.stats.races;
    expect(yielded).toBe(3);
    expect(yieldMs).toBeLessThan(3 * (YIELD_MS_MAX + 1_000));
  });
});

test("a server that is killed while it waits leaves a mark that others remove", async () => {
  await withServers([NEAR, FAR], async (servers, [near, far]) => {
    const killing = (async () => {
      while ((await marksOf(servers)).length === 0) await servers.scheduler.sleep(10, "watches");
      far.process.kill();
    })();
    await servers.race([near, far], { forMs: 6_000, clientCount: 1 });
    await killing;
    expect(near.longestWaitMs).toBeLessThan(YIELD_MS_MAX + 1_000);
    expect(await marksOf(servers)).toEqual([]);
  });
});

test("a write that waits 10 s for its turn gets 429, and the log has nothing of it", async () => {
  await withServers([DEAF, FAR], async (servers, [deaf, far]) => {
    await amidWrites({ servers, ahead: deaf }, { forMs: 15_000, clientCount: 2 }, async () => {
      const answer = await servers.write(far);
      expect([answer?.status, answer?.json.status]).toEqual([429, "error"]);
      expect(answer?.json.error).toContain("entries of other servers came first for 10 seconds");
      expect(answer?.headers["retry-after-ms"]).toBe("1000");
    });
    await expectExactlyOnce(servers, [deaf, far]);
    expect(far.longestWaitMs).toBeGreaterThanOrEqual(RACE_WAIT_MS_MAX);
    expect(far.longestWaitMs).toBeLessThan(RACE_WAIT_MS_MAX + 2_000);
    const { refused, waited, waitMs, lost } = far.fixture.catalog.stats.races;
    expect([refused, waited]).toEqual([1, 1]);
    expect(waitMs).toBeGreaterThanOrEqual(RACE_WAIT_MS_MAX);
    expect(lost).toBeGreaterThan(5); // One try takes six rounds to the store.
    // No server waits any more.
    await servers.scheduler.sleep(1_000, "the mark goes");
    expect(await marksOf(servers)).toEqual([]);
    expect((await servers.write(far))?.status).toBe(200);
  });
});

test("a deletion that waits too long is refused, and leaves nothing behind", async () => {
  await withServers([DEAF, FAR], async (servers, [deaf, far]) => {
    await amidWrites({ servers, ahead: deaf }, { forMs: 15_000, clientCount: 2 }, async () => {
      expect((await far.fixture.call("delete_namespace", "n")).status).toBe(429);
      const intents = await servers.store.list({ prefix: DELETING_PREFIX, limit: 9 });
      expect(intents.keys).toEqual([]);
    });
    await expectExactlyOnce(servers, [deaf]);
  });
});

test("a write that changes nothing gets its answer while another server writes fast", async () => {
  await withServers([{ latencyMs: 20 }, FAR], async (servers, [near, far]) => {
    await amidWrites({ servers, ahead: near }, { forMs: 10_000, clientCount: 1 }, async () => {
      for (let tried = 0; tried < 3; tried++) {
        const sentMs = servers.scheduler.nowMs;
        const body = { delete_by_filter: ["n", "Lt", 0] };
        const answer = await far.fixture.call("write", "n", body);
        expect([answer.status, answer.json.rows_deleted]).toEqual([200, 0]);
        expect(servers.scheduler.nowMs - sentMs).toBeLessThan(RACE_WAIT_MS_MAX / 2);
      }
    });
    expect(near.fixture.catalog.stats.races.yielded).toBeGreaterThan(0);
  });
});

test("a near server gets the most that a turn allows, and continues alone at once", async () => {
  await withServers([NEAR, FAR], async (servers, [near, far]) => {
    await servers.race([near, far], { forMs: 10_000, clientCount: 1 });
    const { length } = near.acknowledged;
    // But for the time before it knew of the other one.
    expect(length / far.acknowledged.length).toBeGreaterThan(COMMITS_PER_TURN - 1);
    await servers.race([near], { forMs: 2_000, clientCount: 1 });
    expect(near.acknowledged.length - length).toBeGreaterThan(150);
    expect(await marksOf(servers)).toEqual([]);
  });
});
