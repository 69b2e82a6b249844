import { expect, test } from "vitest";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import type { Filter } from "../../model/filter.ts";
import { explainRequest } from "../executor/run-request.ts";

const SNAPSHOT = openSnapshot(schemaOf({ n: "int" }), [
  { documents: [documentOf(1n, { n: 1n }), documentOf(2n, { n: 2n })] },
]);

function linesOf(filter: Filter): string[] {
  const request = requestOf(
    documentQuery({ kind: "order", keys: [{ attribute: "id", direction: "asc" }] }, { filter }),
  );
  return runReads(explainRequest(SNAPSHOT, request, { kernels: KERNELS })).split("\n");
}

const anyOf = (count: number, part: (i: number) => unknown) =>
  ["Or", Array.from({ length: count }, (_, i) => part(i))] as const;

test("parts of filters beyond some thousand lines are counted", () => {
  const wide = linesOf(filterOf(anyOf(20_000, (i) => ["n", "Gt", i])));
  expect(wide.length).toBeLessThan(1100);
  expect(wide.some((line) => line.trim() === "and 19000 more parts")).toBe(true);
  const nested = linesOf(
    filterOf(anyOf(100, () => ["And", [["n", "Lt", 9], anyOf(100, (i) => ["n", "Gt", i])]])),
  );
  expect(nested.length).toBeLessThan(1300);
  expect(linesOf(filterOf(anyOf(100, (i) => ["n", "Gt", i]))).length).toBeGreaterThan(100);
});
