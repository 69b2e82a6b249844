import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { naiveHighlight } from "../../../test/support/queries/naive-highlight.ts";
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
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { TOKENIZERS } from "../../model/full-text-options.ts";
import type { Highlight, ScoreExpression } from "../../model/query.ts";
import { runRequest } from "../executor/run-request.ts";

const WORDS = ["fish", "swim", "swims", "the", "sea", "e.g", "don't", "東京", "🐡", "red-fox", "é"];
const ENDS = [". ", "! ", " ", " ", " ", ", ", "\n", "? "];
const QUERIES = ["fish", "swimming sea fish fish", "the 東 🐡", "sea do", "whales", "red é don't"];

function pick<T>(random: Random, values: readonly T[]): T {
  return values[random.below(values.length)];
}

function randomText(random: Random, length = random.below(30)): string {
  return Array.from({ length }, () => pick(random, WORDS) + pick(random, ENDS)).join("");
}

/** A text of several pieces of analysis, with few fragments by sentence or paragraph. */
function longText(random: Random): string {
  const part = () => {
    const long = `${"x".repeat(random.below(60))} `;
    return `${long.repeat(random.below(90))}${randomText(random, random.below(6))}`;
  };
  return Array.from({ length: 24 }, part).join("");
}

function randomRanking(random: Random, attribute: string, depth = 2): ScoreExpression {
  const clause = (): ScoreExpression => randomRanking(random, attribute, depth - 1);
  switch (depth === 0 ? 0 : random.below(4)) {
    case 1:
      return { kind: "sum", clauses: [clause(), clause()] };
    case 2:
      return { kind: "max", clauses: [clause(), clause()] };
    case 3:
      return { kind: "product", weight: 1 + random.below(3), clause: clause() };
    default: {
      const lastAsPrefix = random.below(4) === 0;
      return { kind: "bm25", attribute, query: pick(random, QUERIES), lastAsPrefix };
    }
  }
}

test.each([
  { texts: "short", seeds: effort({ usual: 30, full: 60 }), textOf: randomText },
  { texts: "long", seeds: effort({ usual: 3, full: 12 }), textOf: longText },
])("fragments of $texts texts are those of the slow twin", ({ seeds, textOf }) => {
  for (let seed = 1; seed <= seeds; seed++) {
    const random = seededRandom(seed);
    const options = fullText({
      tokenizer: pick(
        random,
        TOKENIZERS.filter((name) => name !== "pre_tokenized_array"),
      ),
      stemming: random.below(2) === 0,
      removeStopwords: random.below(2) === 0,
    });
    const schema = schemaOf({
      text: { type: "string", fullTextSearch: options },
      parts: { type: "[]string", fullTextSearch: options },
    });
    const documents = Array.from({ length: 1 + random.below(5) }, (_, i) =>
      documentOf(BigInt(i), {
        text: textOf(random),
        parts: Array.from({ length: random.below(4) }, () => randomText(random)),
      }),
    );
    const snapshot = openSnapshot(schema, [{ documents }]);
    const attribute = pick(random, ["text", "parts"]);
    const ranking = randomRanking(random, attribute);
    const highlight: Highlight = {
      kind: "highlight",
      attribute,
      fragmentBy: pick(
        random,
        textOf === randomText
          ? ["sentence", "paragraph", "word", "none"]
          : ["sentence", "paragraph", "none"],
      ),
      fragmentLimit: pick(random, [1, 3, 1024]),
      offsets: undefined,
      rankFragmentsBy: ranking,
    };
    const query = documentQuery(BY_ID, { limit: 10, computed: new Map([["h", highlight]]) });
    const [result] = runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS })).results;
    if (result.kind !== "documents") throw new Error("no documents");
    result.documents.forEach(({ id, computed }) => {
      const value = documents[Number(id)].attributes.get(attribute) ?? null;
      const expected = naiveHighlight(highlight, ranking, { value, schema });
      expect(computed[0][1], `seed ${seed}, document ${id}`).toEqual(expected);
    });
  }
});
