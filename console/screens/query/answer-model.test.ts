import { expect, test } from "vitest";
import { fragmentsOf, performanceText, shownResults, valueSummary } from "./answer-model.ts";

test("rows have id and distance first, then what any of them has", () => {
  const [result] = shownResults({
    rows: [
      { a: 1, id: 2, $dist: 0.5 },
      { id: 3, b: null },
    ],
  });
  expect(result).toMatchObject({ columns: ["id", "$dist", "a", "b"], isDocuments: true });
  expect(result.title).toBeUndefined();
});

test("aggregates are one row, groups several, and several queries have titles", () => {
  expect(shownResults({ aggregations: { n: 2 } })).toMatchObject([
    { rows: [{ n: 2 }], columns: ["n"], isDocuments: false },
  ]);
  expect(
    shownResults({
      aggregation_groups: [
        { year: 1, n: 2 },
        { year: 2, n: 1 },
      ],
    }),
  ).toMatchObject([{ columns: ["year", "n"], isDocuments: false }]);
  const several = shownResults({ results: [{ rows: [] }, { aggregations: { n: 1n } }] });
  expect(several.map(({ title }) => title)).toEqual(["Query 1", "Query 2"]);
  expect(shownResults({ results: [{ rows: [] }] })[0].title).toBeUndefined();
});

test("fragments are cut where they matched, by ranges of the whole value", () => {
  const fragment = {
    text: "A walrus 🦭 at sea",
    fragment_range: [10, 28],
    match_ranges: [
      [12, 18],
      [25, 28],
    ],
  };
  expect(fragmentsOf({ id: 1, highlight_title: [fragment] }, "title")).toEqual([
    [
      { text: "A ", isMatch: false },
      { text: "walrus", isMatch: true },
      { text: " 🦭 at ", isMatch: false },
      { text: "sea", isMatch: true },
    ],
  ]);
  expect(fragmentsOf({ id: 1 }, "title")).toBeUndefined();
  expect(fragmentsOf({ id: 1, highlight_title: [] }, "title")).toBeUndefined();
});

test("values are told in a few words", () => {
  expect(valueSummary(Array.from({ length: 10_752 }, (_, i) => i))).toBe(
    "[0, 1, 2, …] · 10,752 numbers",
  );
  expect(valueSummary(["a", "b"])).toBe("a, b");
  expect(valueSummary(18446744073709551615n)).toBe("18446744073709551615");
  expect(valueSummary("x".repeat(400))).toHaveLength(301);
  expect(valueSummary({ a: 1, b: null })).toBe("a: 1, b: ");
});

test("times are the server's, and the whole", () => {
  const performance = {
    query_execution_ms: 3,
    server_total_ms: 4,
    cache_temperature: "hot",
    exhaustive_search_count: 2,
    approx_namespace_size: 9,
  };
  expect(performanceText({ performance }, 7.6)).toBe(
    "3 ms to run · 4 ms in the server · 8 ms with the network · all in memory (hot) · " +
      "2 of 9 documents not indexed",
  );
  const newer = { ...performance, cache_temperature: "lukewarm", exhaustive_search_count: 0 };
  expect(performanceText({ performance: newer }, 7.6)).toMatch(/ · lukewarm$/);
  expect(performanceText({}, 7.6)).toBe("8 ms with the network");
});
