import { describe, expect, test } from "vitest";
import { testRandom } from "../../../../test/support/random/seed.ts";
import type { DocumentId } from "../../../api/documents.ts";
import { afterPage, nextPage, planSample, SAMPLE_START, type SamplePlan } from "./sample-plan.ts";

/** Answers pages from ids in memory, as the server would, and says what was read. */
function readAll(plan: SamplePlan, ids: readonly DocumentId[]) {
  const read: DocumentId[] = [];
  let requests = 0;
  for (let at = SAMPLE_START; ; requests++) {
    const page = nextPage(plan, at);
    if (page === undefined) return { read, requests };
    expect(page.limit).toBeGreaterThan(0);
    expect(page.limit).toBeLessThanOrEqual(plan.page);
    const conditions = page.filter[1] as [string, string, DocumentId][];
    const found = ids
      .filter((id) =>
        conditions.every(([, operator, bound]) => {
          if (operator === "Gt") return id > bound;
          return operator === "Gte" ? id >= bound : id < bound;
        }),
      )
      .slice(0, page.limit);
    read.push(...found);
    at = afterPage(plan, at, { ids: found, limit: page.limit });
  }
}

function planOf(ids: readonly DocumentId[], wanted: number, page: number): SamplePlan {
  const first = ids[0];
  const last = ids.at(-1);
  const ends = first === undefined || last === undefined ? undefined : { first, last };
  return planSample({ available: ids.length, wanted, page, ends });
}

describe("a sample", () => {
  test("of a namespace that is small enough is all of it, in order", () => {
    for (const ids of [[], [7], Array.from({ length: 95 }, (_, i) => i * 3)]) {
      const plan = planOf(ids, 100, 10);
      expect(plan.choice).toBe("all");
      expect(readAll(plan, ids).read).toEqual(ids);
    }
  });

  test("of integers is spread over them, each once, as many as were wanted", () => {
    const random = testRandom();
    for (let round = 0; round < 10; round++) {
      const ids = [...new Set(Array.from({ length: 3000 }, () => random.below(1e6)))].sort(
        (a, b) => a - b,
      );
      const plan = planOf(ids, 500, 10);
      const { read, requests } = readAll(plan, ids);
      expect(plan.choice).toBe("spread");
      expect(new Set(read).size).toBe(read.length);
      expect(read.length).toBeLessThanOrEqual(500);
      expect(read.length).toBeGreaterThan(450);
      expect(requests).toBeLessThan(450);
      const below = read.filter((id) => Number(id) < 500_000).length;
      expect(Math.abs(below - read.length / 2)).toBeLessThan(read.length * 0.15);
    }
  });

  test("where ids lie close together takes more of the ranges that have some", () => {
    const ids = [...Array.from({ length: 900 }, (_, i) => i), 1_000_000_000];
    const { read } = readAll(planOf(ids, 300, 1000), ids);
    expect(read).toContain(1_000_000_000);
    expect(read.length).toBeLessThanOrEqual(300);
  });

  test("keeps integers beyond 2^53 exact", () => {
    const ids = Array.from({ length: 50 }, (_, i) => 2n ** 63n + BigInt(i));
    const plan = planOf(ids, 10, 10);
    expect(plan.ranges[5].from).toBe(2n ** 63n + 24n);
    expect(readAll(plan, ids).read).toHaveLength(10);
  });

  test("of UUIDs is spread over their numbers", () => {
    const ids = Array.from(
      { length: 256 },
      (_, i) => `${i.toString(16).padStart(2, "0")}000000-0000-7000-8000-000000000000`,
    );
    const plan = planOf(ids, 16, 100);
    expect(plan.choice).toBe("spread");
    expect(plan.ranges[8].from).toBe("7f800000-0000-7000-8000-000000000000");
    const { read } = readAll(plan, ids);
    expect(read).toHaveLength(16);
    expect(read.filter((id) => String(id) < "8")).toHaveLength(8);
  });

  test("of other strings is the first ones, and says so", () => {
    const ids = Array.from({ length: 50 }, (_, i) => `film-${String(i).padStart(2, "0")}`);
    const plan = planOf(ids, 20, 8);
    expect(plan.choice).toBe("first");
    expect(readAll(plan, ids).read).toEqual(ids.slice(0, 20));
  });
});
