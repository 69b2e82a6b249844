/**
 * How far the stemmers are from a version of Snowball: of all words of its vocabularies, how many
 * have another stem.
 *
 * Run: `node bench/stemmers.ts <checkout of github.com/snowballstem/snowball-data>`; each language
 * is a folder with voc.txt and output.txt, or the same ending in .gz. Dutch is also held against
 * dutch_porter, which is what Snowball's Dutch was called from version 3 on.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { LANGUAGES, type Language } from "../src/model/full-text-options.ts";
import { stemmerOf } from "../src/text/languages/language.ts";

const EXAMPLES = 4;

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("name the folder of snowball-data");

console.log("| vocabulary | words | other stems | share | such as |");
console.log("|---|---|---|---|---|");
for (const language of LANGUAGES) compare(language, language);
compare("dutch_porter", "dutch");

function compare(vocabulary: string, language: Language): void {
  const words = linesOf(vocabulary, "voc.txt");
  const stems = linesOf(vocabulary, "output.txt");
  if (words === undefined || stems === undefined) {
    console.log(`| ${vocabulary} | – | – | – | its files are not there |`);
    return;
  }
  const stem = stemmerOf(language);
  const others = words.flatMap((word, i) => {
    const own = stem(word);
    return own === stems[i] ? [] : [`${word}: ${own}, not ${stems[i]}`];
  });
  const step = Math.max(1, Math.floor(others.length / EXAMPLES));
  const examples = others.filter((_, i) => i % step === 0).slice(0, EXAMPLES);
  const share = `${((100 * others.length) / Math.max(1, words.length)).toFixed(2)} %`;
  const cells = [vocabulary, words.length, others.length, share, examples.join("; ")];
  console.log(`| ${cells.join(" | ")} |`);
}

function linesOf(vocabulary: string, name: string): string[] | undefined {
  const path = join(folder, vocabulary, name);
  const packed = `${path}.gz`;
  if (existsSync(path)) return splitLines(readFileSync(path));
  return existsSync(packed) ? splitLines(gunzipSync(readFileSync(packed))) : undefined;
}

function splitLines(bytes: Buffer): string[] {
  return bytes.toString().replace(/\n$/, "").split("\n");
}
