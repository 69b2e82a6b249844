/**
 * Tasks with answers that nobody had to judge, made of texts that no judged set has: on these the
 * weight of vectors beside BM25 is chosen, so that the judged sets can tell whether it holds.
 */

import { readFileSync } from "node:fs";
import { constants, gunzipSync, zstdDecompressSync } from "node:zlib";
import { type Random, seededRandom } from "../../../src/base/random.ts";
import { datasetFile } from "../documents/datasets.ts";
import type { JudgedDocument, JudgedSet } from "./judged-sets.ts";

const SEED = 7;
/** Queries of a task. */
const QUERIES = 250;

type Entry = { readonly [name: string]: unknown };

/** All tasks by name. */
export const HELD_OUT_SETS = {
  /** A headline finds stories that have all topics in common with its own. */
  "reuters headlines": readHeadlines,
  /** A keyword finds the papers that have it. */
  "papers by keyword": readKeywords,
  /** A title finds papers that share two keywords with its own. */
  "papers by title": readTitles,
  /** A work's title finds the list of what is seen in it. */
  "artworks by title": readArtworks,
  /** The second half of an article finds the first. */
  "films by half": readHalves,
} as const satisfies { readonly [name: string]: () => JudgedSet };

function readHeadlines(): JudgedSet {
  const random = seededRandom(SEED);
  const all = jsonLines(gunzipSync(readFileSync(datasetFile("reuters-21578/reuters.jsonl.gz"))));
  const stories = all.filter(({ title, body, topics }) => title && body && listOf(topics)[0]);
  const groups = groupBy(stories, ({ topics }) => [listOf(topics).toSorted().join()]);
  const fitting = [...groups.values()].filter(({ length }) => length >= 5 && length <= 150);
  const asked = new Set(
    draw(
      fitting.flatMap((group) => draw(group, 3, random)),
      QUERIES,
      random,
    ),
  );
  const relevant = (story: Entry) => groups.get(listOf(story.topics).toSorted().join()) ?? [];
  return taskOf(
    stories.filter((s) => !asked.has(s)).map((s) => document(s, s.title, s.body)),
    [...asked].map((story) => ({
      query: String(story.title),
      relevant: relevant(story)
        .filter((other) => !asked.has(other))
        .map(idOf),
    })),
  );
}

function readKeywords(): JudgedSet {
  const random = seededRandom(SEED);
  const papers = drawPapers(random);
  const groups = groupBy(papers, keywordsOf);
  const fitting = [...groups].filter(
    ([keyword, { length }]) => length >= 5 && length <= 60 && /^[a-z -]+$/.test(keyword),
  );
  return taskOf(
    papers.map((paper) => document(paper, paper.title, paper.abstract)),
    draw(fitting, QUERIES, random).map(([query, group]) => ({ query, relevant: group.map(idOf) })),
  );
}

function readTitles(): JudgedSet {
  const random = seededRandom(SEED);
  const papers = drawPapers(random);
  const groups = groupBy(papers, keywordsOf);
  const related = (paper: Entry): string[] => {
    const counts = new Map<string, number>();
    for (const keyword of keywordsOf(paper)) {
      const group = groups.get(keyword) ?? [];
      if (group.length > 300) continue;
      for (const { id } of group) counts.set(String(id), (counts.get(String(id)) ?? 0) + 1);
    }
    return [...counts].filter(([, count]) => count >= 2).map(([id]) => id);
  };
  const asked = new Set(
    draw(
      papers.filter((p) => related(p).length > 3),
      QUERIES,
      random,
    ),
  );
  const askedIds = new Set([...asked].map(idOf));
  return taskOf(
    papers.filter((p) => !asked.has(p)).map((p) => document(p, p.title, p.abstract)),
    [...asked].map((paper) => ({
      query: String(paper.title),
      relevant: related(paper).filter((id) => !askedIds.has(id)),
    })),
  );
}

function readArtworks(): JudgedSet {
  const random = seededRandom(SEED);
  const all = jsonLines(gunzipSync(readFileSync(datasetFile("tate-artworks/artworks.jsonl.gz"))));
  const described = all.filter(({ title, subjects }) => {
    const words = String(title).split(" ").length;
    return listOf(subjects).length >= 8 && words >= 3 && words <= 12;
  });
  const works = draw(described, 6000, random);
  return taskOf(
    works.map((work) => document(work, listOf(work.subjects).join(", "))),
    draw(works, QUERIES, random).map((work) => ({
      query: String(work.title),
      relevant: [idOf(work)],
    })),
  );
}

function readHalves(): JudgedSet {
  const random = seededRandom(SEED);
  const all = jsonLines(gunzipSync(readFileSync(datasetFile("wikipedia-movies/movies.jsonl.gz"))));
  const long = all.filter(({ extract }) => String(extract ?? "").length > 200);
  const halves = draw(long, 8000, random).map((film) => {
    const sentences = String(film.extract).split(/(?<=\.) /);
    const half = Math.ceil(sentences.length / 2);
    const [first, second] = [sentences.slice(0, half).join(" "), sentences.slice(half).join(" ")];
    return { film, first, second };
  });
  return taskOf(
    halves.map(({ film, first }) => document(film, first)),
    draw(
      halves.filter(({ second }) => second.length > 60),
      QUERIES,
      random,
    ).map(({ film, second }) => ({ query: second, relevant: [idOf(film)] })),
  );
}

function drawPapers(random: Random): Entry[] {
  const packed = readFileSync(datasetFile("ml-papers/papers.jsonl.zst"));
  const params = { [constants.ZSTD_d_windowLogMax]: 27 };
  const all = jsonLines(zstdDecompressSync(packed, { params }));
  const keyed = all.filter(({ abstract, keywords }) => abstract && listOf(keywords).length >= 2);
  return draw(keyed, 8000, random);
}

function taskOf(
  documents: readonly JudgedDocument[],
  tasks: readonly { readonly query: string; readonly relevant: readonly string[] }[],
): JudgedSet {
  const kept = tasks.filter(({ relevant }) => relevant.length > 0);
  return {
    documents,
    queries: new Map(kept.map(({ query }, i) => [String(i), query])),
    judgments: new Map(
      kept.map(({ relevant }, i) => [String(i), new Map(relevant.map((id) => [id, 1]))]),
    ),
  };
}

function document(record: Entry, ...texts: readonly unknown[]): JudgedDocument {
  return { id: idOf(record), texts: { text: texts.join(" ") } };
}

function idOf({ id }: Entry): string {
  return String(id);
}

function keywordsOf({ keywords }: Entry): string[] {
  return [...new Set(listOf(keywords).map((keyword) => keyword.toLowerCase().trim()))];
}

function listOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function groupBy(records: readonly Entry[], keys: (record: Entry) => readonly string[]) {
  const groups = new Map<string, Entry[]>();
  for (const record of records) {
    for (const key of keys(record)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [record]);
      else group.push(record);
    }
  }
  return groups;
}

/** Draws so many of them, or all, in random order. */
function draw<T>(from: readonly T[], count: number, random: Random): T[] {
  const drawn = [...from];
  for (let i = drawn.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [drawn[i], drawn[j]] = [drawn[j], drawn[i]];
  }
  return drawn.slice(0, count);
}

function jsonLines(bytes: Buffer): Entry[] {
  const lines = bytes.toString().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}
