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

test("what is usual is not moved by those that wait for a core in their midst", () => {
  const costs = new QueryCosts();
  const usual = () => costs.estimate(NAME, 100)?.usualMs ?? Number.NaN;
  costs.note(NAME, 100, 5);
  // Of five queries three have waited.
  for (let i = 0; i < 500; i++) costs.note(NAME, 100, i % 5 < 2 ? 0.1 : 20);
  expect(usual()).toBeGreaterThanOrEqual(0.1);
  expect(usual()).toBeLessThan(0.15);
  // Queries that have become costly are known after some of them.
  for (let i = 0; i < 30; i++) costs.note(NAME, 100, 20);
  expect(usual()).toBeGreaterThan(1);
  for (let i = 0; i < 200; i++) costs.note(NAME, 100, 20);
  expect(usual()).toBe(20);
});

test("the kinds that are remembered are bounded", () => {
  const costs = new QueryCosts();
  for (let i = 0; i < 5000; i++) costs.note(namespaceName(`n${i}`), 100, 1);
  expect(costs.estimate(namespaceName("n0"), 100)).toBeUndefined();
  expect(costs.estimate(namespaceName("n4999"), 100)?.recentMs).toBe(1);
});
