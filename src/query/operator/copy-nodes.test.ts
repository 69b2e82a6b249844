import { expect, test } from "vitest";
import { countSteps } from "../../../test/support/queries/count-steps.ts";
import { runSteps } from "../../base/steps.ts";
import { copyNodes } from "./copy-nodes.ts";

test("nodes are copied, also in lists and pairs; values are shared", () => {
  const leaf = { kind: "in", values: [1n, 2n], vector: Float32Array.of(1), sizes: new Map() };
  const plan = {
    kind: "documents",
    predicate: { kind: "or", parts: [leaf, leaf] },
    named: [["a", leaf]],
  };
  const copy = runSteps(copyNodes(plan));
  expect(copy).toEqual(plan);
  for (const node of [copy, copy.predicate, copy.predicate.parts[1], copy.named[0][1]]) {
    expect([plan, plan.predicate, leaf]).not.toContain(node);
  }
  expect(copy.predicate.parts[0].values).toBe(leaf.values);
  expect(copy.predicate.parts[0].vector).toBe(leaf.vector);
  expect(copy.predicate.parts[0].sizes).toBe(leaf.sizes);
});

test("wide plans are copied in steps, lists of values in none", () => {
  const parts = Array.from({ length: 60_000 }, () => ({ kind: "eq", value: 1n }));
  expect(countSteps(copyNodes({ kind: "or", parts })).count).toBeGreaterThan(10);
  const values = Array.from({ length: 60_000 }, (_, i) => BigInt(i));
  expect(countSteps(copyNodes({ kind: "in", values })).count).toBeLessThan(3);
});
