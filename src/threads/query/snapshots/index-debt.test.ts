import { expect, test } from "vitest";
import type { NamespaceState } from "../../../namespace/published-state.ts";
import { IndexDebt } from "./index-debt.ts";

test("debt is summed, and late from when there is enough until it becomes less", () => {
  let nowMs = 1000;
  const debt = new IndexDebt({ monotonicMs: () => nowMs }, { indexTailBytes: 100 });
  const note = (instance: string, unindexedBytes: number, retired = false) =>
    debt.note({ instance, unindexedBytes, retired } as NamespaceState);
  const values = () => debt.metrics().map(({ value }) => value);
  expect(values()).toEqual([0, 0, 0]);
  note("a", 99);
  nowMs += 5000;
  expect(values()).toEqual([99, 99, 0]);
  note("a", 150);
  note("b", 100);
  nowMs += 2000;
  note("a", 160);
  expect(values()).toEqual([260, 160, 2]);
  note("a", 120);
  nowMs += 500;
  expect(values()).toEqual([220, 120, 2.5]);
  note("b", 0);
  expect(values()).toEqual([120, 120, 0.5]);
  note("a", 120, true);
  expect(values()).toEqual([0, 0, 0]);
});
