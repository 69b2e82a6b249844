/**
 * How good the order of BM25 is on sets with judgments by people, beside the figures that were
 * published for Lucene at the same settings, and beside a naive program that follows Lucene's
 * rules (Porter's first stemmer, possessives, lengths rounded to a byte). Documents are written to
 * a whole engine in one thread, indexed, and queried as by clients.
 *
 * Run: `node bench/relevance.ts [set…]`; sets that are not on this machine are left out
 * (TRAWL_DATASETS names their folder). Fails where a figure is further off than it may be.
 */

import {
  hasJudgedSet,
  JUDGED_SETS,
  type JudgedSetName,
  readJudgedSet,
} from "../test/support/relevance/judged-sets.ts";
import {
  figureOf,
  foundByTrawl,
  foundNaively,
  luceneTwin,
  namedFigures,
  openJudged,
  searchAll,
} from "../test/support/relevance/measured-figures.ts";
import {
  DIFFERENCE_MAX,
  PUBLISHED,
  STAR_WARS_SCORES,
} from "../test/support/relevance/published-figures.ts";

const FILMS = "msrd-movies";
const FILM_SETTINGS = { language: "english", stemming: true, k1: 1.2, b: 0.75 };
/** Settings without published figures, to see what analysis is worth. */
const FURTHER = [
  { set: "miracl-yo", with: "word_v3", ascii_folding: false },
  { set: "miracl-yo", with: "word_v3, folded to ASCII", ascii_folding: true },
] as const;

/** A line of the table. */
interface Line {
  readonly set: string;
  readonly with: string;
  readonly what: string;
  readonly trawl: number;
  readonly published?: number;
  readonly origin?: string;
  readonly luceneRules?: number;
}

const asked = process.argv.slice(2);
const names = asked.length === 0 ? JUDGED_SETS : asked.map(nameOf);
let isFar = false;
console.log(`| set | with | measure | Trawl | published | difference | Lucene's rules |`);
console.log(`|---|---|---|---|---|---|---|`);
for (const name of names) {
  if (!hasJudgedSet(name)) continue;
  if (name === FILMS) await films();
  else await texts(name);
}
if (isFar) throw new Error(`a figure differs by more than ${DIFFERENCE_MAX}`);

function nameOf(name: string): JudgedSetName {
  const known = JUDGED_SETS.find((other) => other === name);
  if (known === undefined) throw new Error(`no set ${name}; sets are ${JUDGED_SETS.join(", ")}`);
  return known;
}

async function texts(name: JudgedSetName): Promise<void> {
  const set = readJudgedSet(name);
  for (const of of PUBLISHED.filter((other) => other.set === name)) {
    const found = await foundByTrawl(set, of);
    const naive = foundNaively(set, luceneTwin(set, of));
    for (const [what, published] of namedFigures(of)) {
      const trawl = figureOf(what, found, set);
      const luceneRules = figureOf(what, naive, set);
      const { with: settings, origin } = of;
      print({ set: name, with: settings, what, trawl, published, origin, luceneRules });
    }
  }
  for (const { with: settings, ascii_folding } of FURTHER.filter(({ set }) => set === name)) {
    const options = { remove_stopwords: false, ascii_folding, k1: 0.9, b: 0.4 };
    const found = await foundByTrawl(set, { settings: options, value: (text) => text });
    const trawl = figureOf("nDCG@10", found, set);
    print({ set: name, with: settings, what: "nDCG@10", trawl });
  }
}

/** Their published figures are scores of single films. */
async function films(): Promise<void> {
  const set = readJudgedSet(FILMS);
  const search = await openJudged(set, { settings: FILM_SETTINGS, value: (text) => text });
  const line = { set: FILMS, with: "k1 1.2, b 0.75" };
  for (const [attribute, scores] of Object.entries(STAR_WARS_SCORES)) {
    const found = await search.search([attribute, "BM25", "star wars"], 1000);
    for (const [id, published] of Object.entries(scores)) {
      const trawl = found.find((document) => document.id === id)?.score ?? 0;
      const what = `score of ${id} by its ${attribute}`;
      print({ ...line, what, trawl, published, origin: "Lucene" });
    }
  }
  const rankBy = (text: string) => [
    "Max",
    [
      ["title", "BM25", text],
      ["overview", "BM25", text],
    ],
  ];
  const found = await searchAll(search, set, { rankBy, limit: 10 });
  const what = "nDCG@10 of the better of title and overview";
  print({ ...line, what, trawl: figureOf("nDCG@10", found, set) });
  await search.close();
}

function print(line: Line): void {
  const { trawl, published, origin, luceneRules } = line;
  const difference = published === undefined ? undefined : trawl - published;
  if (Math.abs(difference ?? 0) > DIFFERENCE_MAX) isFar = true;
  const known = published === undefined ? "–" : `${published.toFixed(4)} (${origin})`;
  const figures = [trawl.toFixed(4), known, signed(difference), luceneRules?.toFixed(4) ?? "–"];
  console.log(`| ${[line.set, line.with, line.what, ...figures].join(" | ")} |`);
}

function signed(difference: number | undefined): string {
  if (difference === undefined) return "–";
  const digits = Math.abs(difference).toFixed(4);
  if (Number(digits) === 0) return digits;
  return `${difference < 0 ? "−" : "+"}${digits}`;
}
