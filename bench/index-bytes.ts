/**
 * How many bytes a text index takes, next to the text itself, on texts that people wrote, and what
 * it costs to go over its postings in one thread. All of a set is one segment, as it is in a store.
 *
 * Run: `node bench/index-bytes.ts [set…]`; sets that are not on this machine are left out
 * (TRAWL_DATASETS names their folder).
 */

import { readFileSync } from "node:fs";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import type { SegmentId } from "../src/base/ids.ts";
import { runSteps } from "../src/base/steps.ts";
import { bitmapWords } from "../src/codec/bitmap.ts";
import { buildDocuments } from "../src/codec/columns-builder.ts";
import { openSegment } from "../src/segment/segment-reader.ts";
import { TEXT_INDEX } from "../src/segment/text/text-index.ts";
import {
  TEXT_BITSETS,
  TEXT_BLOCKS,
  TEXT_LENGTHS,
  TEXT_LISTS,
  TEXT_PAGES,
  TEXT_POSITIONS,
  TEXT_ROOT,
  TEXT_SECTION,
} from "../src/segment/text/text-kinds.ts";
import { datasetFile, isDatasetHere } from "../test/support/documents/datasets.ts";
import { documentOf, fullText, schemaOf } from "../test/support/queries/query-fixture.ts";
import { planSegment } from "../test/support/segments/plan-segment.ts";

/** A file of one JSON object on each line, and which of its texts are indexed. */
const SETS: Record<string, { readonly file: string; readonly texts: readonly string[] }> = {
  scifact: { file: "scifact/corpus.jsonl.gz", texts: ["title", "text"] },
  reuters: { file: "reuters-21578/reuters.jsonl.gz", texts: ["title", "body"] },
  films: { file: "wikipedia-movies/movies.jsonl.gz", texts: ["title", "extract"] },
  papers: { file: "ml-papers/papers.jsonl.zst", texts: ["title", "abstract"] },
};
/** What a posting takes as two words, an ordinal and a number. */
const WORDS_BYTES = 8;
const RUNS = 20;

const schema = schemaOf({
  text: { type: "string", filterable: false, fullTextSearch: fullText() },
});

function readTexts(name: string): string[] {
  const { file, texts } = SETS[name];
  const packed = readFileSync(datasetFile(file));
  const bytes = file.endsWith(".zst") ? zstdDecompressSync(packed) : gunzipSync(packed);
  const lines = bytes.toString("utf8").split("\n");
  return lines.filter(Boolean).map((line) => {
    const values = JSON.parse(line);
    return texts.flatMap((text) => values[text] ?? []).join(" ");
  });
}

function segmentOf(texts: readonly string[]) {
  const documents = texts.map((text, i) => documentOf(BigInt(i), { text }));
  const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
  const plan = planSegment(buildDocuments("uint", types, documents), schema);
  const bytes = new Uint8Array(plan.bytes);
  runSteps(plan.writeTo(bytes));
  return openSegment("s" as SegmentId, bytes, { arena: 0, offset: 0 });
}

/** The least of several runs, in nanoseconds for each of `count`. */
function least(count: number, run: () => void): string {
  let ms = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RUNS; i++) {
    const start = performance.now();
    run();
    ms = Math.min(ms, performance.now() - start);
  }
  return ((1e6 * ms) / count).toFixed(2);
}

function report(name: string): void {
  const texts = readTexts(name);
  const textBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const segment = segmentOf(texts);
  const text = segment.index(TEXT_INDEX, "text");
  if (text === undefined) throw new Error(`${name} has no texts`);
  const lists = Array.from({ length: text.termCount }, (_, code) => text.postingsAt(code));
  const postings = lists.reduce((sum, { ordinals }) => sum + ordinals.length, 0);
  const bytesOf = (...kinds: number[]): number =>
    kinds.reduce((sum, kind) => sum + (segment.sections("text").entry(kind)?.bytes ?? 0), 0);
  const share = (bytes: number): string => (bytes / textBytes).toFixed(3);
  const listBytes = bytesOf(TEXT_LISTS.kind);
  const head = bytesOf(TEXT_SECTION, TEXT_ROOT, TEXT_PAGES, TEXT_LENGTHS);
  const bounds = bytesOf(...Object.values(TEXT_BLOCKS));
  const bitmaps = bytesOf(...Object.values(TEXT_BITSETS));
  const positions = bytesOf(...Object.values(TEXT_POSITIONS));
  const long = lists.filter(({ ordinals }) => ordinals.length >= 128);
  const longPostings = long.reduce((sum, { ordinals }) => sum + ordinals.length, 0);
  const bits = new Uint32Array(bitmapWords(texts.length));
  const words = new Uint32Array(texts.length);
  const toBits = least(longPostings, () => {
    for (const { ordinals } of long) ordinals.addTo(bits, 0, { start: 0, end: ordinals.length });
  });
  const toWords = least(longPostings, () => {
    for (const { ordinals, frequencies } of long) {
      ordinals.copyTo(words);
      frequencies.copyTo(words);
    }
  });
  console.log(
    `${name}: ${texts.length} documents, ${textBytes} bytes of text, ${text.termCount} terms, ` +
      `${postings} postings of ${(listBytes / postings).toFixed(2)} bytes; of the text's bytes ` +
      `lists ${share(listBytes)} (in words ${share(WORDS_BYTES * postings)}), terms and lengths ` +
      `${share(head)}, bounds ${share(bounds)}, bitmaps ${share(bitmaps)}, in all ` +
      `${share(listBytes + head + bounds + bitmaps)}, positions beside them ${share(positions)}; ` +
      `a posting of lists of 128 or more is added to a set in ${toBits} ns, ` +
      `copied to words in ${toWords} ns`,
  );
}

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(SETS);
for (const name of wanted) {
  if (!Object.hasOwn(SETS, name))
    throw new Error(`no set ${name}: ${Object.keys(SETS).join(", ")}`);
  if (isDatasetHere(SETS[name].file)) report(name);
}
