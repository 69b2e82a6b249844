import { expect, test } from "vitest";
import { isDatabaseError } from "../../base/errors.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { mayHaveId, openIdFilter, planIdFilter } from "./id-filter-section.ts";

function filterOf(hashes: Uint32Array): Uint32Array {
  const plan = planIdFilter(hashes);
  const section = new Uint8Array(plan.bytes);
  runSteps(plan.writeTo(section));
  return openIdFilter(section);
}

test("every id that is there passes, and few others do", () => {
  const random = seededRandom(11);
  for (const count of [1, 7, 100, 50_000]) {
    const hashes = new Uint32Array(Uint8Array.from(random.bytes(4 * count)).buffer);
    const filter = filterOf(hashes);
    for (const hash of hashes) expect(mayHaveId(filter, hash)).toBe(true);
    if (count < 1000) continue;
    const others = new Uint32Array(Uint8Array.from(random.bytes(400_000)).buffer);
    const passed = others.filter((hash) => mayHaveId(filter, hash)).length;
    expect(passed / others.length).toBeLessThan(0.01);
  }
});

test("a filter without whole blocks is damaged", () => {
  for (const bytes of [0, 4, 32, 96]) {
    let thrown: unknown;
    try {
      openIdFilter(new Uint8Array(bytes));
    } catch (error) {
      thrown = error;
    }
    expect(isDatabaseError(thrown, "corrupt")).toBe(true);
  }
});
