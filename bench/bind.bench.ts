/**
 * How many documents per second are bound, resolved and encoded for the log, by what they hold.
 * Run: `node bench/bind.bench.ts` (Node >= 24). Prints documents per second, the best of 5 rounds.
 */

import { seededRandom } from "../src/base/random.ts";
import { runSteps } from "../src/base/steps.ts";
import { encodeBatches } from "../src/log/wal-records.ts";
import { EMPTY_SCHEMA } from "../src/model/schema.ts";
import type { LooseColumn, WriteRequest } from "../src/model/write-request.ts";
import { bindBatch } from "../src/write/bind/bind-batch.ts";
import { changesOf, resolveBatch } from "../src/write/resolve/resolve-batch.ts";

const ROUNDS = 5;
const COUNT = 10_000;
const DIMENSIONS = 768;
const random = seededRandom(1);

const vectors = Array.from({ length: COUNT }, () =>
  Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5),
);
const base64 = vectors.map((vector) => Buffer.from(vector.buffer).toString("base64"));
const numbers = vectors.map((vector) => ({ values: Float64Array.from(vector), integers: false }));

const column = (values: LooseColumn["values"]): LooseColumn => ({ values, integersOnly: true });
const ids = column(Array.from({ length: COUNT }, (_, i) => i));

const SHAPES: Record<string, Map<string, LooseColumn>> = {
  "vector as base64": new Map([["vector", column(base64)]]),
  "vector as Float32Array": new Map([["vector", column(vectors)]]),
  "vector as numbers": new Map([["vector", column(numbers)]]),
  "ten integers": new Map(
    Array.from({ length: 10 }, (_, i) => [
      `n${i}`,
      column(Array.from({ length: COUNT }, () => random.below(1e9))),
    ]),
  ),
  "ten short strings": new Map(
    Array.from({ length: 10 }, (_, i) => [
      `s${i}`,
      column(Array.from({ length: COUNT }, () => `value ${random.below(1e6)}`)),
    ]),
  ),
  "five words in an array": new Map([
    ["tags", column(Array.from({ length: COUNT }, () => ["a", "bb", "ccc", "dddd", "eeeee"]))],
  ]),
};

for (const [name, attributes] of Object.entries(SHAPES)) {
  const request: WriteRequest = {
    upserts: { count: COUNT, layout: "rows", ids, attributes },
    distanceMetric: "cosine_distance",
    deleteByFilterAllowPartial: false,
    patchByFilterAllowPartial: false,
    returnAffectedIds: false,
    disableBackpressure: false,
    bodyBytes: 0,
  };
  let bindMs = Number.POSITIVE_INFINITY;
  let allMs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now();
    const bound = runSteps(
      bindBatch(request, {
        schema: EMPTY_SCHEMA,
        isNewNamespace: true,
        dimensionsOf: () => undefined,
      }),
    );
    const boundAt = performance.now();
    const unused = () => {
      throw new Error("nothing is read");
    };
    const current = { expect: unused, locate: unused, matchIds: unused, condition: unused };
    encodeBatches([changesOf(runSteps(resolveBatch(bound, current)), bound.schema)]);
    bindMs = Math.min(bindMs, boundAt - start);
    allMs = Math.min(allMs, performance.now() - start);
  }
  const rate = (ms: number) =>
    Math.round((COUNT / ms) * 1000)
      .toLocaleString("en")
      .padStart(11);
  console.log(`${name.padEnd(24)}${rate(bindMs)} bound/s${rate(allMs)} with resolve and encode/s`);
}
