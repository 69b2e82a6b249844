import { expect, test } from "vitest";
import { namespaceName } from "../../base/ids.ts";
import { QueryCosts } from "./query-costs.ts";

const NAME = namespaceName("movies");

test("queries of a namespace with bodies of about one length cost about the same", () => {
  const costs = new QueryCosts();
  expect(costs.estimate(NAME, 100)).toBeUndefined();
  costs.note(NAME, 100, 2);
  expect(costs.estimate(NAME, 100)).toEqual({ recentMs: 2, usualMs: 2 });
  expect(costs.estimate(NAME, 105)?.recentMs).toBe(2);
  expect(costs.estimate(NAME, 200)).toBeUndefined();
  expect(costs.estimate(namespaceName("books"), 100)).toBeUndefined();
});

test("estimates follow costly queries soon, and cheap ones slowly", () => {
  const costs = new QueryCosts();
  costs.note(NAME, 100, 0.1);
  costs.note(NAME, 100, 10.1);
  expect(costs.estimate(NAME, 100)?.recentMs).toBeCloseTo(5.1);
  costs.note(NAME, 100, 0.1);
  expect(costs.estimate(NAME, 100)?.recentMs).toBeCloseTo(4.6);
  for (let i = 0; i < 100; i++) costs.note(NAME, 100, 0.1);
  expect(costs.estimate(NAME, 100)?.recentMs).toBeLessThan(0.11);
});

test("what is usual is not moved far by one that has waited for a core", () => {
  const costs = new QueryCosts();
  costs.note(NAME, 100, 0.1);
  costs.note(NAME, 100, 50);
  expect(costs.estimate(NAME, 100)?.usualMs).toBeCloseTo(0.2);
  for (let i = 0; i < 10; i++) costs.note(NAME, 100, 0.1);
  expect(costs.estimate(NAME, 100)?.usualMs).toBeLessThan(0.14);
  // Queries that have become costly are known after some of them, by doubling.
  for (let i = 0; i < 5; i++) costs.note(NAME, 100, 50);
  expect(costs.estimate(NAME, 100)?.usualMs).toBeGreaterThan(3.2);
});

test("the kinds that are remembered are bounded", () => {
  const costs = new QueryCosts();
  for (let i = 0; i < 5000; i++) costs.note(namespaceName(`n${i}`), 100, 1);
  expect(costs.estimate(namespaceName("n0"), 100)).toBeUndefined();
  expect(costs.estimate(namespaceName("n4999"), 100)?.recentMs).toBe(1);
});
