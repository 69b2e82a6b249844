import { describe, expect, test } from "vitest";
import { countSteps } from "../../../test/support/queries/count-steps.ts";
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
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import { MemoryPool } from "../../base/memory-pool.ts";
import type { Highlight, RankBy, ScoreExpression } from "../../model/query.ts";
import type { ComputedValue } from "../../model/query-result.ts";
import { runRequest } from "../executor/run-request.ts";
import { QueryMemory } from "../operator/query-memory.ts";

const SCHEMA = schemaOf({
  text: { type: "string", fullTextSearch: fullText({ stemming: true }) },
  parts: { type: "[]string", fullTextSearch: fullText() },
  tokens: { type: "[]string", fullTextSearch: fullText({ tokenizer: "pre_tokenized_array" }) },
  plain: "string",
});

const DOCUMENT = documentOf(1n, {
  text: "A 🐡 swims. Fish swim in the sea!  The sea is blue.\nSwimming fish swim.",
  parts: ["red fox", "blue sky, red sky", "é red"],
  tokens: ["a"],
  plain: "a",
});

const SNAPSHOT = openSnapshot(SCHEMA, [{ documents: [DOCUMENT, documentOf(2n)] }]);

const bm25 = (attribute: string, query: string, lastAsPrefix = false): ScoreExpression => ({
  kind: "bm25",
  attribute,
  query,
  lastAsPrefix,
});

const highlight = (attribute: string, rest: Partial<Highlight> = {}): Highlight => ({
  kind: "highlight",
  attribute,
  fragmentBy: "sentence",
  fragmentLimit: 3,
  offsets: undefined,
  rankFragmentsBy: undefined,
  ...rest,
});

/** The highlights of documents 1 and 2. */
function highlights(member: Highlight, rankBy: RankBy = BY_ID): ComputedValue[] {
  const query = documentQuery(rankBy, { computed: new Map([["h", member]]) });
  const [result] = runReads(runRequest(SNAPSHOT, requestOf(query), { kernels: KERNELS })).results;
  if (result.kind !== "documents") throw new Error("no documents");
  return result.documents.map(({ computed }) => computed[0][1]);
}

const score = (expression: ScoreExpression): RankBy => ({ kind: "score", expression });
const swim = { rankFragmentsBy: bm25("$fragment", "swim") };

describe("fragments", () => {
  test("are ranked by score, then position; only those with a match are shown", () => {
    const [first, second] = highlights(highlight("text", swim));
    expect(first).toEqual([
      { text: "Swimming fish swim." },
      { text: "A 🐡 swims." },
      { text: "Fish swim in the sea!" },
    ]);
    expect(second).toEqual([]);
  });

  test("are ranked by the query when nothing else is said", () => {
    const rankBy = score({ kind: "product", weight: 2, clause: bm25("text", "blue") });
    expect(highlights(highlight("text"), rankBy)[0]).toEqual([{ text: "The sea is blue." }]);
  });

  test.each([
    ["paragraph", ["Swimming fish swim.", "A 🐡 swims. Fish swim in the sea!  The sea is blue."]],
    ["word", ["swims", "swim", "Swimming"]],
    ["none", [String(DOCUMENT.attributes.get("text"))]],
  ] as const)("are cut by %s", (fragmentBy, expected) => {
    const [found] = highlights(highlight("text", { ...swim, fragmentBy }));
    expect((found as { text: string }[]).map(({ text }) => text)).toEqual(expected);
  });

  test("are weighed by what is rare in their own document, whatever others have", () => {
    const own = documentOf(1n, { text: "Fish swim. Fish sleep. Birds fly. Fish eat." });
    const others = [2n, 3n, 4n, 5n].map((id) => documentOf(id, { text: "Birds sing." }));
    const rankFragmentsBy = bm25("text", "fish birds");
    const query = documentQuery(BY_ID, {
      limit: 1,
      computed: new Map([["h", highlight("text", { rankFragmentsBy, fragmentLimit: 1 })]]),
    });
    for (const documents of [[own], [own, ...others]]) {
      const snapshot = openSnapshot(SCHEMA, [{ documents }]);
      const [result] = runReads(
        runRequest(snapshot, requestOf(query), { kernels: KERNELS }),
      ).results;
      expect(result).toMatchObject({
        documents: [{ computed: [["h", [{ text: "Birds fly." }]]] }],
      });
    }
  });

  test("by word are the tokens of the attribute's tokenizer", () => {
    const found = (tokenizer: "word_v2" | "word_v3") => {
      const text = { type: "string", fullTextSearch: fullText({ tokenizer }) };
      const documents = [documentOf(1n, { text: "by e.g. sea.com" })];
      const snapshot = openSnapshot(schemaOf({ text }), [{ documents }]);
      const word = { fragmentBy: "word", rankFragmentsBy: bm25("text", "sea.com") } as const;
      const computed = new Map([["h", highlight("text", word)]]);
      const request = requestOf(documentQuery(BY_ID, { computed }));
      return runReads(runRequest(snapshot, request, { kernels: KERNELS })).results[0];
    };
    expect(found("word_v3")).toMatchObject({
      documents: [{ computed: [["h", [{ text: "sea.com" }]]] }],
    });
    expect(found("word_v2")).toMatchObject({
      documents: [{ computed: [["h", [{ text: "sea" }, { text: "com" }]]] }],
    });
  });

  test("are at most as many as asked for", () => {
    expect(highlights(highlight("text", { ...swim, fragmentLimit: 1 }))[0]).toHaveLength(1);
  });

  test("of arrays say which element they are in", () => {
    const rankFragmentsBy = bm25("parts", "sky red");
    expect(highlights(highlight("parts", { rankFragmentsBy, fragmentLimit: 2 }))[0]).toEqual([
      { text: "blue sky, red sky", arrayIndex: 1 },
      { text: "red fox", arrayIndex: 0 },
    ]);
  });
});

describe("offsets", () => {
  test.each([
    ["utf-16", [0, 11], [5, 10]],
    ["utf-8", [0, 13], [7, 12]],
    ["codepoints", [0, 10], [4, 9]],
  ] as const)("in %s are absolute and half-open", (offsets, fragmentRange, match) => {
    const rankFragmentsBy = bm25("$fragment", "swim");
    const [found] = highlights(highlight("text", { rankFragmentsBy, offsets }));
    expect((found as unknown[])[1]).toEqual({
      text: "A 🐡 swims.",
      fragmentRange,
      matchRanges: [match],
    });
  });

  test("of prefixes and token filters mark whole tokens", () => {
    const prefix = { offsets: "utf-16", rankFragmentsBy: bm25("parts", "sk", true) } as const;
    expect(highlights(highlight("parts", prefix))[0]).toMatchObject([
      {
        matchRanges: [
          [5, 8],
          [14, 17],
        ],
        arrayIndex: 1,
      },
    ]);
    const filter = filterOf(["parts", "ContainsTokenSequence", "red sky"]);
    const rankBy = score({ kind: "filter", filter });
    const found = highlights(highlight("parts", { offsets: "utf-16" }), rankBy);
    expect(found[0]).toMatchObject([
      {
        text: "blue sky, red sky",
        matchRanges: [
          [5, 8],
          [10, 13],
          [14, 17],
        ],
      },
      { text: "red fox", matchRanges: [[0, 3]] },
      { text: "é red", matchRanges: [[2, 5]] },
    ]);
  });
});

describe("long texts", () => {
  /** The steps of a query that highlights one document. */
  function stepsOf(text: string, member: Partial<Highlight>) {
    const schema = schemaOf({ text: { type: "string", fullTextSearch: fullText() } });
    const snapshot = openSnapshot(schema, [{ documents: [documentOf(1n, { text })] }]);
    const h = highlight("text", { rankFragmentsBy: bm25("$fragment", "needle"), ...member });
    const query = documentQuery(BY_ID, { computed: new Map([["h", h]]) });
    const { result, count } = countSteps(
      runRequest(snapshot, requestOf(query), { kernels: KERNELS }),
    );
    const [found] = result.results;
    if (found.kind !== "documents") throw new Error("no documents");
    return { shown: found.documents[0].computed[0][1], count };
  }

  const filler = "Some words of no use, and more of them. ";

  test.each(["sentence", "paragraph", "word", "none"] as const)(
    "are cut by %s in as many more steps as they are longer",
    (fragmentBy) => {
      const textOf = (times: number) => `${filler.repeat(times)}\nA needle here.\n`;
      const short = stepsOf(textOf(2_000), { fragmentBy, offsets: "utf-8" });
      const long = stepsOf(textOf(20_000), { fragmentBy, offsets: "utf-8" });
      // 8,192 units are analyzed in a step.
      expect(long.count - short.count).toBeGreaterThan((18_000 * filler.length) / 8_300);
      expect(long.shown).toHaveLength(1);
    },
  );

  test("without an end of a sentence, or with matches alone, have steps as well", () => {
    const endless = stepsOf(`${"word ".repeat(200_000)}needle`, { fragmentLimit: 1 });
    expect(endless.count).toBeGreaterThan(1_000_000 / 8_300 + 1_000_000 / 32_768 - 2);
    const many = stepsOf("A needle. ".repeat(60_000), { fragmentLimit: 2, offsets: "codepoints" });
    expect(many.count).toBeGreaterThan(60_000 / 256);
    expect(many.shown).toEqual([
      { text: "A needle.", fragmentRange: [0, 9], matchRanges: [[2, 8]] },
      { text: "A needle.", fragmentRange: [10, 19], matchRanges: [[12, 18]] },
    ]);
  });
});

test("the memory of matches is reserved before they are shown, and released", () => {
  const text = "fish ".repeat(100_000);
  const snapshot = openSnapshot(SCHEMA, [{ documents: [documentOf(1n, { text })] }]);
  const computed = new Map([["h", highlight("text", { fragmentBy: "word", fragmentLimit: 1 })]]);
  const query = documentQuery(score(bm25("text", "fish")), { computed });
  const run = (memory: QueryMemory) =>
    runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS, memory }));
  const pool = new MemoryPool(2 ** 25);
  run(new QueryMemory(pool));
  // Only the answer's memory is still reserved.
  expect(pool.bytesUsed).toBeLessThan(2 ** 21);
  expect(() => run(new QueryMemory(new MemoryPool(2 ** 23)))).toThrow("matches of highlights");
});

test("of very many prefixes take no time for each", () => {
  const clauses = Array.from({ length: 500 }, (_, i) => bm25("text", `x${i}`, true));
  const prefixes = [...clauses, bm25("text", "fis", true)];
  const found = highlights(highlight("text"), score({ kind: "sum", clauses: prefixes }));
  expect(found[0]).toHaveLength(2);
});

describe("refusals", () => {
  test.each<[Highlight, RankBy, string]>([
    [highlight("text"), BY_ID, "the query's rank_by is not a text ranking"],
    [highlight("text"), score(bm25("parts", "red")), "rank_by has no text clause on the attribute"],
    [
      highlight("text", { rankFragmentsBy: bm25("parts", "a") }),
      BY_ID,
      "rank_fragments_by has no text clause",
    ],
    [highlight("plain", swim), BY_ID, "needs `full_text_search`"],
    [highlight("tokens", swim), BY_ID, "pre_tokenized_array is not supported"],
    [highlight("absent", swim), BY_ID, "not found in schema"],
  ])("%#", (member, rankBy, message) => {
    expect(() => highlights(member, rankBy)).toThrow(message);
  });
});
