import { expect, test } from "vitest";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  BY_ID,
  documentOf,
  documentQuery,
  fullText,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { runSteps } from "../../base/steps.ts";
import { runRequest } from "../executor/run-request.ts";

const schema = schemaOf({ text: { type: "string", fullTextSearch: fullText() }, n: "int" });
const TEXTS = ["quick brown fox", "brown quick fox", "quick fox", "a brown dog", "fox quick brown"];
const documents = Array.from({ length: 100 }, (_, i) =>
  documentOf(BigInt(i), { text: TEXTS[i % TEXTS.length], n: BigInt(i) }),
);
const snapshot = openSnapshot(schema, [{ documents }]);

test.each([
  // Of five kinds of text three have both words, of these two in this order.
  [["text", "ContainsTokenSequence", "quick brown"], 60, 40],
  // One term needs no order, and a term that nobody has no texts.
  [["text", "ContainsTokenSequence", "quick"], 0, 80],
  [["text", "ContainsTokenSequence", "quick zebra"], 0, 0],
  // What other filters leave is analyzed, no more.
  [
    [
      "And",
      [
        ["n", "Lt", 10],
        ["text", "ContainsTokenSequence", "quick brown"],
      ],
    ],
    6,
    4,
  ],
])("%j analyzes %i texts", (filter, textsAnalyzed, matches) => {
  const query = documentQuery(BY_ID, { filter: filterOf(filter), limit: 100 });
  const { results, stats } = runSteps(runRequest(snapshot, requestOf(query), { kernels: KERNELS }));
  expect(stats.textsAnalyzed).toBe(textsAnalyzed);
  expect(results[0]).toMatchObject({ documents: { length: matches } });
});
