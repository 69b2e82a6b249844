/**
 * What BM25 and sparse products cost in one thread with the bounds of postings and without them, in
 * one run, by the number of terms; and what the bounds cost. Texts have words by Zipf's law and
 * lengths around 44 words (log-normal); sparse vectors have the same words, weighed at random.
 *
 * Run: `node bench/full-text.bench.ts [documents] [limit] [of documents that the filter keeps]`;
 * prints microseconds, medians over 60 queries of the least of several runs.
 */

import type { SegmentId } from "../src/base/ids.ts";
import { sequenceNumber } from "../src/base/ids.ts";
import { seededRandom } from "../src/base/random.ts";
import { runSteps } from "../src/base/steps.ts";
import { fullBitmap } from "../src/codec/bitmap.ts";
import { buildDocuments } from "../src/codec/columns-builder.ts";
import type { ScoreExpression } from "../src/model/query.ts";
import type { AttributeValue } from "../src/model/value.ts";
import { runRequest } from "../src/query/executor/run-request.ts";
import type { Snapshot } from "../src/query/operator/snapshot.ts";
import { type OpenSegment, openSegment } from "../src/segment/segment-reader.ts";
import { SPARSE_BLOCKS, SPARSE_LISTS } from "../src/segment/sparse/sparse-lists.ts";
import { TEXT_BLOCKS, TEXT_LISTS } from "../src/segment/text/text-kinds.ts";
import { filterOf } from "../test/support/queries/filter-notation.ts";
import {
  documentQuery,
  fullText,
  KERNELS,
  requestOf,
  schemaOf,
} from "../test/support/queries/query-fixture.ts";
import { blockIndexes } from "../test/support/segments/block-indexes.ts";
import { planSegment } from "../test/support/segments/plan-segment.ts";
import { runReads } from "../test/support/segments/remote-segment.ts";
import { ZipfRanks } from "./zipf-ranks.ts";

const COUNT = Number(process.argv[2] ?? 200_000);
const LIMIT = Number(process.argv[3] ?? 10);
const KEPT = Number(process.argv[4] ?? 1);
const VOCABULARY = 100_000;
/** Of the most frequent words, which queries leave out. */
const STOP_WORDS = 20;
const QUERIES = 60;
const RUNS = 9;
/** Terms of a query; of still more, all is scored (`pick-scoring.ts`). */
const TERMS = [1, 2, 3, 4, 5, 8, 12, 16, 24, 32, 64, 128];
/** At most so many documents of one host, of which there are a thousand. */
const PER_HOST = 3;

const random = seededRandom(1);
const ranks = new ZipfRanks(random, VOCABULARY);
const normal = (): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());

const schema = schemaOf({
  text: { type: "string", filterable: false, fullTextSearch: fullText() },
  sparse: "{}f16",
  n: "int",
  time: "int",
  host: { type: "string", filterable: true },
});
const kept: number[][] = [];
let textBytes = 0;
const documents = Array.from({ length: COUNT }, (_, i) => {
  const length = Math.max(5, Math.min(400, Math.round(Math.exp(3.6 + 0.6 * normal()))));
  const words = Array.from({ length }, () => ranks.next());
  if (i % 97 === 0) kept.push(words);
  const text = words.map((rank) => `w${rank.toString(36)}`).join(" ");
  textBytes += text.length;
  const names = [...new Set(words.slice(0, 40))].map((rank) => `w${rank.toString(36)}`).sort();
  const weights = Float32Array.from(names, () => Math.f16round(Math.exp(normal())));
  const attributes: [string, AttributeValue][] = [
    ["text", text],
    ["sparse", { names, weights }],
    ["n", BigInt(random.below(1_000_000))],
    ["time", BigInt(i)],
    ["host", `host ${(7919 * i) % 1000}`],
  ];
  return { id: BigInt(i), attributes: new Map(attributes) };
});
const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
const columns = buildDocuments("uint", types, documents);
documents.length = 0;

function build(blockPostings: number): { segment: OpenSegment; ms: number } {
  const start = performance.now();
  const plan = planSegment(columns, schema, blockIndexes(blockPostings));
  const bytes = new Uint8Array(new ArrayBuffer(plan.bytes));
  runSteps(plan.writeTo(bytes));
  const ms = performance.now() - start;
  return { segment: openSegment("s" as SegmentId, bytes, { arena: 0, offset: 0 }), ms };
}

function snapshotOf(view: OpenSegment): Snapshot {
  const live = { liveBitmap: fullBitmap(COUNT), liveCount: COUNT, liveVersion: 0 };
  return {
    sequence: sequenceNumber(1),
    schema,
    segments: [{ view, ...live }],
    unindexedCount: 0,
    logicalBytes: 0,
  };
}

const size = (segment: OpenSegment, attribute: string, kinds: object): number =>
  Object.values(kinds)
    .map((kind) => segment.sections(attribute).entry(kind)?.bytes ?? 0)
    .reduce((sum, bytes) => sum + bytes, 0);

const unbounded = build(Number.POSITIVE_INFINITY);
const bounded = build(128);
const { segment } = bounded;
const share = (of: number, whole: number): string => `${((100 * of) / whole).toFixed(1)} %`;
const textPostings = size(segment, "text", { lists: TEXT_LISTS.kind });
const sparsePostings = size(segment, "sparse", { lists: SPARSE_LISTS.kind });
console.log(
  `${COUNT} documents, ${textBytes} bytes of text, postings of texts ${textPostings}; ` +
    `bounds ${share(size(segment, "text", TEXT_BLOCKS), textPostings)} of that, ` +
    `of sparse ones ${share(size(segment, "sparse", SPARSE_BLOCKS), sparsePostings)}; ` +
    `built in ${share(bounded.ms, unbounded.ms)} of the time`,
);

const before = snapshotOf(unbounded.segment);
const after = snapshotOf(bounded.segment);
const filter = KEPT < 1 ? filterOf(["n", "Lt", Math.round(KEPT * 1_000_000)]) : undefined;

const near = { kind: "dist", attribute: "n", origin: 500_000n } as const;
const recent = { kind: "dist", attribute: "time", origin: BigInt(COUNT) } as const;
const lower = { kind: "filter", filter: filterOf(["n", "Lt", 300_000]) } as const;
/** What texts are ranked by beside BM25, and how. */
const ARITHMETIC: Record<
  string,
  (bm25: ScoreExpression, other: ScoreExpression) => ScoreExpression
> = {
  "with a sparse product": (bm25, other) => sumOf(bm25, other),
  "times 2, with a decay": (bm25) =>
    sumOf(weighed(2, bm25), { kind: "decay", clause: near, midpoint: 100_000, exponent: 1 }),
  "with a decay by their order": (bm25) =>
    sumOf(bm25, weighed(3, { kind: "decay", clause: recent, midpoint: COUNT / 20, exponent: 2 })),
  "with ten times a decay by their order": (bm25) =>
    sumOf(bm25, weighed(10, { kind: "decay", clause: recent, midpoint: COUNT / 20, exponent: 2 })),
  "with a filter": (bm25) => sumOf(bm25, weighed(0.5, lower)),
  "or half of it, the greater": (bm25) => {
    return { kind: "max", clauses: [bm25, weighed(0.5, bm25)] };
  },
  "saturated, with a filter": (bm25) =>
    sumOf({ kind: "saturate", clause: bm25, midpoint: 50, exponent: 1 }, weighed(0.01, lower)),
};

function sumOf(...clauses: readonly ScoreExpression[]): ScoreExpression {
  return { kind: "sum", clauses };
}

function weighed(weight: number, clause: ScoreExpression): ScoreExpression {
  return { kind: "product", weight, clause };
}

function expressions(terms: number, kind: "bm25" | "sparse"): ScoreExpression[] {
  return Array.from({ length: QUERIES }, () => {
    const words = new Set<number>();
    for (let tries = 0; tries < 20 * terms + 100 && words.size < terms; tries++) {
      const text = kept[random.below(kept.length)];
      const word = text[random.below(text.length)];
      if (word >= STOP_WORDS) words.add(word);
    }
    const names = [...words].map((rank) => `w${rank.toString(36)}`);
    if (kind === "bm25") {
      return { kind, attribute: "text", query: names.join(" "), lastAsPrefix: false };
    }
    return { kind, attribute: "sparse", entries: new Map(names.map((name) => [name, 1])) };
  });
}

function measure(snapshot: Snapshot, expression: ScoreExpression, isDiverse: boolean) {
  const perHost = {
    limitPer: { attributes: ["host"], limit: PER_HOST },
    selection: { kind: "include", names: new Set(["host"]) },
  } as const;
  const options = { limit: LIMIT, filter, ...(isDiverse && perHost) };
  const request = requestOf(documentQuery({ kind: "score", expression }, options));
  let us = Number.POSITIVE_INFINITY;
  let outcome: ReturnType<typeof runOnce> | undefined;
  function runOnce() {
    return runReads(runRequest(snapshot, request, { kernels: KERNELS }));
  }
  for (let run = 0; run < RUNS; run++) {
    const start = performance.now();
    outcome = runOnce();
    us = Math.min(us, 1000 * (performance.now() - start));
  }
  if (outcome === undefined) throw new Error("no run");
  return { us, outcome };
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1];

/** The last word of each is a prefix: what it begins with, of so many letters. */
function prefixed(terms: number, letters: number): ScoreExpression[] {
  return expressions(terms, "bm25").map((expression) => {
    if (expression.kind !== "bm25") throw new Error("no text");
    const words = String(expression.query).split(" ");
    words.push(String(words.pop()).slice(0, letters));
    return { ...expression, query: words.join(" "), lastAsPrefix: true };
  });
}

/** What is ranked by where few documents have a word. */
function rare(): ScoreExpression[] {
  return Array.from({ length: QUERIES }, () => {
    const query = `w${(VOCABULARY / 5 + random.below(VOCABULARY / 2)).toString(36)}`;
    return sumOf(
      { kind: "bm25", attribute: "text", query, lastAsPrefix: false },
      weighed(0.5, lower),
    );
  });
}

const DIVERSE = `bm25, ${PER_HOST} per host`;
const RANKINGS: [name: string, (terms: number) => ScoreExpression[], terms: readonly number[]][] = [
  ["bm25", (terms) => expressions(terms, "bm25"), TERMS],
  ["sparse", (terms) => expressions(terms, "sparse"), TERMS],
  ["bm25, the last a prefix of 2 letters", (terms) => prefixed(terms, 2), [2, 3, 5]],
  ["bm25, the last a prefix of 3 letters", (terms) => prefixed(terms, 3), [2, 3, 5]],
  ["bm25 of a rare word, with a filter", rare, [1]],
  [DIVERSE, (terms) => expressions(terms, "bm25"), [1, 2, 3, 5]],
  ...Object.entries(ARITHMETIC).map(([name, make]): (typeof RANKINGS)[number] => [
    `bm25 ${name}`,
    (terms) => {
      const others = expressions(terms, "sparse");
      return expressions(terms, "bm25").map((bm25, i) => make(bm25, others[i]));
    },
    [1, 2, 3, 5],
  ]),
];

for (const [kind, draw, counts] of RANKINGS) {
  for (const terms of counts) {
    const pairs = draw(terms).map((expression) => {
      const isDiverse = kind === DIVERSE;
      const old = measure(before, expression, isDiverse);
      const now = measure(after, expression, isDiverse);
      const same =
        JSON.stringify(old.outcome.results, text) === JSON.stringify(now.outcome.results, text);
      if (!same) throw new Error(`another answer for ${JSON.stringify(expression)}`);
      return { old, now };
    });
    const touched = (which: "old" | "now") =>
      pairs.reduce((sum, pair) => sum + pair[which].outcome.stats.postingsTouched, 0);
    const us = (which: "old" | "now") => pairs.map((pair) => pair[which].us);
    const [oldUs, nowUs] = [median(us("old")), median(us("now"))];
    const [oldMost, nowMost] = [Math.max(...us("old")), Math.max(...us("now"))];
    console.log(
      `${kind}, ${terms} terms: ${oldUs.toFixed(0).padStart(6)} → ` +
        `${nowUs.toFixed(0).padStart(5)} us (${(nowUs / oldUs).toFixed(2)}), ` +
        `most ${oldMost.toFixed(0)} → ${nowMost.toFixed(0)}; ` +
        `postings touched ${share(touched("now"), touched("old"))} ` +
        `of ${Math.round(touched("old") / QUERIES)}`,
    );
  }
}

/** Integers as text, which JSON has no numbers for. */
function text(_key: string, value: unknown): unknown {
  if (value instanceof Map) return [...value];
  return typeof value === "bigint" ? String(value) : value;
}
