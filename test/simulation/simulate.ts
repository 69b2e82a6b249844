/** One run: a storm, then quiet, then the last judgement. */

import { namespaceName } from "../../src/base/ids.ts";
import { GARBAGE_GRACE_MS } from "../../src/base/limits.ts";
import type { NamespaceGeneration } from "../../src/storage/object-keys.ts";
import { answerFaults } from "./check-answers.ts";
import { storeFaults } from "./check-store.ts";
import { Clients } from "./clients.ts";
import { readCommittedLog } from "./committed-log.ts";
import { PlacedCommits } from "./place-commits.ts";
import { type SimulatedServer, SimulatedWorld } from "./simulated-cluster.ts";
import { lastOf, readAll, searchAll } from "./workload.ts";

/** Passes of an indexer, a grace period apart, after which nothing may be left to do (I12). */
const LAST_PASSES = 8;

/** What became of a run. */
export interface SimulationResult {
  readonly seed: number;
  /** Stands for all events in their order. */
  readonly hash: number;
  readonly eventCount: number;
  readonly operationCount: number;
  /** True time that has passed, in milliseconds. */
  readonly simulatedMs: number;
  /** Broken promises; none if all is well. */
  readonly faults: readonly string[];
  readonly trace: readonly string[];
}

/** Runs one seed. */
export async function simulate(
  seed: number,
  options: { readonly keepsTrace: boolean } = { keepsTrace: false },
): Promise<SimulationResult> {
  const world = new SimulatedWorld(seed, options);
  const clients = new Clients(world);
  const { scheduler } = world;
  const faults: string[] = [];
  let isOver = false;
  const live = async () => {
    world.start();
    await clients.run();
    await world.end();
    await rest(world, clients);
    isOver = true;
  };
  try {
    const failed = (error: unknown) => {
      faults.push(`the run failed: ${textOf(error)}`);
      isOver = true;
    };
    live().catch(failed);
    await scheduler.run(() => isOver);
    faults.push(...world.alarms.map((alarm) => `a bug: ${alarm}`));
    faults.push(...(await judge(world, clients)));
  } catch (error) {
    faults.push(`the run failed: ${textOf(error)}`);
  }
  return {
    seed,
    hash: scheduler.hash,
    eventCount: scheduler.eventCount,
    operationCount: clients.operations.length,
    simulatedMs: scheduler.nowMs,
    faults,
    trace: scheduler.trace ?? [],
  };
}

/** Everything heals; two servers, one after the other, read everything, from warm and cold caches. */
async function rest(world: SimulatedWorld, clients: Clients): Promise<void> {
  const first = await world.startServer();
  await readEverything(world, clients, first);
  const indexer = world.startIndexer();
  for (let pass = 0; pass < LAST_PASSES; pass++) {
    await indexer.pass();
    // What no manifest covers may keep garbage of its own namespace and of others.
    if (pass === 2)
      for (const at of await openGenerations(world, first)) await indexer.indexAll(at);
    await world.scheduler.sleep(GARBAGE_GRACE_MS + 1000, "rest");
    await first.fixture.catalog.followAll();
    await first.fixture.catalog.settle();
  }
  await world.scheduler.sleep(GARBAGE_GRACE_MS, "rest");
  for (const server of [first, await world.startServer()]) {
    await readEverything(world, clients, server);
    for (const name of world.swarm.names) {
      await clients.send(searchAll(clients.nextNumber, name), server);
    }
  }
}

/** The lives that the names lead now. */
async function openGenerations(
  { swarm }: SimulatedWorld,
  { fixture }: SimulatedServer,
): Promise<NamespaceGeneration[]> {
  const found = swarm.names.map((name) => fixture.catalog.find(namespaceName(name)));
  return (await Promise.all(found)).flatMap((namespace) => (namespace ? [namespace.at] : []));
}

async function readEverything(
  world: SimulatedWorld,
  clients: Clients,
  server: SimulatedServer,
): Promise<void> {
  for (const name of world.swarm.names) {
    await clients.send(readAll(clients.nextNumber, name), server);
    for (const kind of ["export", "metadata"] as const) {
      await clients.send(lastOf(clients.nextNumber, name, { kind }), server);
    }
  }
  await clients.send(lastOf(clients.nextNumber, "", { kind: "list" }), server);
}

async function judge(world: SimulatedWorld, clients: Clients): Promise<string[]> {
  const { operations } = clients;
  const log = await readCommittedLog(world.store.effects);
  const placed = new PlacedCommits(operations, log.commits);
  const circumstances = {
    manyServers: world.swarm.serverCount > 1,
    isDamaged: world.store.damages > 0,
    mayLagBehind: world.longestLagMs > GARBAGE_GRACE_MS / 2,
  };
  return [
    ...log.faults,
    ...placed.faults,
    ...answerFaults(operations, placed, circumstances),
    ...(await storeFaults(world.store, log, placed)),
  ];
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
