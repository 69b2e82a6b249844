/** What walks with the server's plan find of vectors that have no structure to go by. */

import { expect, test } from "vitest";
import {
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { clusteredSnapshot } from "../../../test/support/segments/clustered-snapshot.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import type { DocumentQuery } from "../../model/query.ts";
import { runRequest } from "../executor/run-request.ts";
import type { Snapshot } from "../snapshot.ts";

const DOCUMENTS = 16_000;
const DIMENSIONS = 64;
const QUERIES = 30;
const WANTED = 10;

const random = seededRandom(3);
const uniform = () => Float32Array.from({ length: DIMENSIONS }, () => random.next() - 0.5);

function namespace(): Snapshot {
  const ann = { distanceMetric: "euclidean_squared", lateInteraction: false } as const;
  const type = { type: `[${DIMENSIONS}]f32`, ann };
  const schema = schemaOf({ vector: type }, { distanceMetric: "euclidean_squared" });
  const documents = Array.from({ length: DOCUMENTS }, (_, id) =>
    documentOf(BigInt(id), { vector: uniform() }),
  );
  return clusteredSnapshot(openSnapshot(schema, [{ documents }]), { clusterRows: 64 });
}

function found(snapshot: Snapshot, values: Float32Array, method: "ANN" | "kNN") {
  const operand = { kind: "vector", values } as const;
  const rankBy: DocumentQuery["rankBy"] = { kind: "vector", method, attribute: "vector", operand };
  const request = requestOf(documentQuery(rankBy, { limit: WANTED }));
  const { results, stats } = runSteps(runRequest(snapshot, request, { kernels: KERNELS }));
  const [first] = results;
  if (first.kind !== "documents") throw new Error("no documents");
  return { ids: first.documents.map(({ id }) => id), codes: stats.codesScanned };
}

test("of vectors anywhere, no more are missed than where they lie in groups", () => {
  const snapshot = namespace();
  let [right, codes] = [0, 0];
  for (let query = 0; query < QUERIES; query++) {
    const values = uniform();
    const exact = found(snapshot, values, "kNN").ids;
    const walked = found(snapshot, values, "ANN");
    right += walked.ids.filter((id) => exact.includes(id)).length;
    codes += walked.codes;
  }
  expect(right / QUERIES / WANTED).toBeGreaterThan(0.96);
  expect(codes / QUERIES).toBeLessThan(DOCUMENTS);
});
