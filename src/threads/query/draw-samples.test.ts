import { expect, test } from "vitest";
import { BY_ID, documentQuery, requestOf } from "../../../test/support/queries/query-fixture.ts";
import { seededRandom } from "../../base/random.ts";
import type { DocumentQuery, VectorRank } from "../../model/query.ts";
import { drawSamples } from "./draw-samples.ts";

/** Windows of one buffer, as parsed ones are. */
const SLAB = Float32Array.of(1, 2, 3, 4, 5, 6);

function ranked(rank: Partial<VectorRank> = {}, rest: Partial<DocumentQuery> = {}) {
  const operand = { kind: "vector", values: SLAB.subarray(0, 2) } as const;
  return documentQuery(
    { kind: "vector", method: "ANN", attribute: "v", operand, ...rank },
    { limit: 5, ...rest },
  );
}

test("each ANN ranking is drawn by itself, with the filter and all that it had to rank", () => {
  const filter = { kind: "and", filters: [] } as const;
  const request = requestOf(
    ranked(),
    documentQuery(BY_ID),
    ranked({ method: "kNN" }),
    ranked({}, { filter, limit: 3, offset: 4 }),
  );
  const samples = drawSamples(request, 1, seededRandom(1));
  const [{ rankBy }] = request.queries as DocumentQuery[];
  const shared = { rankBy, sampleCount: 1, includeGroundTruth: false };
  expect(samples).toEqual([
    { ...shared, filter: undefined, topK: 5 },
    { ...shared, filter, topK: 7 },
  ]);
});

test("as many are drawn as the rate says, the same ones for the same chance", () => {
  const request = requestOf(...Array.from({ length: 16 }, () => ranked()));
  const draw = (rate: number, seed: number) => {
    const random = seededRandom(seed);
    const rounds = Array.from({ length: 100 }, () => drawSamples(request, rate, random).length);
    return rounds.reduce((a, b) => a + b);
  };
  expect(draw(0, 1)).toBe(0);
  expect(draw(1, 1)).toBe(1600);
  expect(draw(0.25, 1)).toBeGreaterThan(340);
  expect(draw(0.25, 1)).toBeLessThan(460);
  expect(draw(0.25, 1)).toBe(draw(0.25, 1));
});

test("a sample has memory of its own", () => {
  const vectors = [SLAB.subarray(2, 4), SLAB.subarray(4, 6)];
  const request = requestOf(ranked(), ranked({ operand: { kind: "vectors", values: vectors } }));
  const operands = drawSamples(request, 1, seededRandom(1)).map(
    ({ rankBy }) => (rankBy as VectorRank).operand,
  );
  expect(operands).toEqual(
    request.queries.map(
      (query) => (query as DocumentQuery & { rankBy: VectorRank }).rankBy.operand,
    ),
  );
  const buffers = operands.flatMap((operand) =>
    operand.kind === "embed" ? [] : [operand.values].flat().map((v) => (v as Float32Array).buffer),
  );
  expect(buffers.map(({ byteLength }) => byteLength)).toEqual([8, 8, 8]);
});
