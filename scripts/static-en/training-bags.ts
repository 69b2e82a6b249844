/**
 * What the table of `trawl/static-en` is made of: stems that stand together in one sense of Open
 * English WordNet (its words, gloss, examples, and the words of what is more general), and in one
 * verse of the World English Bible.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { meaningWords } from "../../src/embed/static/meaning-words.ts";
import { stemmerOf } from "../../src/text/languages/language.ts";

/** Files that are read, in the folder of the datasets. */
export const TRAINING_FILES = [
  "wordnet-glosses/synsets.jsonl.gz",
  "bible-bge-large-1024/passages.jsonl.gz",
] as const;

/** Stems that stand together, each with how much it counts there. */
export type Bag = ReadonlyMap<string, number>;

/** Stems of several texts together. */
export interface TrainingBags {
  readonly bags: readonly Bag[];
  /** How often each stem is in the texts. */
  readonly frequencies: ReadonlyMap<string, number>;
  readonly relations: readonly Relation[];
}

/** Two stems that mean about the same: synonyms with weight 1, a more general word with less. */
export interface Relation {
  readonly a: string;
  readonly b: string;
  readonly weight: number;
}

/** How much a more general word is worth beside a synonym. */
const HYPERNYM_WEIGHT = 0.5;

interface Synset {
  readonly id: string;
  readonly lemmas: readonly string[];
  readonly gloss: string;
  readonly examples?: readonly string[];
  readonly hypernyms?: readonly string[];
}

/** Lists of stems, each with how much one of it counts. */
type WeightedTexts = readonly (readonly [stems: readonly string[], weight: number])[];

/** The words of a sense count twice: what its gloss says is said of them. */
const LEMMA_WEIGHT = 2;
/** How much a stem counts at most, however often it is there. */
const COUNT_MAX = 3;

/** Reads the texts in a folder of datasets. */
export function readTrainingBags(folder: string): TrainingBags {
  const [wordnet, bible] = TRAINING_FILES.map((file) => readJsonLines(join(folder, file)));
  const synsets = wordnet as unknown as readonly Synset[];
  const lemmas = new Map(synsets.map(({ id, lemmas }) => [id, lemmas.flatMap(stemsOf)]));
  const frequencies = new Map<string, number>();
  const bags: Bag[] = [];
  for (const { id, gloss, examples = [], hypernyms = [] } of synsets) {
    const said = [gloss, ...examples].flatMap(stemsOf);
    const own = lemmas.get(id) ?? [];
    const general = hypernyms.flatMap((hypernym) => lemmas.get(hypernym) ?? []);
    count(frequencies, [...own, ...said]);
    bags.push(
      bagOf([
        [own, LEMMA_WEIGHT],
        [[...said, ...general], 1],
      ]),
    );
  }
  for (const verse of bible.flatMap(({ text }) => String(text).split("\n"))) {
    const stems = stemsOf(verse);
    count(frequencies, stems);
    bags.push(bagOf([[stems, 1]]));
  }
  return { bags, frequencies, relations: relationsOf(synsets) };
}

/** Pairs of words that are one stem each: of one sense, and of a sense and a more general one. */
function relationsOf(synsets: readonly Synset[]): Relation[] {
  const single = new Map(
    synsets.map(({ id, lemmas }) => {
      const stems = lemmas.map(stemsOf).filter(({ length }) => length === 1);
      return [id, [...new Set(stems.flat())]] as const;
    }),
  );
  return synsets.flatMap(({ id, hypernyms = [] }) => {
    const own = single.get(id) ?? [];
    const same = own.flatMap((a, i) => own.slice(i + 1).map((b) => ({ a, b, weight: 1 })));
    const general = hypernyms.flatMap((hypernym) => single.get(hypernym) ?? []);
    const above = own.flatMap((a) => general.map((b) => ({ a, b, weight: HYPERNYM_WEIGHT })));
    return [...same, ...above].filter(({ a, b }) => a !== b);
  });
}

function bagOf(texts: WeightedTexts): Bag {
  const bag = new Map<string, number>();
  for (const [stems, weight] of texts) {
    for (const stem of stems) bag.set(stem, Math.min((bag.get(stem) ?? 0) + weight, COUNT_MAX));
  }
  return bag;
}

function count(frequencies: Map<string, number>, stems: readonly string[]): void {
  for (const stem of stems) frequencies.set(stem, (frequencies.get(stem) ?? 0) + 1);
}

const STEM = stemmerOf("english");
const STEMS = new Map<string, string>();

function stemsOf(text: string): string[] {
  return meaningWords(text).map((word) => {
    const stem = STEMS.get(word) ?? STEM(word);
    STEMS.set(word, stem);
    return stem;
  });
}

function readJsonLines(file: string): Record<string, unknown>[] {
  const lines = gunzipSync(readFileSync(file)).toString().split("\n");
  return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
}
