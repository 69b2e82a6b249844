/**
 * What `trawl/static-en` adds to BM25: the order of both, fused by one request with RRF, on sets
 * with judgments by people, beside that of BM25 alone. Documents are written to a whole engine in
 * one thread, indexed, and queried as by clients; BM25 has English stems (Yoruba: words), k1 0.9
 * and b 0.4.
 *
 * `node bench/hybrid.ts choose` tries weights on tasks that are made of other texts;
 * `node bench/hybrid.ts [set…]` measures the judged sets with the weight below; sets that are not
 * on this machine are left out (TRAWL_DATASETS names their folder).
 */

import { HELD_OUT_SETS } from "../test/support/relevance/held-out-sets.ts";
import {
  type Fusion,
  HybridSearch,
  type TextLanguage,
} from "../test/support/relevance/hybrid-search.ts";
import {
  hasJudgedSet,
  JUDGED_SETS,
  type JudgedSet,
  type JudgedSetName,
  readJudgedSet,
} from "../test/support/relevance/judged-sets.ts";
import { type Found, figureOf } from "../test/support/relevance/measured-figures.ts";
import type { ScoredDocument } from "../test/support/relevance/trec-metrics.ts";

/** For all sets; the tasks of `choose` hardly tell small weights apart. */
const FUSION: Fusion = { rankConstant: 2, weight: 0.2 };
const RANK_CONSTANTS = [2, 5, 10, 20, 60];
/** Of the films' 16,279 queries every 41st is asked. */
const QUERIES_MAX = 400;
const WEIGHTS = [0.1, 0.2, 0.35, 0.5, 1];

const asked = process.argv.slice(2);
if (asked[0] === "choose") await choose();
else await measure(asked);

/** Prints the mean over the tasks of what becomes of nDCG@10, for each fusion. */
async function choose(): Promise<void> {
  const fusions = RANK_CONSTANTS.flatMap((rankConstant) =>
    WEIGHTS.map((weight) => ({ rankConstant, weight })),
  );
  const gains = fusions.map((): number[] => []);
  for (const [name, read] of Object.entries(HELD_OUT_SETS)) {
    const set = read();
    const search = await HybridSearch.open(set, { language: "english" });
    const words = await searchAll(set, (text) => search.byWords(text));
    const vectors = await searchAll(set, (text) => search.byMeaning(text));
    await search.close();
    const alone = figureOf("nDCG@10", words, set);
    for (const [i, fusion] of fusions.entries()) {
      const both = new Map(
        [...words].map(([query, of]) => [query, fuse(of, vectors.get(query) ?? [], fusion)]),
      );
      gains[i].push(figureOf("nDCG@10", both, set) / alone - 1);
    }
    console.error(`${name}: ${set.queries.size} queries, BM25 alone ${alone.toFixed(4)}`);
  }
  console.log(`| rank constant | weight | ${Object.keys(HELD_OUT_SETS).join(" | ")} | mean |`);
  console.log(`|---|---|${"---|".repeat(gains[0].length + 1)}`);
  fusions.forEach(({ rankConstant, weight }, i) => {
    const mean = gains[i].reduce((sum, gain) => sum + gain, 0) / gains[i].length;
    const row = [rankConstant, weight, ...[...gains[i], mean].map(percent)];
    console.log(`| ${row.join(" | ")} |`);
  });
}

/** What the engine's RRF makes of two rankings. */
function fuse(
  words: readonly ScoredDocument[],
  vectors: readonly ScoredDocument[],
  { rankConstant, weight }: Fusion,
): ScoredDocument[] {
  const scores = new Map<string, number>();
  const add = (ranking: readonly ScoredDocument[], of: number) => {
    ranking.forEach(({ id }, i) => {
      scores.set(id, (scores.get(id) ?? 0) + of / (rankConstant + i + 1));
    });
  };
  add(words, 1);
  add(vectors, weight);
  const fused = [...scores].map(([id, score]) => ({ id, score }));
  return fused.sort((a, b) => b.score - a.score).slice(0, words.length + vectors.length);
}

async function measure(names: readonly string[]): Promise<void> {
  const sets = names.length === 0 ? JUDGED_SETS : (names as JudgedSetName[]);
  console.log("| set | measure | BM25 | vectors | both | both against BM25 |");
  console.log("|---|---|---|---|---|---|");
  for (const name of sets) {
    if (!hasJudgedSet(name)) continue;
    const set = sampleOf(readJudgedSet(name));
    if (name === "miracl-yo") await measureSet(name, set, { language: "none" });
    const isYoruba = name === "miracl-yo";
    const label = isYoruba ? `${name}, folded to ASCII` : name;
    await measureSet(label, set, { language: isYoruba ? "none, folded" : "english" });
  }
}

async function measureSet(
  label: string,
  set: JudgedSet,
  words: { readonly language: TextLanguage },
): Promise<void> {
  const search = await HybridSearch.open(set, words);
  const found = [
    await searchAll(set, (text) => search.byWords(text)),
    await searchAll(set, (text) => search.byMeaning(text)),
    await searchAll(set, (text) => search.byBoth(text, FUSION)),
  ];
  await search.close();
  for (const measure of ["nDCG@10", "MAP"] as const) {
    const figures = found.map((of) => figureOf(measure, of, set));
    const gain = percent(figures[2] / figures[0] - 1);
    const row = [label, measure, ...figures.map((figure) => figure.toFixed(4)), gain];
    console.log(`| ${row.join(" | ")} |`);
  }
}

/** Every nth query where there are very many. */
function sampleOf(set: JudgedSet): JudgedSet {
  const step = Math.ceil(set.queries.size / QUERIES_MAX);
  const queries = new Map([...set.queries].filter((_, i) => i % step === 0));
  const judgments = new Map([...set.judgments].filter(([id]) => queries.has(id)));
  return { ...set, queries, judgments };
}

async function searchAll(
  { queries }: JudgedSet,
  search: (text: string) => Promise<ScoredDocument[]>,
): Promise<Found> {
  const found = new Map<string, ScoredDocument[]>();
  for (const [id, text] of queries) found.set(id, await search(text));
  return found;
}

function percent(gain: number): string {
  const text = `${Math.abs(100 * gain).toFixed(1)} %`;
  return Number.parseFloat(text) === 0 ? text : `${gain < 0 ? "−" : "+"}${text}`;
}
