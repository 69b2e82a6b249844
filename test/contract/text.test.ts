/** Full text as users meet it: which words of a known text find it, by settings. */

import { beforeAll, describe, expect, test } from "vitest";
import { idsOf, testNamespaces, untyped } from "../support/servers/sdk-client.ts";

const TEXT =
  "Puffy (🐡) visited a café, e.g. searching for clams, but left disappointed. The foxes' e-mail: " +
  "fish@sea.com 3.14 don't U.S.A. 東京タワー supercalifragilisticexpialidociousandmorelett1234 " +
  "naïve Ærø straße";

const namespace = testNamespaces("text");

/** Settings, words that find the text under them, and words that do not. */
const PROBES: [string, object, string, string][] = [
  [
    "default",
    {},
    "puffy Puffy 🐡 café e.g e-mail mail sea.com fish@sea.com 3.14 don't u.s.a 東 京 東京 タワー " +
      "ærø straße",
    "cafe visit clam g email sea com 3 14 don t u usa naive aero strasse a the " +
      "supercalifragilisticexpialidociousandmorelett1234",
  ],
  [
    "stop words kept",
    { remove_stopwords: false },
    "puffy a the e.g e e-mail for but 🐡 タワー",
    "cafe visit clam g",
  ],
  [
    "word_v4",
    { tokenizer: "word_v4" },
    "puffy e.g sea.com 3.14 東京 タワー 🐡",
    "sea com 3 g cafe",
  ],
  ["stemming", { stemming: true }, "visit search clam fox disappoint visiting", "cafe email"],
  ["folding", { ascii_folding: true }, "cafe café naive aero strasse", "aro strase visit"],
  [
    "word_v2",
    { tokenizer: "word_v2", remove_stopwords: false },
    "g sea com 3 14 don t u 東 京 タワー 🐡 puffy",
    "cafe visit clam",
  ],
  ["case sensitive", { case_sensitive: true }, "Puffy foxes", "puffy Foxes"],
  [
    "short tokens",
    { max_token_length: 4, remove_stopwords: false },
    "café ærø タワー 🐡 left mail",
    "puffy naïve straße",
  ],
];

describe.each(PROBES)("with settings: %s", (name, full_text_search, hits, misses) => {
  const ns = namespace(name.replaceAll(" ", "-"));
  beforeAll(async () => {
    await ns.write({
      schema: { text: { type: "string", full_text_search } },
      upsert_rows: [{ id: 1, text: TEXT }],
    });
  });

  const finds = async (word: string) =>
    idsOf(await ns.query({ rank_by: ["text", "BM25", word], limit: 1 })).length > 0;

  test("the words that are tokens find the text", async () => {
    const words = hits.split(" ");
    const found = await Promise.all(words.map(finds));
    expect(words.filter((_, i) => !found[i])).toEqual([]);
  });

  test("parts of tokens, removed and overlong words do not", async () => {
    const words = misses.split(" ");
    const found = await Promise.all(words.map(finds));
    expect(words.filter((_, i) => found[i])).toEqual([]);
  });
});

test("removed words keep their place in sequences", async () => {
  const ns = namespace();
  await ns.write({
    schema: { text: { type: "string", full_text_search: true } },
    upsert_rows: [{ id: 1, text: TEXT }],
  });
  const sequence = async (text: string) =>
    idsOf(await ns.query({ filters: ["text", "ContainsTokenSequence", text], limit: 1 })).length;
  expect(await sequence("visited a café")).toBe(1);
  expect(await sequence("visited the café")).toBe(1);
  expect(await sequence("visited café")).toBe(0);
});

test("a text query may have 8,192 characters", async () => {
  const ns = namespace();
  await ns.write({
    schema: { text: { type: "string", full_text_search: true } },
    upsert_rows: [{ id: 1, text: "fox" }],
  });
  const query = (length: number) =>
    ns.query({ rank_by: ["text", "BM25", "fox ".repeat(length / 4)], limit: 1 });
  expect(idsOf(await query(8192))).toEqual([1]);
  await expect(query(8196)).rejects.toMatchObject({ status: 400 });
});

test("scores count live documents only, wherever they are stored", async () => {
  const ns = namespace();
  const write = (rows: object[]) =>
    ns.write({
      schema: { text: { type: "string", full_text_search: true } },
      upsert_rows: untyped(rows),
    });
  await write([
    { id: 9, text: "fish market" },
    { id: 1, text: "old text about whales" },
  ]);
  await write([{ id: 1, text: "fish fish swim" }]);
  await write([{ id: 2, text: "fish tank water deep blue" }]);
  await write([{ id: 3, text: "swim swim fish" }]);
  await ns.write({ deletes: [9] });
  const answer = await ns.query({ rank_by: ["text", "BM25", "fish"], limit: 5 });
  expect(answer.rows).toEqual([
    { id: 1, $dist: 0.19350067 },
    { id: 3, $dist: 0.14426166 },
    { id: 2, $dist: 0.11623961 },
  ]);
});
