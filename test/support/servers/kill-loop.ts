/**
 * Kills the real server with SIGKILL while several clients write, starts it again, and compares
 * what is there with what was acknowledged: promises I1 (durability), I3 (no phantom), I4 (atomic
 * batch).
 */

import { expect } from "vitest";
import { type Random, seededRandom } from "../../../src/base/random.ts";
import { pause } from "../clocks/pause.ts";
import { testSeed } from "../random/seed.ts";
import { callJson, type ServerProcess } from "./server-process.ts";

const CLIENTS = 4;
const BATCH = 5;

/** What a loop needs. */
export interface KillLoop {
  readonly rounds: number;
  /** How long clients write before the kill, at most, in milliseconds. */
  readonly writingMsMax: number;
  /** Starts the server on what the one before has left. */
  readonly start: () => Promise<ServerProcess>;
}

/** What one client knows about the value of each of its groups of documents. */
interface Group {
  acknowledged: number;
  /**
   * Values that were sent and not answered: any one of them, or the acknowledged one, may be there.
   */
  unanswered: number[];
}

interface Client {
  readonly groups: Map<number, Group>;
  next: number;
}

/** Runs the loop and returns the number of writes sent. */
export async function runKillLoop({ rounds, writingMsMax, start }: KillLoop): Promise<number> {
  const seed = testSeed();
  const random: Random = seededRandom(seed);
  const clients: Client[] = Array.from({ length: CLIENTS }, () => ({ groups: new Map(), next: 1 }));
  for (let round = 0; round < rounds; round++) {
    const server = await start();
    await verify(server, clients, `seed ${seed}, round ${round}`);
    const stop = { now: false };
    const writing = clients.map((client, index) => write(server, client, index, stop));
    await pause(random.below(writingMsMax));
    await server.kill();
    stop.now = true;
    await Promise.all(writing);
  }
  const server = await start();
  await verify(server, clients, `seed ${seed}, at the end`);
  expect(await server.stop()).toBe(0);
  return clients.reduce((sum, client) => sum + client.next - 1, 0);
}

/** Writes whole groups of documents, each time with a new value, until the server is gone. */
async function write(
  server: ServerProcess,
  client: Client,
  index: number,
  stop: { now: boolean },
): Promise<void> {
  while (!stop.now) {
    const value = client.next++;
    const groupId = value % 7;
    const group = client.groups.get(groupId) ?? { acknowledged: 0, unanswered: [] };
    client.groups.set(groupId, group);
    group.unanswered.push(value);
    try {
      const place = { client: index, group: groupId, value };
      const body = group.acknowledged > 0 && value % 3 === 0 ? patch(place) : upsert(place);
      const answer = await callJson(server.url, "POST", "/v2/namespaces/kill", body);
      if (answer.status !== 200) throw new Error(JSON.stringify(answer));
      group.acknowledged = value;
      group.unanswered = [];
    } catch (error) {
      if (!server.process.killed) throw error; // Only a killed server may fail to answer.
      return;
    }
  }
}

interface Place {
  readonly client: number;
  readonly group: number;
  readonly value: number;
}

function upsert({ client, group, value }: Place): unknown {
  return {
    upsert_rows: Array.from({ length: BATCH }, (_, at) => {
      return { id: (client * 100 + group) * BATCH + at, client, group, value };
    }),
  };
}

/** Gives the whole group its new value by filter. */
function patch({ client, group, value }: Place): unknown {
  const conditions = [
    ["client", "Eq", client],
    ["group", "Eq", group],
  ];
  return { patch_by_filter: { filters: ["And", conditions], patch: { value } } };
}

/**
 * Compares what the server has with what the clients know, and lets them learn what took effect.
 */
async function verify(server: ServerProcess, clients: Client[], where: string): Promise<void> {
  const found = new Map<string, number[]>();
  const answer = await callJson(server.url, "POST", "/v2/namespaces/kill/query", {
    rank_by: ["id", "asc"],
    limit: 9999,
    include_attributes: true,
  });
  expect([200, 404], `${where}: ${JSON.stringify(answer)}`).toContain(answer.status);
  const rows =
    answer.status === 404
      ? []
      : (answer.body as { rows: { client: number; group: number; value: number }[] }).rows;
  for (const { client, group, value } of rows) {
    const key = `${client}/${group}`;
    found.set(key, [...(found.get(key) ?? []), value]);
  }
  clients.forEach((client, index) => {
    for (const [groupId, group] of client.groups) {
      const values = found.get(`${index}/${groupId}`) ?? [];
      found.delete(`${index}/${groupId}`);
      const distinct = new Set(values);
      expect(distinct.size, `${where}: group half written: ${values}`).toBeLessThanOrEqual(1);
      const value = values[0] ?? 0;
      if (value !== 0) expect(values, where).toHaveLength(BATCH);
      const possible = [group.acknowledged, ...group.unanswered];
      expect(possible, `${where}: client ${index}, group ${groupId} has ${value}`).toContain(value);
      group.acknowledged = value;
      group.unanswered = [];
    }
  });
  expect([...found.keys()], `${where}: documents that nobody wrote`).toEqual([]);
}
