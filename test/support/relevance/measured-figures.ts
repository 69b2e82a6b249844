/** Measures Trawl, and Lucene's rules in a naive program, on the judged sets. */

import { JudgedSearch, type TextRow } from "./judged-search.ts";
import type { JudgedSet } from "./judged-sets.ts";
import { luceneLength } from "./lucene-rules.ts";
import { NaiveBm25 } from "./naive-bm25.ts";
import {
  MEASURES,
  type MeasureName,
  type PublishedFigures,
  RESULTS_MAX,
} from "./published-figures.ts";
import { meanOf, type ScoredDocument } from "./trec-metrics.ts";

/** What was found, by id of the query. */
export type Found = ReadonlyMap<string, readonly ScoredDocument[]>;

/** Writes the texts of a set to an engine, as `of` says. */
export function openJudged(
  set: JudgedSet,
  of: Pick<PublishedFigures, "settings" | "value">,
): Promise<JudgedSearch> {
  const rows = set.documents.map(({ id, texts }) => {
    const values = Object.entries(texts).map(([name, text]) => [name, of.value(text)]);
    return { id, ...Object.fromEntries(values) } as TextRow;
  });
  return JudgedSearch.open(rows, of.settings);
}

/** Asks all queries of a set. */
export async function searchAll(
  search: JudgedSearch,
  { queries }: JudgedSet,
  { rankBy, limit }: { readonly rankBy: (text: string) => unknown; readonly limit: number },
): Promise<Found> {
  const found = new Map<string, ScoredDocument[]>();
  for (const [id, text] of queries) found.set(id, await search.search(rankBy(text), limit));
  return found;
}

/** What Trawl finds in stored segments for all queries of a set with one text for each document. */
export async function foundByTrawl(
  set: JudgedSet,
  of: Pick<PublishedFigures, "settings" | "value">,
): Promise<Found> {
  const search = await openJudged(set, of);
  await search.index();
  const rankBy = (text: string) => ["text", "BM25", of.value(text)];
  const found = await searchAll(search, set, { rankBy, limit: RESULTS_MAX });
  await search.close();
  return found;
}

/** What a naive BM25 finds of the same. */
export function foundNaively(set: JudgedSet, naive: NaiveBm25): Found {
  return new Map([...set.queries].map(([id, text]) => [id, naive.search(text, RESULTS_MAX)]));
}

/** A naive BM25 over a set's texts by Lucene's rules; lengths are rounded as it keeps them. */
export function luceneTwin(set: JudgedSet, of: PublishedFigures): NaiveBm25 {
  return new NaiveBm25(textsOf(set), { ...luceneSettings(of), storedLength: luceneLength });
}

/** The same with the lengths as they are. */
export function exactLuceneTwin(set: JudgedSet, of: PublishedFigures): NaiveBm25 {
  return new NaiveBm25(textsOf(set), luceneSettings(of));
}

/** The texts of a set with one text for each document. */
export function textsOf({ documents }: JudgedSet): { id: string; text: string }[] {
  return documents.map(({ id, texts }) => ({ id, text: texts.text }));
}

/** A measure of what was found, by its name. */
export function figureOf(measure: MeasureName, found: Found, { judgments }: JudgedSet): number {
  return meanOf(MEASURES[measure], found, judgments);
}

/** The published figures by name. */
export function namedFigures({ figures }: PublishedFigures): [MeasureName, number][] {
  return Object.entries(figures) as [MeasureName, number][];
}

function luceneSettings({ luceneTerms, settings }: PublishedFigures) {
  return { terms: luceneTerms, k1: Number(settings.k1), b: Number(settings.b) };
}
