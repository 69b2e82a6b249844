import { EventEmitter } from "node:events";
import { expect, test } from "vitest";
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

function opened(connections: IdleConnections, count: number): FakeConnection[] {
  return Array.from({ length: count }, () => {
    const connection = new FakeConnection();
    connections.add(connection as never);
    return connection;
  });
}

const openOf = (all: readonly FakeConnection[]) => all.map(({ isOpen }) => isOpen);

test("beyond the limit each new connection ends the one that idles longest", () => {
  const connections = new IdleConnections(3);
  const all = opened(connections, 5);
  expect(openOf(all)).toEqual([false, false, true, true, true]);
});

test("connections with requests under way stay, and idle from the end of the last one", () => {
  const connections = new IdleConnections(3);
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
  const connections = new IdleConnections(2);
  const all = opened(connections, 2);
  for (const connection of all) connections.begin(connection as never);
  const [third] = opened(connections, 1);
  expect(openOf([...all, third])).toEqual([true, true, true]);
  for (const connection of [...all, third]) connection.destroy();
  connections.end(all[0] as never);
  const later = opened(connections, 2);
  expect(openOf(later)).toEqual([true, true]);
});

test("unused are those of which no byte has come", () => {
  const connections = new IdleConnections(5);
  const [unused, begun, waiting, busy] = opened(connections, 4);
  for (const connection of [begun, waiting, busy]) connection.bytesRead = 1;
  connections.begin(busy as never);
  connections.begin(waiting as never);
  connections.end(waiting as never);
  connections.endUnused();
  expect(openOf([unused, begun, waiting, busy])).toEqual([false, true, true, true]);
});
