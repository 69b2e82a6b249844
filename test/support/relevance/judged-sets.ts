/**
 * Texts with queries that people judged, as far as they are on this machine: documents, queries and
 * grades, read as the README of each set says. None of it is part of the product.
 */

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { datasetFile, isDatasetHere } from "../documents/datasets.ts";
import { readTar } from "./read-tar.ts";
import type { Judgments } from "./trec-metrics.ts";

/** A document of a set: its id and its texts by attribute. */
export interface JudgedDocument {
  readonly id: string;
  readonly texts: Readonly<Record<string, string>>;
}

/** One set; queries without judgments are left out. */
export interface JudgedSet {
  readonly documents: readonly JudgedDocument[];
  /** Texts by id. */
  readonly queries: ReadonlyMap<string, string>;
  /** By id of the query. */
  readonly judgments: ReadonlyMap<string, Judgments>;
}

const SETS = {
  scifact: { files: ["corpus.jsonl.gz", "queries.tsv.gz", "qrels.test.txt.gz"], read: readScifact },
  cacm: { files: ["cacm.tar.gz", "topics.cacm.txt.gz", "qrels.cacm.txt.gz"], read: readCacm },
  cisi: { files: ["CISI.ALL.gz", "CISI.QRY.gz", "CISI.REL.gz"], read: readCisi },
  cranfield: {
    files: ["cran.all.1400.xml.gz", "cran.qry.xml.gz", "cranqrel.trec.txt.gz"],
    read: readCranfield,
  },
  "miracl-yo": {
    files: ["corpus.jsonl.gz", "topics.dev.tsv.gz", "qrels.dev.tsv.gz"],
    read: readMiracl,
  },
  "msrd-movies": { files: ["movies-corpus.jsonl.gz", "movies-judgments.tsv.gz"], read: readMovies },
} as const satisfies Record<
  string,
  { files: readonly string[]; read: (files: readonly Buffer[]) => JudgedSet }
>;

/** Names of judged sets. */
export type JudgedSetName = keyof typeof SETS;

/** All of them. */
export const JUDGED_SETS = Object.keys(SETS) as JudgedSetName[];

/** Tells whether a set is here, and tells people if it is not. */
export function hasJudgedSet(name: JudgedSetName): boolean {
  return SETS[name].files.every((file) => isDatasetHere(`${name}/${file}`));
}

/** Reads a set. */
export function readJudgedSet(name: JudgedSetName): JudgedSet {
  const { files, read } = SETS[name];
  const buffers = files.map((file) => gunzipSync(readFileSync(datasetFile(`${name}/${file}`))));
  const set = read(buffers);
  const queries = new Map([...set.queries].filter(([id]) => set.judgments.has(id)));
  return { ...set, queries };
}

function readScifact([corpus, queries, grades]: readonly Buffer[]): JudgedSet {
  return {
    documents: jsonLines(corpus).map(({ _id, title, text }) => document(_id, title, text)),
    queries: new Map(tabbed(queries).map(([id, text]) => [id, text])),
    judgments: judgmentsOf(words(grades).map(([query, , id, grade]) => ({ query, id, grade }))),
  };
}

/** HTML pages, of which all text is taken; the ids are names of files. */
function readCacm([pages, topics, grades]: readonly Buffer[]): JudgedSet {
  const documents = readTar(pages)
    .filter(({ name }) => name.endsWith(".html"))
    .map(({ name, bytes }) =>
      document(
        name.replace(/^.*\/|\.html$/g, ""),
        "",
        latin(bytes).replace(/<\/?(?:html|pre)>/gi, " "),
      ),
    );
  const topic = /<DOCNO>\s*(\d+)\s*<\/DOCNO>([\s\S]*?)<\/DOC>/g;
  return {
    documents,
    queries: new Map([...latin(topics).matchAll(topic)].map(([, id, text]) => [id, text.trim()])),
    judgments: judgmentsOf(words(grades).map(([query, , id, grade]) => ({ query, id, grade }))),
  };
}

function readCisi([corpus, queries, relevant]: readonly Buffer[]): JudgedSet {
  const records = (bytes: Buffer) =>
    latin(bytes)
      .split(/^\.I /m)
      .slice(1)
      .map((record) => ({
        id: String(Number.parseInt(record, 10)),
        section: (name: string) =>
          new RegExp(`^\\.${name}\\s*\\n([\\s\\S]*?)(?=^\\.[A-Z]\\s*$|(?![\\s\\S]))`, "m").exec(
            record,
          )?.[1] ?? "",
      }));
  return {
    documents: records(corpus).map(({ id, section }) => document(id, section("T"), section("W"))),
    queries: new Map(records(queries).map(({ id, section }) => [id, section("W").trim()])),
    judgments: judgmentsOf(words(relevant).map(([query, id]) => ({ query, id, grade: "1" }))),
  };
}

/** Judgments name a query by its place in the file, from 1 on, not by its number. */
function readCranfield([corpus, queries, grades]: readonly Buffer[]): JudgedSet {
  const entry = /<doc>\s*<docno>\s*(\d+)\s*<\/docno>[\s\S]*?<text>([\s\S]*?)<\/text>/g;
  const titles = [...latin(queries).matchAll(/<title>([\s\S]*?)<\/title>/g)];
  return {
    documents: [...latin(corpus).matchAll(entry)].map(([, id, text]) => document(id, "", text)),
    queries: new Map(titles.map(([, text], i) => [String(i + 1), text.trim()])),
    judgments: judgmentsOf(words(grades).map(([query, , id, grade]) => ({ query, id, grade }))),
  };
}

function readMiracl([corpus, topics, grades]: readonly Buffer[]): JudgedSet {
  return {
    documents: jsonLines(corpus).map(({ docid, title, text }) => document(docid, title, text)),
    queries: new Map(tabbed(topics).map(([id, text]) => [id, text])),
    judgments: judgmentsOf(tabbed(grades).map(([query, , id, grade]) => ({ query, id, grade }))),
  };
}

/** Titles and overviews apart; judgments of films that the set does not have are left out. */
function readMovies([corpus, grades]: readonly Buffer[]): JudgedSet {
  const documents = jsonLines(corpus).map(({ id, title, overview }) => ({
    id,
    texts: { title, overview },
  }));
  const known = new Set(documents.map(({ id }) => id));
  const rows = tabbed(grades)
    .slice(1)
    .filter(([, , id]) => known.has(id));
  return {
    documents,
    queries: new Map(rows.map(([query, text]) => [query, text])),
    judgments: judgmentsOf(rows.map(([query, , id, grade]) => ({ query, id, grade }))),
  };
}

/** One text of title and body, as the published figures have it. */
function document(id: string, title: string, text: string): JudgedDocument {
  return { id, texts: { text: `${title} ${text}`.trim() } };
}

function judgmentsOf(
  rows: readonly { readonly query: string; readonly id: string; readonly grade: string }[],
): Map<string, Judgments> {
  const judgments = new Map<string, Map<string, number>>();
  for (const { query, id, grade } of rows) {
    const of = judgments.get(query) ?? new Map<string, number>();
    of.set(id, Number(grade));
    judgments.set(query, of);
  }
  return judgments;
}

function lines(text: string): string[] {
  return text.split("\n").filter((line) => line.trim() !== "");
}

function jsonLines(bytes: Buffer): Record<string, string>[] {
  return lines(bytes.toString()).map((line) => JSON.parse(line));
}

function tabbed(bytes: Buffer): string[][] {
  return lines(bytes.toString()).map((line) => line.replace(/\r$/, "").split("\t"));
}

function words(bytes: Buffer): string[][] {
  return lines(bytes.toString()).map((line) => line.trim().split(/\s+/));
}

function latin(bytes: Buffer): string {
  return bytes.toString("latin1");
}
