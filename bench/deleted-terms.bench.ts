/**
 * What it costs to know how many live documents have a term where some are deleted: to plan queries
 * of three terms in one thread, with counts of the deleted ones' terms and without, hot and cold;
 * to make the counts when the log is folded, and to keep them. Texts have words by Zipf's law and
 * lengths around 44 words (log-normal), in one stored segment, which is read in windows of 64 KiB.
 *
 * Run: `node bench/deleted-terms.bench.ts [documents]`; times are medians over 60 queries of the
 * least of several runs.
 */

import type { Ordinal, SegmentId } from "../src/base/ids.ts";
import { seededRandom } from "../src/base/random.ts";
import { runSteps } from "../src/base/steps.ts";
import type { SegmentReads } from "../src/cache/segment-reads.ts";
import { buildDocuments } from "../src/codec/columns-builder.ts";
import { encodeFrame } from "../src/codec/frame.ts";
import { countDeletions } from "../src/indexer/count-deletions.ts";
import type { ArenaBytes } from "../src/kernel/arena.ts";
import { documentFrequency } from "../src/query/bind/document-frequency.ts";
import { together } from "../src/query/operator/missing-bytes.ts";
import type { CountedDeletions } from "../src/segment/deletions/counted-deletions.ts";
import {
  decodeTombstones,
  encodeTombstones,
  type Tombstones,
} from "../src/segment/deletions/tombstones.ts";
import { termsOfDocuments } from "../src/segment/documents/document-terms.ts";
import type { ByteSource } from "../src/segment/format/byte-source.ts";
import { BytesMissing } from "../src/segment/format/bytes-missing.ts";
import { LiveSegment } from "../src/segment/memtable/live-segment.ts";
import { type OpenSegment, openSegment } from "../src/segment/segment-reader.ts";
import { openStoredSegment } from "../src/segment/stored-segment-reader.ts";
import { TEXT_LISTS, TEXT_PAGES, TEXT_SECTION } from "../src/segment/text/text-kinds.ts";
import type { SegmentSnapshot } from "../src/segment/view/segment-view.ts";
import type { ObjectKey } from "../src/storage/object-store.ts";
import { fullText, schemaOf } from "../test/support/queries/query-fixture.ts";
import { encodeStoredSegment } from "../test/support/segments/encode-stored-segment.ts";
import { planSegment } from "../test/support/segments/plan-segment.ts";
import { ZipfRanks } from "./zipf-ranks.ts";

const COUNT = Number(process.argv[2] ?? 200_000);
const VOCABULARY = 100_000;
/** Of the most frequent words, which queries leave out. */
const STOP_WORDS = 20;
const QUERIES = 60;
const RUNS = 5;
const WINDOW = 64 * 1024;
const SHARES = [0, 0.001, 0.01, 0.1, 0.5];

const random = seededRandom(1);
const ranks = new ZipfRanks(random, VOCABULARY);
const normal = (): number =>
  Math.sqrt(-2 * Math.log(1 - random.next())) * Math.cos(2 * Math.PI * random.next());
const wordOf = (rank: number) => `w${rank.toString(36)}`;

const options = fullText();
const schema = schemaOf({ text: { type: "string", filterable: false, fullTextSearch: options } });

/** Windows of the content are there once they were asked for. */
class WindowSource implements ByteSource {
  readonly chunkBytes = WINDOW;
  readonly windowBytes = WINDOW;
  epoch = 0;
  rounds = 0;
  readonly #content: Uint8Array<ArrayBuffer>;
  readonly #windows = new Set<number>();

  constructor(content: Uint8Array<ArrayBuffer>) {
    this.#content = content;
  }

  get bytesRead(): number {
    return this.#windows.size * WINDOW;
  }

  place(start: number, end: number): ArenaBytes {
    const found = this.peek(start, end);
    if (found !== undefined) return found;
    throw new BytesMissing([{ object: "s" as ObjectKey, start, end }]);
  }

  peek(start: number, end: number): ArenaBytes | undefined {
    for (let w = Math.floor(start / WINDOW); w * WINDOW < end; w++) {
      if (!this.#windows.has(w)) return undefined;
    }
    return { arena: 0, offset: start, bytes: this.#content.subarray(start, end) };
  }

  drop(): void {
    this.#windows.clear();
    this.rounds = 0;
    this.epoch++;
  }

  run<T>(attempt: () => T): T {
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (!(error instanceof BytesMissing)) throw error;
        this.rounds++;
        for (const { start, end } of error.wanted) {
          for (let w = Math.floor(start / WINDOW); w * WINDOW < end; w++) this.#windows.add(w);
        }
      }
    }
  }
}

function makeSegment(): { open: () => OpenSegment; source: WindowSource; textBytes: number } {
  let textBytes = 0;
  const documents = Array.from({ length: COUNT }, (_, i) => {
    const length = Math.max(5, Math.min(400, Math.round(Math.exp(3.6 + 0.6 * normal()))));
    const text = Array.from({ length }, () => wordOf(ranks.next())).join(" ");
    textBytes += text.length;
    return { id: BigInt(i), attributes: new Map([["text", text]]) };
  });
  const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
  const plan = planSegment(buildDocuments("uint", types, documents), schema);
  const bytes = new Uint8Array(new ArrayBuffer(plan.bytes));
  runSteps(plan.writeTo(bytes));
  const near = openSegment("s" as SegmentId, bytes, { arena: 0, offset: 0 });
  const { content, head } = encodeStoredSegment(near, schema);
  const source = new WindowSource(content);
  const open = () => openStoredSegment("s" as SegmentId, head, () => source);
  return { open, source, textBytes };
}

const { open, source, textBytes } = makeSegment();
const view = open();
const sizeOf = (kind: number) => view.sections("text").entry(kind)?.bytes ?? 0;
const reads = { run: async <T>(attempt: () => T) => source.run(attempt) } as SegmentReads;
const counting = { schema, reads, yield: async () => {} };
const queries = Array.from({ length: QUERIES }, () => {
  return Array.from({ length: 3 }, () => wordOf(STOP_WORDS + ranks.next()));
});
console.log(
  `${COUNT} documents, ${textBytes} bytes of text; dictionary ` +
    `${sizeOf(TEXT_SECTION) + sizeOf(TEXT_PAGES)}, ` +
    `lists ${sizeOf(TEXT_LISTS.kind)}`,
);

/** Deletes some documents at random. */
function deleteSome(segment: LiveSegment, count: number): void {
  for (let left = count; left > 0; ) {
    if (segment.delete(random.below(COUNT) as Ordinal)) left--;
  }
}

let version = 0;
/** As a new write has left it, so that nothing is remembered of its version. */
function snapshotOf(segment: LiveSegment, counted: CountedDeletions | undefined): SegmentSnapshot {
  const { liveBitmap, liveCount } = segment;
  return { view, liveBitmap: liveBitmap.slice(), liveCount, liveVersion: ++version, counted };
}

const planned = (snapshot: SegmentSnapshot, terms: readonly string[]): void => {
  for (const term of terms) {
    documentFrequency([snapshot], { attribute: "text", term, options }, together);
  }
};

/** Microseconds of a query's plan, all bytes being there. */
function hot(segment: LiveSegment, counted: CountedDeletions | undefined): number {
  const least = queries.map(() => Number.POSITIVE_INFINITY);
  for (let run = 0; run < RUNS; run++) {
    for (const [q, terms] of queries.entries()) {
      const snapshot = snapshotOf(segment, counted);
      source.run(() => planned(snapshot, terms));
      const again = snapshotOf(segment, counted);
      const start = performance.now();
      planned(again, terms);
      least[q] = Math.min(least[q], 1000 * (performance.now() - start));
    }
  }
  return least.sort((a, b) => a - b)[QUERIES >> 1];
}

/** KiB beside the dictionary that a cold plan reads, in the mean, and the rounds. */
function cold(segment: LiveSegment, counted: CountedDeletions | undefined): string {
  let [bytes, rounds] = [0, 0];
  for (const terms of queries) {
    // Opened anew, as documents that were unpacked are kept.
    const snapshot = { ...snapshotOf(segment, counted), view: open() };
    source.drop();
    source.run(() => planned({ ...snapshot, liveCount: COUNT }, terms));
    const before = source.bytesRead;
    source.rounds = 0;
    source.run(() => {
      together(terms.map((term) => () => planned(snapshot, [term])));
    });
    bytes += source.bytesRead - before;
    rounds += source.rounds;
  }
  return `${Math.round(bytes / QUERIES / 1024)} (${(rounds / QUERIES).toFixed(1)})`;
}

async function frameBytes(tombstones: Tombstones): Promise<number> {
  const parts = [encodeTombstones(tombstones)];
  const frame = { kind: "tombstones", object: "t", version: 1, parts } as const;
  return (await encodeFrame({ ...frame, compression: "if smaller" })).length;
}

const SINCE = [1, 10, 100, 1000];
console.log(
  "\nplan of a query after each write: without counts; with counts; with counts before the last " +
    `${SINCE.join(", ")} deleted`,
);
for (const share of SHARES) {
  const segment = new LiveSegment(view);
  deleteSome(segment, Math.round(share * COUNT));
  const found = await countDeletions(segment, counting);
  const liveBitmap = segment.liveBitmap.slice();
  const counted = found ?? { liveBitmap, terms: new Map([["text", new Uint8Array(0)]]) };
  const hots = [hot(segment, undefined), hot(segment, counted)];
  const colds = [cold(segment, undefined), cold(segment, counted)];
  const later = new LiveSegment(view, { liveBitmap: liveBitmap.slice() });
  for (const since of SINCE) {
    deleteSome(later, since - (segment.liveCount - later.liveCount));
    hots.push(hot(later, counted));
    colds.push(cold(later, counted));
  }
  console.log(`${100 * share} %: hot, µs: ${hots.map((us) => us.toFixed(1)).join(", ")}`);
  console.log(`     cold, KiB and rounds: ${colds.join(", ")}`);
}

console.log(
  "\nat the fold: documents that were deleted since, time, bytes read; tombstones before and after",
);
for (const deleted of [1, 10, 100, 300, 1000, 0.01 * COUNT, 0.1 * COUNT, 0.5 * COUNT]) {
  const segment = new LiveSegment(view);
  deleteSome(segment, deleted);
  source.drop();
  const start = performance.now();
  const counted = await countDeletions(segment, counting);
  const ms = performance.now() - start;
  if (counted === undefined) {
    console.log(`${deleted}: later, after ${ms.toFixed(1)} ms`);
    continue;
  }
  const { liveBitmap } = counted;
  const [before, after] = [
    await frameBytes({ liveBitmap }),
    await frameBytes({ liveBitmap, counted }),
  ];
  const memory = counted.terms.get("text")?.length ?? 0;
  const payload = encodeTombstones({ liveBitmap, counted });
  const decoding = performance.now();
  decodeTombstones(payload, COUNT);
  const decodeMs = performance.now() - decoding;
  console.log(
    `${deleted}: ${ms.toFixed(1)} ms, ${(source.bytesRead / 2 ** 20).toFixed(1)} MiB; ` +
      `${before} → ${after} bytes, in memory ${memory} more, decoded in ` +
      `${decodeMs.toFixed(1)} ms`,
  );
}

const ordinals = Uint32Array.from({ length: 200 }, () => random.below(COUNT));
const textsMs = (): number => {
  const start = performance.now();
  for (let i = 0; i < ordinals.length; i++) {
    const column = view.column("text");
    if (column !== undefined) termsOfDocuments(column, options, ordinals.subarray(i, i + 1));
  }
  return performance.now() - start;
};
source.run(textsMs);
console.log(`\nterms of a document by its text: ${(5 * textsMs()).toFixed(1)} µs`);
