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
import { pick } from "../../../test/support/random/random-queries.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { runSteps } from "../../base/steps.ts";
import { matchIds } from "../executor/match-ids.ts";
import { runRequest } from "../executor/run-request.ts";

const COUNT = 4000;
const SCHEMA = schemaOf({ text: { type: "string", fullTextSearch: fullText() }, n: "int" });
/** One in so many documents has the word. */
const CHANCES = { all: 1, half: 2, third: 3, tenth: 10, rare: 100, rarer: 400, rarest: 2000 };
const WORDS = Object.keys(CHANCES) as (keyof typeof CHANCES)[];

test("documents have all the terms, however long their lists are", () => {
  const random = testRandom();
  const texts = Array.from({ length: COUNT }, () =>
    WORDS.filter((word) => random.below(CHANCES[word]) === 0),
  );
  const documents = texts.map((words, i) =>
    documentOf(BigInt(i), { text: words.join(" "), n: BigInt(i % 100) }),
  );
  const snapshot = openSnapshot(SCHEMA, [
    { documents: documents.slice(0, 3500) },
    { documents: documents.slice(3500), deleted: [documentOf(9000n, { text: WORDS.join(" ") })] },
  ]);
  for (let round = 0; round < 200; round++) {
    const sought = WORDS.filter(() => random.below(2) === 0);
    const words = sought.length === 0 ? [pick(random, WORDS)] : sought;
    const below = pick(random, [100, 50, 1]);
    const operator = pick(random, ["ContainsAllTokens", "ContainsAnyToken"]);
    const filter = filterOf([
      "And",
      [
        ["text", operator, words.join(" ")],
        ["n", "Lt", below],
      ],
    ]);
    const { ids } = runSteps(matchIds(snapshot, filter, COUNT, {}));
    const has = (i: number) =>
      operator === "ContainsAllTokens"
        ? words.every((word) => texts[i].includes(word))
        : words.some((word) => texts[i].includes(word));
    const expected = texts.flatMap((_, i) => (has(i) && i % 100 < below ? [BigInt(i)] : []));
    expect(ids, `${operator} ${words} below ${below}`).toEqual(expected);
  }
});

test.each([
  // The list of the rarest, then its documents in each longer list.
  ["every tenth rare", 20 + 20 + 20],
  ["every tenth", 400 + 4000],
  ["every rare missing", 0],
])("postings of %s are looked at %d times", (words, expected) => {
  const documents = Array.from({ length: COUNT }, (_, i) => {
    const text = `every${i % 10 === 0 ? " tenth" : ""}${i % 200 === 0 ? " rare" : ""}`;
    return documentOf(BigInt(i), { text });
  });
  const snapshot = openSnapshot(SCHEMA, [{ documents }]);
  const query = documentQuery(BY_ID, {
    limit: 10,
    filter: filterOf(["text", "ContainsAllTokens", words]),
  });
  const { stats } = runSteps(runRequest(snapshot, requestOf(query), { kernels: KERNELS }));
  expect(stats.postingsTouched).toBe(expected);
});
