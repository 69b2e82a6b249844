/**
 * Histories of a namespace on several server processes over one bucket are linearizable (I5): what
 * one client has seen, no later strong read on any server takes back. Eventual reads return states
 * that existed, and are not older than they allow. Networks to the bucket delay,
 * lose and repeat; servers stand still, and are killed.
 */

import { expect, test } from "vitest";
import { type Random, seededRandom } from "../../src/base/random.ts";
import { MACHINE_TIME, pause } from "../support/clocks/pause.ts";
import {
  DocumentsClient,
  type DocumentsHistory,
} from "../support/linearizability/document-client.ts";
import {
  type DocumentsInput,
  type DocumentsState,
  type DocumentsWrite,
  documentsModel,
  type VersionedDocument,
} from "../support/linearizability/document-model.ts";
import { History } from "../support/linearizability/history.ts";
import { verifyDocuments } from "../support/linearizability/verify-documents.ts";
import { testSeed } from "../support/random/seed.ts";
import { type ClusterNode, startBucketCluster } from "../support/servers/bucket-cluster.ts";
import { callJson } from "../support/servers/server-process.ts";
import type { FaultyProxy, ProxiedRequest, ProxyDelays } from "../support/stores/faulty-proxy.ts";

/** Documents of each namespace: few, so that clients meet. */
const IDS = [0, 1, 2];
const INITIAL: DocumentsState = IDS.map(() => ({ v: 0, p: null }));
/** Longest time that a log entry, or the answer to its put, is held back. */
const HELD_MS = 3_000;

const CLIENTS = 8;
const CALLS_EACH = Number(process.env.TRAWL_TEST_HISTORY_CALLS ?? 120);
const DISTURBANCES = 6;
/** One call in so many deletes the namespace. */
const DELETION_IN = 40;
const NAMESPACES = ["a", "b"];
const FAULTS = { answerLost: 0.02, repeated: 0.02 };

/** Creates a namespace with `INITIAL`, before the first read. */
async function createNamespace({ server }: ClusterNode, name: string): Promise<void> {
  const { status, body } = await callJson(server?.url ?? "", "POST", `/v2/namespaces/${name}`, {
    upsert_rows: INITIAL.map((document, id) => ({ id, v: document?.v })),
    schema: { v: "int", p: "int" },
  });
  expect(status, JSON.stringify(body)).toBe(200);
}

const newHistory = (): DocumentsHistory => new History(MACHINE_TIME);

const isLogEntry = ({ method, url }: ProxiedRequest) => method === "PUT" && url.includes("/wal/");

/** Holds back the answer to the next put of a log entry. */
function holdLogEntry(proxy: FaultyProxy): { stored: Promise<void>; release(): void } {
  const stored = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  proxy.delays = (request) => {
    if (!isLogEntry(request)) return {};
    proxy.delays = undefined;
    const after = () => {
      stored.resolve();
      return released.promise;
    };
    return { after };
  };
  return { stored: stored.promise, release: released.resolve };
}

/** Writes to document 0, each of which changes the result of the one before, and a read of each. */
const HELD_CASES: readonly { readonly write: DocumentsWrite; readonly read: DocumentsInput }[] = [
  {
    write: { kind: "upsert", ids: [0], value: 1 },
    read: { kind: "read", ids: [0], by: "query" },
  },
  {
    write: { kind: "upsert", ids: [0], value: 2, expected: 1 },
    read: { kind: "read", ids: IDS, by: "query" },
  },
  {
    write: { kind: "patch", ids: [0], value: 3 },
    read: { kind: "read", ids: IDS, by: "multi-query" },
  },
  {
    write: { kind: "delete", ids: [0], value: 0, expected: 2 },
    read: { kind: "read", ids: IDS, by: "export" },
  },
];

test("an entry in the bucket stays seen while the put of it is unanswered", async () => {
  const { nodes, close } = await startBucketCluster(["A", "B"], seededRandom(testSeed()));
  try {
    const [a, b] = nodes;
    await createNamespace(a, "held");
    let initial = INITIAL;
    for (const { write, read } of HELD_CASES) {
      const history = newHistory();
      const client = (name: string) => new DocumentsClient(name, "held", history);
      const before = await client("reader").call(b, read);
      await client("reader").call(a, read);
      const { stored, release } = holdLogEntry(a.proxy);
      const writing = client("writer").call(a, write);
      await stored;
      const isNew = async () => {
        const found = await client("reader").call(b, read);
        return found !== undefined && JSON.stringify(found) !== JSON.stringify(before);
      };
      await expect.poll(isNew, { timeout: 10_000 }).toBe(true);
      const reading = client("reader").call(a, read);
      await Promise.race([reading, pause(HELD_MS)]);
      release();
      await Promise.all([writing, reading]);
      expect.soft(() => verifyDocuments("held", history, initial)).not.toThrow();
      initial = documentsModel(initial).step(initial, write, undefined).state ?? [];
    }
  } finally {
    await close();
  }
});

/** State that all clients share. */
interface Workload {
  readonly nodes: readonly ClusterNode[];
  readonly histories: ReadonlyMap<string, DocumentsHistory>;
  /** Calls so far. */
  calls: number;
  /** Servers stopped or killed so far. */
  disturbances: number;
  /** All clients have ended. */
  isOver: boolean;
  /** Values so far: each is written once. */
  values: number;
}

/** Ages that eventual queries allow, in seconds: the older, the more orders are possible. */
const STALE_SECONDS = [0, 1, 2];

/** Draws a call; conditions are on what the client has seen last. */
function drawInput(
  random: Random,
  seen: readonly (VersionedDocument | undefined)[],
  value: number,
): DocumentsInput {
  const id = random.below(IDS.length);
  const ids = [id];
  const draw = random.below(100);
  if (random.below(DELETION_IN) === 0) return { kind: "delete namespace", ids: IDS };
  if (draw < 15) return { kind: "read", ids, by: "query" };
  if (draw < 32) return { kind: "read", ids: IDS, by: "query" };
  if (draw < 42) {
    const staleSeconds = STALE_SECONDS[random.below(STALE_SECONDS.length)];
    return { kind: "read", ids: IDS, by: "query", staleSeconds };
  }
  if (draw < 45) return { kind: "read", ids: IDS, by: "multi-query", staleSeconds: 1 };
  if (draw < 50) return { kind: "read", ids: IDS, by: "multi-query" };
  if (draw < 55) return { kind: "read", ids: IDS, by: "export" };
  if (draw < 60) return { kind: "upsert", ids: IDS.slice(0, 2), value };
  const kind = draw < 82 ? "upsert" : draw < 93 ? "patch" : "delete";
  const expected = seen[id]?.v ?? "absent";
  const isConditional = random.below(2) === 0 && (expected !== "absent" || kind === "upsert");
  return isConditional ? { kind, ids, value, expected } : { kind, ids, value };
}

async function runClient(name: string, workload: Workload, random: Random): Promise<void> {
  const seen = new Map(NAMESPACES.map((namespace) => [namespace, [...INITIAL]]));
  for (let call = 0; call < CALLS_EACH; call++) {
    const namespace = NAMESPACES[random.below(NAMESPACES.length)];
    const running = workload.nodes.filter(({ server }) => server !== undefined);
    const node = running[random.below(running.length)];
    const history = workload.histories.get(namespace) as DocumentsHistory;
    const documents = seen.get(namespace) as (VersionedDocument | undefined)[];
    const input = drawInput(random, documents, ++workload.values);
    const found = await new DocumentsClient(name, namespace, history).call(node, input);
    found?.forEach((document, at) => {
      documents[input.ids[at]] = document;
    });
    workload.calls++;
  }
}

/** Stops or kills one server after the other, while the clients go on. */
async function disturb(workload: Workload, random: Random): Promise<void> {
  const { nodes } = workload;
  while (workload.disturbances < DISTURBANCES) {
    const round = workload.disturbances + 1;
    const calls = (round / (DISTURBANCES + 2)) * CLIENTS * CALLS_EACH;
    while (workload.calls < calls && !workload.isOver) await pause(10);
    if (workload.isOver) return;
    workload.disturbances++;
    const node = nodes[random.below(nodes.length)];
    if (round % 2 === 0) {
      node.server?.process.kill("SIGSTOP");
      await pause(1_000 + random.below(2_000));
      node.server?.process.kill("SIGCONT");
    } else {
      await node.kill();
      await pause(random.below(500));
      await node.start();
    }
  }
}

/** Draws the delays of the requests of one server, and counts what was held for long. */
function drawDelays(random: Random, held: { count: number }) {
  return (request: ProxiedRequest): ProxyDelays => {
    const draw = random.next();
    if (isLogEntry(request)) {
      if (draw < 0.06) held.count++;
      if (draw < 0.04) return { after: () => pause(HELD_MS) };
      if (draw < 0.06) return { before: () => pause(random.below(HELD_MS)) };
      if (draw < 0.3) return { after: () => pause(random.below(500)) };
    }
    if (draw < 0.15) return { before: () => pause(random.below(100)) };
    if (draw < 0.3) return { after: () => pause(random.below(200)) };
    return {};
  };
}

/** Runs clients and disturbances to their end, also if one of them fails. */
async function runWorkload(workload: Workload, seed: number): Promise<void> {
  const clients = Array.from({ length: CLIENTS }, (_, number) =>
    runClient(`client ${number}`, workload, seededRandom(seed + number + 1)),
  );
  const ended = Promise.allSettled(clients).then(() => {
    workload.isOver = true;
  });
  const disturbing = disturb(workload, seededRandom(seed));
  await Promise.allSettled([ended, disturbing]);
  await Promise.all([...clients, disturbing]);
}

test("clients of three failing servers see one order of each namespace's states", async () => {
  const seed = testSeed();
  console.log(`histories: TRAWL_SEED=${seed}`);
  const random = seededRandom(seed);
  const { nodes, close } = await startBucketCluster(["A", "B", "C"], random);
  try {
    const histories = new Map(NAMESPACES.map((name) => [name, newHistory()]));
    for (const name of NAMESPACES) await createNamespace(nodes[0], name);
    const held = { count: 0 };
    for (const { proxy } of nodes) {
      proxy.faults = FAULTS;
      proxy.delays = drawDelays(random, held);
    }
    const workload = { nodes, histories, calls: 0, disturbances: 0, isOver: false, values: 0 };
    await runWorkload(workload, seed);
    for (const { proxy } of nodes) Object.assign(proxy, { faults: undefined, delays: undefined });
    for (const [name, history] of histories) {
      for (const node of nodes) {
        const reader = new DocumentsClient("reader", name, history);
        await reader.call(node, { kind: "read", ids: IDS, by: "query" });
      }
    }
    const operations = [...histories.values()].flatMap((history) => history.operations);
    const unknown = operations.filter(({ returned }) => returned === undefined).length;
    const sum = (fault: keyof typeof FAULTS) =>
      nodes.reduce((total, { proxy }) => total + proxy.counts[fault], 0);
    const returned = operations.filter((operation) => operation.returned !== undefined);
    const counts = {
      deletions: returned.filter(({ input }) => input.kind === "delete namespace").length,
      eventual: returned.filter(({ input }) => input.kind === "read" && input.staleSeconds).length,
      disturbances: workload.disturbances,
      held: held.count,
      answersLost: sum("answerLost"),
      repeated: sum("repeated"),
    };
    console.log(`${operations.length} operations, ${unknown} of unknown outcome`, counts);
    expect(operations.length - unknown).toBeGreaterThan(CLIENTS * CALLS_EACH * 0.8);
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(1);
    for (const [name, history] of histories) verifyDocuments(name, history, INITIAL);
  } finally {
    await close();
  }
});
