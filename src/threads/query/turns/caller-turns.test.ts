import { expect, test } from "vitest";
import { CallerTurns, type QueryFlow } from "./caller-turns.ts";

interface Query {
  readonly name: string;
  readonly flow: QueryFlow;
}

function query(key: string, namespace: string, name = ""): Query {
  return { name: `${key} ${namespace} ${name}`, flow: { key, namespace } };
}

/** Turns of these queries, and how many each of them has in so many of a millisecond. */
function turnsOf(queries: readonly Query[]) {
  const turns = new CallerTurns<Query>(200, 1);
  for (const each of queries) turns.add(each, each.flow, 0);
  const take = (count: number) => {
    const counts = new Map(queries.map(({ name }) => [name, 0]));
    for (let i = 0; i < count; i++) {
      const next = turns.next();
      if (next === undefined) break;
      counts.set(next.name, (counts.get(next.name) ?? 0) + 1);
      turns.charge(next, next.flow, 1);
    }
    return [...counts.values()];
  };
  return { turns, take };
}

test("keys share alike, however many namespaces and queries each has", () => {
  const many = ["a", "b", "c"].map((namespace) => query("busy", namespace));
  const { take } = turnsOf([...many, query("busy", "a", "again"), query("quiet", "a")]);
  expect(take(600)).toEqual([50, 100, 100, 50, 300]);
});

test("requests without a key share as one", () => {
  const { take } = turnsOf([query("", "a"), query("", "b"), query("key", "a")]);
  expect(take(400)).toEqual([100, 100, 200]);
});

test("what has left gives its share to those that stay, and nobody is next in the end", () => {
  const [first, second, other] = [query("k", "a"), query("k", "b"), query("l", "a")];
  const { turns, take } = turnsOf([first, second, other]);
  take(30);
  turns.remove(first, first.flow);
  turns.remove(first, first.flow);
  expect(turns.size).toBe(2);
  expect(take(100)[0]).toBe(0);
  turns.remove(second, second.flow);
  expect(take(10)).toEqual([0, 0, 10]);
  turns.remove(other, other.flow);
  expect([turns.size, turns.next()]).toEqual([0, undefined]);
});
