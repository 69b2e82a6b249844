/**
 * Which share of their posting lists queries of three words would have to read for the ten best, if
 * lists were read by blocks: a million texts in seven segments, without a server. Of the blocks
 * those are counted that may hold a document which reaches a threshold, by the bounds of all
 * blocks of the query's words: the final threshold, as if it were known from the start, and those
 * that can be known before any list is read. Bytes are counted as they are, and by the windows of
 * 64 KiB that a reader of a store loads. Run: `node bench/cold-lists.ts [documents]` (Node >= 24).
 */

import { must } from "../src/base/assert.ts";
import { KIB, MIB } from "../src/base/byte-sizes.ts";
import type { SegmentId } from "../src/base/ids.ts";
import { seededRandom } from "../src/base/random.ts";
import { runSteps } from "../src/base/steps.ts";
import { buildDocuments, type TypedDocument } from "../src/codec/columns-builder.ts";
import { BLOCK_POSTINGS } from "../src/segment/postings/block-section.ts";
import { UNIT_BYTES } from "../src/segment/postings/list-layout.ts";
import { openSegment } from "../src/segment/segment-reader.ts";
import { TEXT_INDEX } from "../src/segment/text/text-index.ts";
import type { TextView } from "../src/segment/text/text-view.ts";
import { inverseDocumentFrequency, termScore, termWeight } from "../src/text/bm25.ts";
import { documentOf, fullText, schemaOf } from "../test/support/queries/query-fixture.ts";
import { planSegment } from "../test/support/segments/plan-segment.ts";
import { percentile, printTable } from "./http-harness.ts";
import { ZipfTexts } from "./scale/zipf-texts.ts";

const SEGMENTS = 7;
const QUERIES = 60;
const LIMIT = 10;
const WINDOW_BYTES = 64 * KIB;
/** Of a posting: an ordinal's low half and a frequency. */
const POSTING_BYTES = UNIT_BYTES + 1;
const documentCount = Number(process.argv[2] ?? 1_000_000);
const options = fullText();
const schema = schemaOf({ text: { type: "string", filterable: false, fullTextSearch: options } });

/** Draws texts, and queries of three words by their names. */
interface Texts {
  text(): string;
  readonly queries: Readonly<Record<string, () => string>>;
}

function scaleTexts(): Texts {
  const texts = new ZipfTexts(1);
  const queryWith = (stopWords: number) => () => texts.nextQuery({ words: 3, stopWords });
  return {
    text: () => texts.nextText(),
    queries: {
      "44 words a text, as in http-scale.ts": queryWith(0),
      "the same, one of the words is a stop word": queryWith(1),
    },
  };
}

function coldTexts(): Texts {
  const random = seededRandom(1);
  const word = () => `w${Math.floor(50_000 ** random.next())}`;
  const words = (count: number) => Array.from({ length: count }, word).join(" ");
  const name = "12 words a text, as in cold-queries.ts";
  return { text: () => words(12), queries: { [name]: () => words(3) } };
}

function textOf(documents: readonly TypedDocument[]): TextView {
  const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
  const plan = planSegment(buildDocuments("uint", types, documents), schema);
  const bytes = new Uint8Array(plan.bytes);
  runSteps(plan.writeTo(bytes));
  const segment = openSegment("segment" as SegmentId, bytes, { arena: 0, offset: 0 });
  return must(segment.index(TEXT_INDEX, "text"), "a text index");
}

/** One word of a query in one segment, by blocks; a short list is one block. */
interface BlockList {
  readonly count: number;
  readonly lasts: readonly number[];
  /** What a posting of each block scores at most, which one does. */
  readonly bounds: readonly number[];
  /** Those that are stored: of a short list, nothing is known before it is read. */
  readonly knownBounds: readonly number[];
  readonly ordinals: Uint32Array;
  readonly scores: Float64Array;
}

function listOf(
  text: TextView,
  term: string,
  { weight, average }: { readonly weight: number; readonly average: number },
): BlockList | undefined {
  const postings = text.postings(term);
  if (postings === undefined) return undefined;
  const ordinals = new Uint32Array(postings.ordinals.length);
  postings.ordinals.copyTo(ordinals);
  const { lengths } = text;
  const score = (frequency: number, length: number) =>
    termScore(weight, frequency, length / average, options);
  const scores = Float64Array.from(ordinals, (ordinal, i) =>
    score(postings.frequencies.at(i), lengths[ordinal]),
  );
  const blocks = text.blocks(term);
  const count = ordinals.length;
  if (blocks === undefined) {
    const lasts = [ordinals[count - 1]];
    const bounds = [scores.reduce((most, one) => Math.max(most, one), 0)];
    return { count, lasts, bounds, knownBounds: [], ordinals, scores };
  }
  const { lastOrdinals, pairEnds, pairs } = blocks;
  const bounds = Array.from(pairEnds, (end, b) => {
    let most = 0;
    for (let p = b === 0 ? 0 : pairEnds[b - 1]; p < end; p++) {
      most = Math.max(most, score(pairs[2 * p], pairs[2 * p + 1]));
    }
    return most;
  });
  return { count, lasts: [...lastOrdinals], bounds, knownBounds: bounds, ordinals, scores };
}

/** The k-th greatest number; 0 if there are fewer. */
function kthOf(numbers: readonly number[]): number {
  return [...numbers].sort((a, b) => b - a)[LIMIT - 1] ?? 0;
}

/** Bytes of lists, and of the windows that they lie in. */
class Read {
  bytes = 0;
  windows = 0;
}

/**
 * The blocks of each of a segment's lists where the bounds of all blocks that lie over a range of
 * ordinals add up to the threshold.
 */
function reached(lists: readonly BlockList[], threshold: number): Set<number>[] {
  const ends = [...new Set(lists.flatMap(({ lasts }) => lasts))].sort((a, b) => a - b);
  const at = lists.map(() => 0);
  const wanted = lists.map(() => new Set<number>());
  for (const end of ends) {
    let most = 0;
    lists.forEach(({ bounds }, l) => {
      most += bounds[at[l]] ?? 0;
    });
    lists.forEach(({ bounds, lasts }, l) => {
      if (most >= threshold && at[l] < bounds.length) wanted[l].add(at[l]);
      while (at[l] < lasts.length && lasts[at[l]] <= end) at[l]++;
    });
  }
  return wanted;
}

function addReached(read: Read, lists: readonly BlockList[], threshold: number): void {
  for (const [l, blocks] of reached(lists, threshold).entries()) addBlocks(read, lists[l], blocks);
}

function blockPostings({ count, lasts }: BlockList): number {
  return lasts.length === 1 ? count : BLOCK_POSTINGS;
}

function addBlocks(read: Read, list: BlockList, blocks: ReadonlySet<number>): void {
  const windows = new Set<number>();
  const size = blockPostings(list);
  for (const block of blocks) {
    const start = block * size * POSTING_BYTES;
    const end = Math.min((block + 1) * size, list.count) * POSTING_BYTES;
    read.bytes += end - start;
    for (let w = Math.floor(start / WINDOW_BYTES); w * WINDOW_BYTES < end; w++) windows.add(w);
  }
  const all = list.count * POSTING_BYTES;
  for (const w of windows) read.windows += Math.min(WINDOW_BYTES, all - w * WINDOW_BYTES);
}

/**
 * Two rounds of lists: of those without which no document reaches the threshold the blocks that
 * may; then of the others the blocks with a document that may reach it still.
 */
function addInTurn(read: Read, lists: readonly BlockList[], threshold: number): void {
  const most = (list: BlockList) => list.bounds.reduce((a, b) => Math.max(a, b), 0);
  const wanted = reached(lists, threshold);
  const sorted = lists
    .map((list, l) => ({ list, blocks: wanted[l], most: most(list) }))
    .sort((a, b) => a.most - b.most);
  let others = 0;
  let first = 0;
  while (first < sorted.length && others + sorted[first].most < threshold) {
    others += sorted[first++].most;
  }
  const partial = new Map<number, number>();
  for (const { list, blocks } of sorted.slice(first)) {
    addBlocks(read, list, blocks);
    const size = blockPostings(list);
    list.ordinals.forEach((ordinal, i) => {
      if (!blocks.has(Math.floor(i / size))) return;
      partial.set(ordinal, (partial.get(ordinal) ?? 0) + list.scores[i]);
    });
  }
  const candidates = [...partial].flatMap(([o, score]) => (score + others >= threshold ? [o] : []));
  candidates.sort((a, b) => a - b);
  for (const { list } of sorted.slice(0, first)) {
    const blocks = new Set<number>();
    let block = 0;
    for (const ordinal of candidates) {
      while (block < list.lasts.length && list.lasts[block] < ordinal) block++;
      if (block < list.lasts.length) blocks.add(block);
    }
    addBlocks(read, list, blocks);
  }
}

interface Shares {
  readonly all: number;
  readonly shares: number[];
}

function measure(texts: readonly TextView[], query: string): Shares {
  const totals = texts.map((text) => must(text.totals, "many texts have their totals"));
  const documents = totals.reduce((sum, { documentCount }) => sum + documentCount, 0);
  const terms = totals.reduce((sum, { termCount }) => sum + termCount, 0);
  const weights = [...new Set(query.split(" "))].map((term) => {
    const found = texts.reduce((sum, text) => sum + text.postingCount(term), 0);
    return { term, weight: termWeight(inverseDocumentFrequency(documents, found), 1, options.k1) };
  });
  const average = terms / documents;
  const byTerm = weights.map(({ term, weight }) =>
    texts.map((text) => listOf(text, term, { weight, average })),
  );
  const segments = texts.map((_, s) => byTerm.flatMap((lists) => lists[s] ?? []));
  const final = kthOf(segments.flatMap(bestOf));
  const fromBounds = Math.max(
    ...byTerm.map((lists) => kthOf(lists.flatMap((list) => list?.knownBounds ?? []))),
  );
  const ofOneWord = Math.max(
    ...byTerm.map((lists) => kthOf(lists.flatMap((list) => (list ? topOf(list.scores) : [])))),
  );
  const all = segments.flat().reduce((sum, { count }) => sum + count * POSTING_BYTES, 0);
  const reads = [final, ofOneWord, fromBounds].map((threshold) => {
    const read = new Read();
    for (const lists of segments) addReached(read, lists, threshold);
    return read;
  });
  const turns = [final, ofOneWord].map((threshold) => {
    const read = new Read();
    for (const lists of segments) addInTurn(read, lists, threshold);
    return read;
  });
  const shares = [...reads, ...turns].flatMap(({ bytes, windows }) => [bytes / all, windows / all]);
  return { all, shares };
}

/** The scores of the best documents of a segment. */
function bestOf(lists: readonly BlockList[]): number[] {
  const last = lists.reduce((most, { lasts }) => Math.max(most, lasts[lasts.length - 1]), 0);
  const sums = new Float64Array(last + 1);
  for (const { ordinals, scores } of lists) {
    for (let i = 0; i < ordinals.length; i++) sums[ordinals[i]] += scores[i];
  }
  return topOf(sums);
}

function topOf(scores: Float64Array): number[] {
  return [...scores.slice().sort().slice(-LIMIT)];
}

function report({ text, queries }: Texts): void {
  const texts = Array.from({ length: SEGMENTS }, () =>
    textOf(
      Array.from({ length: Math.ceil(documentCount / SEGMENTS) }, (_, i) =>
        documentOf(BigInt(i), { text: text() }),
      ),
    ),
  );
  for (const [name, query] of Object.entries(queries)) {
    show(
      name,
      Array.from({ length: QUERIES }, () => measure(texts, query())),
    );
  }
}

const WAYS = [
  "of the tenth document, as if it were known",
  "of the tenth posting of a word",
  "of the tenth block of a word",
  "of the tenth document, lists in two rounds",
  "of the tenth posting, lists in two rounds",
];

function show(name: string, measured: readonly Shares[]): void {
  const mib = percentile(
    measured.map(({ all }) => all / MIB),
    0.5,
  );
  console.log(`\n${name}: lists of ${mib.toFixed(1)} MiB in the median`);
  const percents = (at: number) => {
    const shares = measured.map((one) => 100 * one.shares[at]);
    const bytes = measured.reduce((sum, one) => sum + one.shares[at] * one.all, 0);
    const all = measured.reduce((sum, one) => sum + one.all, 0);
    return [percentile(shares, 0.5).toFixed(1), ((100 * bytes) / all).toFixed(1)];
  };
  printTable(
    ["threshold", "blocks, median %", "of all %", "in windows, median %", "of all %"],
    WAYS.map((way, w) => [way, ...percents(2 * w), ...percents(2 * w + 1)]),
  );
}

for (const texts of [coldTexts(), scaleTexts()]) report(texts);
process.exit(0);
