/** What is known of how long plans take. */

import { expect, test } from "vitest";
import type { NamespaceInstance } from "../../namespace/published-state.ts";
import { PlanTimes } from "./plan-times.ts";

const MOVIES = "movies/1/1" as NamespaceInstance;
const BOOKS = "books/1/1" as NamespaceInstance;

test("an estimate follows what plans of a namespace and an outline took", () => {
  const times = new PlanTimes();
  expect(times.estimate(MOVIES, "documents(scan)")).toBeUndefined();
  times.note(MOVIES, "documents(scan)", 8);
  expect(times.estimate(MOVIES, "documents(scan)")).toBe(8);
  times.note(MOVIES, "documents(scan)", 4);
  expect(times.estimate(MOVIES, "documents(scan)")).toBe(7);
  expect(times.estimate(MOVIES, "documents(order)")).toBeUndefined();
  expect(times.estimate(BOOKS, "documents(scan)")).toBeUndefined();
});

test("of many plans the first ones are forgotten", () => {
  const times = new PlanTimes();
  for (let i = 0; i <= 1024; i++) times.note(MOVIES, `plan ${i}`, i);
  expect(times.estimate(MOVIES, "plan 0")).toBeUndefined();
  expect(times.estimate(MOVIES, "plan 1")).toBe(1);
  expect(times.estimate(MOVIES, "plan 1024")).toBe(1024);
});
