/** Posting lists of several pages of ordinals are scored and filtered as those of one page are. */

import { expect, test } from "vitest";
import { effort } from "../../../../test/support/effort.ts";
import { filterOf } from "../../../../test/support/queries/filter-notation.ts";
import {
  documentOf,
  documentQuery,
  fullText,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../../test/support/queries/query-fixture.ts";
import { pick } from "../../../../test/support/random/random-queries.ts";
import { testRandom } from "../../../../test/support/random/seed.ts";
import { runReads } from "../../../../test/support/segments/remote-segment.ts";
import type { Random } from "../../../base/random.ts";
import type { TypedDocument } from "../../../codec/columns-builder.ts";
import type { DocumentQuery, ScoreExpression } from "../../../model/query.ts";
import { PAGE_ORDINALS } from "../../../segment/postings/list-layout.ts";
import { runRequest } from "../../executor/run-request.ts";
import type { Snapshot } from "../../operator/snapshot.ts";

const COUNT = PAGE_ORDINALS + 9000;
const DELETED_COUNT = 300;
const SCHEMA = schemaOf({
  text: { type: "string", fullTextSearch: fullText() },
  sparse: "{}f16",
  n: "int",
});
/** From what every document has to what one in 20,000 has. */
const WORDS = ["every", "half", "tenth", "rare", "rarer", "rarest"];
const CHANCES = [1, 2, 10, 500, 5000, 20_000];

function drawDocument(random: Random, id: number): TypedDocument {
  const words = WORDS.filter((_, w) => random.below(CHANCES[w]) === 0);
  const texts = words.map((word) => {
    // A frequency that no byte holds, in each page a few.
    const times = random.below(4000) === 0 ? 255 + random.below(50) : 1 + random.below(3);
    return `${word} `.repeat(times);
  });
  const weights = Float32Array.from(words, () => pick(random, [-2, 0.5, 1, 3, 65_504]));
  return documentOf(BigInt(id), {
    text: texts.join(""),
    sparse: { names: [...words].sort(), weights },
    n: BigInt(random.below(1000)),
  });
}

function scoreOf(random: Random): ScoreExpression {
  const words = WORDS.filter(() => random.below(2) === 0);
  const query = words.length === 0 ? "half" : words.join(" ");
  if (random.below(3) > 0) {
    return { kind: "bm25", attribute: "text", query, lastAsPrefix: random.below(4) === 0 };
  }
  const entries = new Map(query.split(" ").map((word) => [word, pick(random, [-1, 0.5, 2])]));
  return { kind: "sparse", attribute: "sparse", entries };
}

const FILTERS = [
  undefined,
  ["n", "Lt", 500],
  ["n", "Lt", 2],
  ["text", "ContainsAllTokens", "half tenth"],
  ["text", "ContainsAllTokens", "rare half"],
  ["text", "ContainsAnyToken", "rarer rarest"],
  ["text", "ContainsAllTokens", "rar", { last_as_prefix: true }],
];

function queryOf(random: Random): DocumentQuery {
  const expression = scoreOf(random);
  const filter = pick(random, FILTERS);
  // A sum of one clause has no lists to pass over: it is scored as a whole.
  const isWhole = random.below(3) === 0;
  return documentQuery(
    {
      kind: "score",
      expression: isWhole ? { kind: "sum", clauses: [expression] } : expression,
    },
    {
      limit: pick(random, [1, 10, 300]),
      filter: filter === undefined ? undefined : filterOf(filter as never),
    },
  );
}

const resultsOf = (snapshot: Snapshot, query: DocumentQuery) =>
  runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS })).results;

test("one segment of two pages answers as segments of one page", () => {
  const random = testRandom();
  const documents = Array.from({ length: COUNT }, (_, id) => drawDocument(random, id));
  const deleted = Array.from({ length: DELETED_COUNT }, (_, i) => drawDocument(random, COUNT + i));
  const whole = openSnapshot(SCHEMA, [{ documents, deleted }]);
  const parts = openSnapshot(SCHEMA, [
    { documents: documents.slice(0, COUNT / 2), deleted },
    { documents: documents.slice(COUNT / 2) },
  ]);
  for (let i = 0; i < effort({ usual: 12, full: 40 }); i++) {
    const query = queryOf(random);
    expect(resultsOf(whole, query), `query ${i}`).toEqual(resultsOf(parts, query));
  }
});
