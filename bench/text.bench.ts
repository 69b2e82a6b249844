/**
 * Measures text analysis in MB/s of UTF-8 input: `forEachTerm` with the default options on English
 * prose in ASCII, with stemming, and on other scripts, and the table of terms that indexes use. Run
 * it with `node bench/text.bench.ts`, and the path of an English text to use that in place of
 * invented prose.
 */
import { readFileSync } from "node:fs";
import { seededRandom } from "../src/base/random.ts";
import { runSteps } from "../src/base/steps.ts";
import type { FullTextOptions } from "../src/model/full-text-options.ts";
import { analyzerFor } from "../src/text/analyzer.ts";
import { splitFragments } from "../src/text/fragments.ts";
import { FULL_TEXT_DEFAULTS } from "../src/text/full-text-rules.ts";

const TEXT_BYTES = 4_000_000;
const VOCABULARY_WORDS = 30_000;
const ROUNDS = 15;

/** Prose of invented words, their lengths and frequencies much as in English (Zipf's law). */
function prose(letters: string, seed: number): string {
  const random = seededRandom(seed);
  const word = () =>
    Array.from({ length: 2 + random.below(5) + random.below(5) }, () =>
      letters.charAt(random.below(letters.length)),
    ).join("");
  const common = "the of and a to in is was for as with by that it on from at an be this".split(
    " ",
  );
  const words = Array.from({ length: VOCABULARY_WORDS }, (_, rank) => common[rank] ?? word());
  const parts: string[] = [];
  for (let length = 0; length < TEXT_BYTES; ) {
    const rank = Math.floor(VOCABULARY_WORDS ** random.next()) - 1;
    const capital = random.below(10) === 0;
    const next = capital ? words[rank].charAt(0).toUpperCase() + words[rank].slice(1) : words[rank];
    const mark = random.below(8) === 0 ? (random.below(2) === 0 ? ", " : ". ") : " ";
    parts.push(next + mark);
    length += next.length + mark.length;
  }
  return parts.join("");
}

function measure(name: string, text: string, run: (piece: string, utf8: Uint8Array) => void): void {
  // Pieces of a kilobyte, which is a usual size of an attribute.
  const pieces: string[] = [];
  for (let start = 0; start < text.length; start += 1000) {
    pieces.push(Buffer.from(text.slice(start, start + 1000)).toString());
  }
  const encoded = pieces.map((piece) => new Uint8Array(Buffer.from(piece)));
  const bytes = Buffer.byteLength(text);
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const start = process.hrtime.bigint();
    for (let i = 0; i < pieces.length; i++) run(pieces[i], encoded[i]);
    rates.push((bytes * 1000) / Number(process.hrtime.bigint() - start));
  }
  rates.sort((left, right) => left - right);
  const median = rates[ROUNDS >> 1].toFixed(0);
  console.log(
    `${name.padEnd(34)} median ${median.padStart(4)} MB/s, best ${rates.at(-1)?.toFixed(0)}`,
  );
}

const LATIN = "eeeetttaaaooiinnsshhrrddlcumwfgypbvk";
const path = process.argv[2];
const english = path === undefined ? prose(LATIN, 1) : readFileSync(path, "utf8");
const french = prose(`${LATIN}éèàç`, 2);
const russian = prose("оооееаааииннттсслвркмдпуяызбчгй", 3);
const chinese = prose(
  "的一是了我不人在他有这个上们来到时大地为子中你说生国年着就那和要她出也得里后",
  4,
);

/** As texts are indexed: by the codes of their terms. */
function eachCode(options: FullTextOptions) {
  const table = analyzerFor(options).takeTable();
  return (_: string, utf8: Uint8Array) => {
    table.begin(utf8, 0, utf8.length);
    while (table.advance(count));
  };
}

let terms = 0;
const count = () => {
  terms++;
};
const plain = analyzerFor(FULL_TEXT_DEFAULTS);
const stemming = analyzerFor({ ...FULL_TEXT_DEFAULTS, stemming: true });
const legacy = analyzerFor({ ...FULL_TEXT_DEFAULTS, tokenizer: "word_v2" });
measure("forEachTerm, ASCII", english, (piece) => plain.forEachTerm(piece, count));
measure("forEachTerm, ASCII, stemming", english, (piece) => stemming.forEachTerm(piece, count));
measure("forEachTerm, ASCII, word_v2", english, (piece) => legacy.forEachTerm(piece, count));
measure("table, ASCII", english, eachCode(FULL_TEXT_DEFAULTS));
measure("table, ASCII, stemming", english, eachCode({ ...FULL_TEXT_DEFAULTS, stemming: true }));
measure("table, French letters", french, eachCode(FULL_TEXT_DEFAULTS));
measure("analyze, ASCII", english, (piece) => {
  terms += plain.analyze(piece).length;
});
measure("forEachTerm, French letters", french, (piece) => plain.forEachTerm(piece, count));
measure("forEachTerm, Cyrillic", russian, (piece) => plain.forEachTerm(piece, count));
measure("forEachTerm, ideographs", chinese, (piece) => plain.forEachTerm(piece, count));
measure("splitFragments by sentence, ASCII", english, (piece) => {
  terms += runSteps(splitFragments(piece, "sentence", "word_v3")).starts.length;
});
console.log(`${terms} terms in all`);
