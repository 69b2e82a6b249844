/** Which plans of a request are run at the same time, and in which order. */

import { expect, test } from "vitest";
import {
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { runSteps } from "../../base/steps.ts";
import type { DividedPlans, Division, PartOutcome } from "../operator/division.ts";
import { savedMs } from "./concurrent-plans.ts";
import { runRequest } from "./run-request.ts";

test.each([
  // A helper begins .6 ms later.
  { times: [2, 0.7], helperCount: 1, saved: 0.7 },
  { times: [0.7, 2], helperCount: 1, saved: 0.7 },
  { times: [2, 2], helperCount: 1, saved: 1.4 },
  { times: [2, 2, 2, 2], helperCount: 1, saved: 3.4 },
  { times: [2, 2, 2, 2], helperCount: 3, saved: 5.4 },
  { times: [0.4, 0.1], helperCount: 1, saved: 0 },
  { times: [0.05, 0.05], helperCount: 5, saved: 0 },
  { times: [8, 8], helperCount: 1, saved: 7.4 },
  { times: [8, 8.1], helperCount: 1, saved: undefined },
  { times: [2, undefined], helperCount: 1, saved: undefined },
])("plans of $times ms with $helperCount helpers save $saved", ({ times, helperCount, saved }) => {
  if (saved === undefined) expect(savedMs(times, helperCount)).toBeUndefined();
  else expect(savedMs(times, helperCount)).toBeCloseTo(saved);
});

const SCHEMA = schemaOf({ n: "int", m: "int" });
const SNAPSHOT = openSnapshot(SCHEMA, [
  { documents: Array.from({ length: 9 }, (_, i) => documentOf(BigInt(i), { n: BigInt(i) })) },
]);

function orderedBy(attribute: string, limit: number) {
  return documentQuery({ kind: "order", keys: [{ attribute, direction: "desc" }] }, { limit });
}

/** Takes 1 ms for each plan, and tells what it was asked to run. */
class TimingDivision implements Division {
  readonly helperCount = 1;
  readonly times = new Map<string, number>();
  divided: DividedPlans | undefined;
  #nowMs = 0;

  workedMs(): number {
    this.#nowMs++;
    return this.#nowMs;
  }

  planMs(outline: string): number | undefined {
    return this.times.get(outline);
  }

  notePlan(outline: string, ms: number): void {
    this.times.set(outline, ms);
  }

  *runParts(divided: DividedPlans, run: Parameters<Division["runParts"]>[1]) {
    this.divided = divided;
    const outcomes: PartOutcome[] = [];
    for (const part of divided.parts) outcomes.push({ ...(yield* run(part)), elsewhereMs: 7 });
    return outcomes;
  }
}

test("what is found at the same time is of each plan's own, and what it took is noted", () => {
  const request = requestOf(orderedBy("n", 3), orderedBy("m", 2), orderedBy("id", 4));
  const whole = runSteps(runRequest(SNAPSHOT, request, { kernels: KERNELS }));
  const division = new TimingDivision();
  const options = { kernels: KERNELS, division };
  // Nothing is known of them yet.
  expect(runSteps(runRequest(SNAPSHOT, request, options))).toEqual(whole);
  expect(division.divided).toBeUndefined();
  const [n, m, id] = [...division.times.keys()];
  expect([...division.times.values()]).toEqual([1, 1, 1]);
  division.times.set(m, 5).set(id, 3);
  expect(runSteps(runRequest(SNAPSHOT, request, options))).toEqual(whole);
  expect(division.divided?.parts).toEqual(
    [1, 2, 0].map((plan) => ({ plan, ranges: [{ segment: 0, start: 0, end: 9 }] })),
  );
  expect(division.times).toEqual(new Map([n, m, id].map((outline) => [outline, 7])));
});
