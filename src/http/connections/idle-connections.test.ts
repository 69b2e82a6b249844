import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
import { ManualClock } from "../../../test/support/clocks/manual-clock.ts";
import { IdleConnections } from "./idle-connections.ts";

class FakeConnection extends EventEmitter {
  isOpen = true;
  bytesRead = 0;

  destroy(): this {
    this.isOpen = false;
    this.emit("close");
    return this;
  }
}

const IDLE_MS = 1000;

function connectionsOf(crowdedCount: number, clock = new ManualClock()): IdleConnections {
  return new IdleConnections({ announcedCount: 3, crowdedCount, idleMs: IDLE_MS }, clock);
}

function opened(connections: IdleConnections, count: number): FakeConnection[] {
  return Array.from({ length: count }, () => {
    const connection = new FakeConnection();
    connections.add(connection as never);
    return connection;
  });
}

const openOf = (all: readonly FakeConnection[]) => all.map(({ isOpen }) => isOpen);

test("beyond the limit each new connection ends the one that idles longest", () => {
  const connections = connectionsOf(3);
  const all = opened(connections, 5);
  expect(openOf(all)).toEqual([false, false, true, true, true]);
});

test("connections with a request that is arriving are closed last", () => {
  const connections = connectionsOf(3);
  const [begun, second, third] = opened(connections, 3);
  begun.bytesRead = 1;
  opened(connections, 1);
  expect(openOf([begun, second, third])).toEqual([true, false, true]);
  opened(connections, 1);
  expect(openOf([begun, third])).toEqual([true, false]);
});

test("connections with requests under way stay, and idle from the end of the last one", () => {
  const connections = connectionsOf(3);
  const [a, b, c] = opened(connections, 3);
  for (const connection of [a, a, b]) connections.begin(connection as never);
  connections.end(a as never);
  opened(connections, 1);
  expect(openOf([a, b, c])).toEqual([true, true, false]);
  connections.end(b as never);
  connections.end(a as never);
  const [d] = opened(connections, 1);
  expect(openOf([a, b, d])).toEqual([true, true, true]);
  opened(connections, 1);
  expect(openOf([a, b, d])).toEqual([true, false, true]);
});

test("where none idles none is ended, and those that were closed are forgotten", () => {
  const connections = connectionsOf(2);
  const all = opened(connections, 2);
  for (const connection of all) connections.begin(connection as never);
  const [third] = opened(connections, 1);
  expect(openOf([...all, third])).toEqual([true, true, true]);
  for (const connection of [...all, third]) connection.destroy();
  connections.end(all[0] as never);
  const later = opened(connections, 2);
  expect(openOf(later)).toEqual([true, true]);
});

test("before they are too many, they are to be announced as such", () => {
  const connections = connectionsOf(10);
  opened(connections, 2);
  expect(connections.areMany).toBe(false);
  const [third] = opened(connections, 1);
  expect(connections.areMany).toBe(true);
  third.destroy();
  expect(connections.areMany).toBe(false);
});

test("a stop ends what idles, and no connection on which something has begun to arrive", () => {
  const connections = connectionsOf(10);
  const [unused, begun, waiting, busy, next] = opened(connections, 5);
  for (const connection of [waiting, busy, next]) {
    connections.begin(connection as never);
    connection.bytesRead = 100;
  }
  for (const connection of [waiting, next]) connections.end(connection as never);
  for (const connection of [begun, next]) connection.bytesRead++;
  connections.endAll();
  expect(openOf([unused, begun, waiting, busy, next])).toEqual([false, true, false, true, true]);
});

test("connections idle for their time, used or not, and no longer", async () => {
  const clock = new ManualClock();
  const connections = connectionsOf(10, clock);
  const [unused, used, begun, busy] = opened(connections, 4);
  connections.begin(busy as never);
  connections.begin(used as never);
  await clock.advance(IDLE_MS / 2);
  connections.end(used as never);
  await clock.advance(IDLE_MS / 2 - 1);
  connections.sweep();
  expect(openOf([unused, used, begun, busy])).toEqual([true, true, true, true]);
  begun.bytesRead++;
  await clock.advance(1);
  connections.sweep();
  expect(openOf([unused, used, begun, busy])).toEqual([false, true, true, true]);
  await clock.advance(IDLE_MS / 2);
  connections.sweep();
  expect(openOf([used, begun, busy])).toEqual([false, true, true]);
});
