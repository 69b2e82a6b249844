/** One run: a storm, then quiet, then the last judgement. */

import { namespaceName } from "../../src/base/ids.ts";
import { THRESHOLDS } from "../../src/namespace/thresholds.ts";
import type { NamespaceGeneration } from "../../src/storage/object-keys.ts";
import { GARBAGE_GRACE_MS } from "../../src/threads/open-indexer.ts";
import { answerFaults } from "./check-answers.ts";
import { indexFaults } from "./check-index-truth.ts";
import { reopeningFaults } from "./check-reopenings.ts";
import { storeFaults } from "./check-store.ts";
import { Clients } from "./clients.ts";
import { type CommittedLog, readCommittedLog } from "./committed-log.ts";
import type { Operation } from "./operation.ts";
import { PlacedCommits } from "./place-commits.ts";
import { SimulatedCluster, type SimulatedServer } from "./simulated-cluster.ts";
import { changeSchema, lastOf, readAll, searchAll } from "./workload.ts";

/**
 * Passes of an indexer, a grace period apart, after which nothing may be left to do (I12). What a
 * pass leaves takes two more to go, and the last change comes at the fourth: its garbage may wait
 * for the log of a namespace that shares it, and folding that leaves garbage once more.
 */
const LAST_PASSES = 10;

/** What became of a run. */
export interface SimulationResult {
  readonly seed: number;
  /** Stands for all events in their order. */
  readonly hash: number;
  readonly eventCount: number;
  readonly operationCount: number;
  /** True time that has passed, in milliseconds. */
  readonly simulatedMs: number;
  /** Entries of other servers that servers have applied. */
  readonly followedEntries: number;
  /** Namespaces that were opened again where several servers write, by reason. */
  readonly reopenings: Readonly<Record<string, number>>;
  /** Broken promises; none if all is well. */
  readonly faults: readonly string[];
  readonly trace: readonly string[];
}

/** Runs one seed. */
export async function simulate(
  seed: number,
  options: { readonly keepsTrace: boolean } = { keepsTrace: false },
): Promise<SimulationResult> {
  const cluster = new SimulatedCluster(seed, options);
  const clients = new Clients(cluster);
  const { scheduler } = cluster;
  const faults: string[] = [];
  let isOver = false;
  const live = async () => {
    cluster.start();
    await clients.run();
    await cluster.end();
    await rest(cluster, clients);
    isOver = true;
  };
  try {
    const failed = (error: unknown) => {
      faults.push(`the run failed: ${textOf(error)}`);
      isOver = true;
    };
    live().catch(failed);
    await scheduler.run(() => isOver);
    faults.push(...cluster.alarms.map((alarm) => `a bug: ${alarm}`));
    faults.push(...(await judge(cluster, clients)));
  } catch (error) {
    faults.push(`the run failed: ${textOf(error)}`);
  }
  return {
    seed,
    hash: scheduler.hash,
    eventCount: scheduler.eventCount,
    operationCount: clients.operations.length,
    simulatedMs: scheduler.nowMs,
    followedEntries: cluster.followedEntries,
    reopenings: countReasons(cluster),
    faults,
    trace: scheduler.trace ?? [],
  };
}

/** Everything heals; two servers, one after the other, read everything, from warm and cold caches. */
async function rest(cluster: SimulatedCluster, clients: Clients): Promise<void> {
  const first = await cluster.startServer();
  await readEverything(cluster, clients, first);
  const indexer = cluster.startIndexer();
  for (let pass = 0; pass < LAST_PASSES; pass++) {
    // Everything is in stored segments then, which lack what is asked for.
    if (pass === 3)
      for (const name of cluster.swarm.names)
        await clients.send(changeSchema(clients.nextNumber, name), first);
    await askOfIndexes(cluster, clients, first);
    await indexer.pass();
    // What no manifest covers may keep garbage of its own namespace and of others.
    if (pass === 2)
      for (const generation of await openGenerations(cluster, first))
        await indexer.indexAll(generation);
    await cluster.scheduler.sleep(GARBAGE_GRACE_MS + 1000, "rest");
    await first.fixture.catalog.followAll();
    await first.fixture.catalog.settle();
  }
  await cluster.scheduler.sleep(GARBAGE_GRACE_MS, "rest");
  for (const server of [first, await cluster.startServer()]) {
    await readEverything(cluster, clients, server);
    for (const name of cluster.swarm.names) {
      const operation = { ...searchAll(clients.nextNumber, name), isSettled: true };
      await clients.send(operation, server);
    }
    await askOfIndexes(cluster, clients, server, { isLast: true, isSettled: true });
  }
}

/** What a client does that waits for indexes: nobody else changes anything meanwhile. */
async function askOfIndexes(
  { swarm }: SimulatedCluster,
  clients: Clients,
  server: SimulatedServer,
  when: Pick<Operation, "isLast" | "isSettled"> = { isLast: false },
): Promise<void> {
  for (const name of swarm.names) {
    const metadata = () => lastOf(clients.nextNumber, name, { kind: "metadata" });
    for (const operation of [metadata, () => searchAll(clients.nextNumber, name), metadata])
      await clients.send({ ...operation(), ...when }, server);
    // What the indexer has done so far is taken over between two questions.
    if (!when.isLast) await server.fixture.catalog.followAll();
  }
}

/** The lives that the names lead now. */
async function openGenerations(
  { swarm }: SimulatedCluster,
  { fixture }: SimulatedServer,
): Promise<NamespaceGeneration[]> {
  const found = swarm.names.map((name) => fixture.catalog.find(namespaceName(name)));
  return (await Promise.all(found)).flatMap((namespace) =>
    namespace ? [namespace.generation] : [],
  );
}

async function readEverything(
  cluster: SimulatedCluster,
  clients: Clients,
  server: SimulatedServer,
): Promise<void> {
  for (const name of cluster.swarm.names) {
    await clients.send(readAll(clients.nextNumber, name), server);
    for (const kind of ["export", "metadata"] as const) {
      await clients.send(lastOf(clients.nextNumber, name, { kind }), server);
    }
  }
  await clients.send(lastOf(clients.nextNumber, "", { kind: "list" }), server);
}

async function judge(cluster: SimulatedCluster, clients: Clients): Promise<string[]> {
  const { operations } = clients;
  const log = await readCommittedLog(cluster.store.effects);
  const placed = new PlacedCommits(operations, log.commits);
  const circumstances = {
    manyServers: cluster.swarm.serverCount > 1,
    isDamaged: cluster.store.damages > 0,
    mayLagBehind: cluster.longestLagMs > GARBAGE_GRACE_MS / 2,
  };
  return [
    ...log.faults,
    ...placed.faults,
    ...answerFaults(operations, placed, circumstances),
    ...indexFaults(operations, placed, { ...THRESHOLDS, ...cluster.swarm.thresholds }),
    ...(await storeFaults(cluster.store, log, placed)),
    ...(circumstances.manyServers ? await judgeReopenings(cluster, log, operations) : []),
  ];
}

function judgeReopenings(
  cluster: SimulatedCluster,
  log: CommittedLog,
  operations: readonly Operation[],
): Promise<string[]> {
  const { store, swarm, reopenings } = cluster;
  const { effects } = store;
  const hasFailed = swarm.faultProfiles.length > 1;
  // A clock that is set forward tells of time that has not passed.
  const isLagging = cluster.longestLagMs > 0 || swarm.processFaults.includes("set a clock");
  const isDamaged = store.damages > 0;
  return reopeningFaults(reopenings, {
    effects,
    log,
    operations,
    isDamaged,
    hasFailed,
    mayHaveSlept: isLagging || hasFailed,
  });
}

function countReasons({ reopenings, swarm }: SimulatedCluster): Record<string, number> {
  const counts: Record<string, number> = {};
  if (swarm.serverCount === 1) return counts;
  for (const { reason } of reopenings) counts[reason] = (counts[reason] ?? 0) + 1;
  return counts;
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
