import { expect, test } from "vitest";
import { ManualClock } from "../../../../test/support/clocks/manual-clock.ts";
import { MemoryPool } from "../../../base/memory-pool.ts";
import { QueryMemory } from "../../../query/operator/query-memory.ts";
import { QueryLife } from "./query-life.ts";

function tracedLife() {
  const clock = new ManualClock();
  const memory = new QueryMemory(new MemoryPool(1));
  const options = { clock, timeoutMs: 1000, waitedMs: 0, memory, isTraced: true };
  const life = new QueryLife({ key: "", namespace: "n" }, options);
  return { clock, life };
}

test("the work of a traced query is counted by kinds of operators, in microseconds", () => {
  const { clock, life } = tracedLife();
  const work = (ms: number, step: string, operator?: string) =>
    life.work(() => {
      life.enter(() => step, operator);
      void clock.advance(ms);
    });
  work(5, "reading");
  work(1, "year > 3", "filter");
  work(2, "vector [1, 2]", "vector_scan");
  // Nobody works meanwhile.
  void clock.advance(50);
  work(4, "year > 3", "filter");
  work(8, "the answer");
  expect(life.operators).toEqual({ filter: 5000, vector_scan: 2000 });
});
