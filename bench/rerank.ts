/**
 * What late interaction over the table of `trawl/static-en` makes of the first results of BM25:
 * each stem of a query counts by the most similar stem of a document (MaxSim), by its weight. The
 * order that results is taken alone, or fused with BM25's. Asked on sets with judgments by people,
 * beside BM25 alone, which has English stems (Yoruba: words), k1 0.9 and b 0.4.
 *
 * `node bench/rerank.ts [set…]` measures the judged sets, `node bench/rerank.ts choose` the tasks
 * made of other texts; sets that are not on this machine are left out (TRAWL_DATASETS names their
 * folder).
 */

import { readFileSync } from "node:fs";
import { decodeMeaningVectors } from "../src/embed/static/meaning-vectors.ts";
import { stemmerOf } from "../src/text/languages/language.ts";
import { HELD_OUT_SETS } from "../test/support/relevance/held-out-sets.ts";
import { HybridSearch } from "../test/support/relevance/hybrid-search.ts";
import {
  hasJudgedSet,
  JUDGED_SETS,
  type JudgedSet,
  type JudgedSetName,
  readJudgedSet,
} from "../test/support/relevance/judged-sets.ts";
import { LateInteraction, type StemWeights } from "../test/support/relevance/late-interaction.ts";
import { type Found, figureOf } from "../test/support/relevance/measured-figures.ts";
import type { ScoredDocument } from "../test/support/relevance/trec-metrics.ts";

/** How the first results are ordered anew. */
interface Setting {
  /** Results of BM25 that are. */
  readonly depth: number;
  readonly weights: StemWeights;
  /** To which power a similarity is taken: the more, the less it counts to be merely related. */
  readonly power: number;
  /** Of the order by MaxSim where that of BM25 has 1, in RRF; absent: BM25's does not count. */
  readonly share?: number;
}

/** Of RRF, as in bench/hybrid.ts. */
const RANK_CONSTANT = 2;
/** Of the films' 16,279 queries every 41st is asked. */
const QUERIES_MAX = 400;

const SETTINGS: readonly Setting[] = [50, 100].flatMap((depth) =>
  (["collection", "table"] as const).flatMap((weights) =>
    [1, 4].flatMap((power) =>
      [undefined, 0.1, 0.2, 0.5, 1].map((share) => ({
        depth,
        weights,
        power,
        ...(share !== undefined && { share }),
      })),
    ),
  ),
);

const table = await decodeMeaningVectors(
  readFileSync(new URL("../src/embed/static/static-en.table", import.meta.url)),
);
const asked = process.argv.slice(2);
await measure(asked[0] === "choose" ? heldOutSets() : judgedSets(asked));

/** A set, as its row of the table names it. */
interface NamedSet {
  readonly name: string;
  readonly set: JudgedSet;
  readonly language: "english" | "none";
}

function* heldOutSets(): Generator<NamedSet> {
  for (const [name, read] of Object.entries(HELD_OUT_SETS)) {
    yield { name, set: read(), language: "english" };
  }
}

function* judgedSets(names: readonly string[]): Generator<NamedSet> {
  for (const name of names.length === 0 ? JUDGED_SETS : (names as JudgedSetName[])) {
    if (!hasJudgedSet(name)) continue;
    const set = sampleOf(readJudgedSet(name));
    yield { name, set, language: name === "miracl-yo" ? "none" : "english" };
  }
}

/** Prints what becomes of nDCG@10 on each set, by setting. */
async function measure(sets: Iterable<NamedSet>): Promise<void> {
  const names: string[] = [];
  const gains = SETTINGS.map((): number[] => []);
  for (const { name, set, language } of sets) {
    const words = await searchByWords(set, language);
    const alone = figureOf("nDCG@10", words, set);
    const late = new LateInteraction(table, stemmerOf("english"), set);
    for (const [i, setting] of SETTINGS.entries()) {
      gains[i].push(figureOf("nDCG@10", rerankAll(words, set, { late, setting }), set) / alone - 1);
    }
    names.push(name);
    console.error(`${name}: ${set.queries.size} queries, BM25 alone ${alone.toFixed(4)}`);
  }
  console.log(`| of the first | weights | power | share | ${names.join(" | ")} | mean | better |`);
  console.log(`|${"---|".repeat(names.length + 6)}`);
  SETTINGS.forEach(({ depth, weights, power, share }, i) => {
    const mean = gains[i].reduce((sum, gain) => sum + gain, 0) / names.length;
    const better = gains[i].filter((gain) => gain >= 0.0005).length;
    const shown = [...gains[i], mean].map(percent);
    console.log(`| ${[depth, weights, power, share ?? "alone", ...shown, better].join(" | ")} |`);
  });
}

async function searchByWords(set: JudgedSet, language: "english" | "none"): Promise<Found> {
  const search = await HybridSearch.open(set, { language });
  const found = new Map<string, ScoredDocument[]>();
  for (const [id, text] of set.queries) found.set(id, await search.byWords(text));
  await search.close();
  return found;
}

function rerankAll(
  words: Found,
  { queries }: JudgedSet,
  { late, setting }: { readonly late: LateInteraction; readonly setting: Setting },
): Found {
  const { depth, power, weights, share } = setting;
  return new Map(
    [...words].map(([query, found]) => {
      const first = found.slice(0, depth);
      const ids = first.map(({ id }) => id);
      const scores = late.scoresOf(queries.get(query) ?? "", ids, { power, weights });
      const order = ids
        .map((id, i) => ({ id, score: scores[i], at: i }))
        .sort((a, b) => b.score - a.score || a.at - b.at);
      const fused = share === undefined ? order : fuse(ids, order, share);
      // Scores of all results fall, so that the rest stays behind those that are ordered anew.
      const ranked = [...fused.map(({ id }) => id), ...found.slice(depth).map(({ id }) => id)];
      return [query, ranked.map((id, i) => ({ id, score: -i }))];
    }),
  );
}

/** RRF of BM25's order and another one of the same documents. */
function fuse(
  ids: readonly string[],
  order: readonly { readonly id: string }[],
  share: number,
): { id: string; score: number }[] {
  const places = new Map(order.map(({ id }, i) => [id, i]));
  return ids
    .map((id, i) => {
      const other = places.get(id) ?? ids.length;
      return { id, score: 1 / (RANK_CONSTANT + i + 1) + share / (RANK_CONSTANT + other + 1) };
    })
    .sort((a, b) => b.score - a.score);
}

/** Every nth query where there are very many. */
function sampleOf(set: JudgedSet): JudgedSet {
  const step = Math.ceil(set.queries.size / QUERIES_MAX);
  const queries = new Map([...set.queries].filter((_, i) => i % step === 0));
  const judgments = new Map([...set.judgments].filter(([id]) => queries.has(id)));
  return { ...set, queries, judgments };
}

function percent(gain: number): string {
  const text = `${Math.abs(100 * gain).toFixed(1)} %`;
  return Number.parseFloat(text) === 0 ? text : `${gain < 0 ? "−" : "+"}${text}`;
}
