/**
 * What counting with patterns costs in one thread with trigrams and without them, in one run, over
 * one segment of strings of 60 characters: words of a skewed vocabulary, and random letters; and
 * what trigrams cost: bytes, and time to build and to check, by strings of a group.
 *
 * Run: `node bench/patterns.bench.ts [documents]`; prints medians in milliseconds: of 3 runs
 * without, of 11 with trigrams.
 */

import { inspect } from "node:util";
import type { SegmentId } from "../src/base/ids.ts";
import { sequenceNumber } from "../src/base/ids.ts";
import { seededRandom } from "../src/base/random.ts";
import { runSteps } from "../src/base/steps.ts";
import { fullBitmap } from "../src/codec/bitmap.ts";
import { buildDocuments } from "../src/codec/columns-builder.ts";
import { runRequest } from "../src/query/executor/run-request.ts";
import type { Snapshot } from "../src/query/operator/snapshot.ts";
import { DICTIONARY_INDEX } from "../src/segment/columns/dictionary-index.ts";
import { buildTrigrams } from "../src/segment/columns/trigram-build.ts";
import type { ReadingSteps } from "../src/segment/format/reading-steps.ts";
import { type OpenSegment, openSegment } from "../src/segment/segment-reader.ts";
import { sealSegment, verifySegment } from "../src/segment/segment-seal.ts";
import type { AttributeIndex } from "../src/segment/view/attribute-index.ts";
import { filterOf } from "../test/support/queries/filter-notation.ts";
import { KERNELS, requestOf, schemaOf } from "../test/support/queries/query-fixture.ts";
import { planSegment } from "../test/support/segments/plan-segment.ts";
import { sortedIndexes } from "../test/support/segments/sorted-indexes.ts";

const COUNT = Number(process.argv[2] ?? 1_000_000);
const CHARACTERS = 60;
const NEEDLE = "quixotry";
const RUNS = [3, 11];

const random = seededRandom(1);
const schema = schemaOf({ text: { type: "string", glob: true, regex: true, fuzzy: true } });
const SYLLABLES = [..."bcdfghklmnprst"].flatMap((start) =>
  [..."aeiou"].flatMap((vowel) => ["", "n", "r", "st"].map((end) => start + vowel + end)),
);
const VOCABULARY = Array.from({ length: 20_000 }, () =>
  Array.from({ length: 1 + random.below(4) }, () => {
    return SYLLABLES[random.below(SYLLABLES.length)];
  }).join(""),
);

/** Words at the start of the vocabulary are much more frequent than others. */
function words(): string {
  let text = "";
  while (text.length < CHARACTERS) {
    text += `${VOCABULARY[Math.floor(VOCABULARY.length ** random.next()) - 1]} `;
  }
  return text.slice(0, CHARACTERS);
}

function letters(): string {
  let text = "";
  for (let i = 0; i < CHARACTERS; i++) text += String.fromCharCode(97 + random.below(26));
  return text;
}

/** One document of 100,000 has the word that is looked for. */
function segmentOf(draw: () => string, indexes: readonly AttributeIndex[], seed: number) {
  random.below(seed);
  const documents = Array.from({ length: COUNT }, (_, i) => {
    const text = draw();
    const hasNeedle = i % 100_000 === 777;
    const value = hasNeedle ? `${text.slice(0, 30)}${NEEDLE}${text.slice(38)}` : text;
    return { id: BigInt(i), attributes: new Map([["text", value]]) };
  });
  const types = new Map([["text", { kind: "scalar", of: "string" } as const]]);
  const columns = buildDocuments("uint", types, documents);
  documents.length = 0;
  return [sortedIndexes(8192, Number.POSITIVE_INFINITY), indexes].map((chosen) => {
    const start = performance.now();
    const plan = planSegment(columns, schema, chosen);
    const bytes = new Uint8Array(new ArrayBuffer(plan.bytes));
    runSteps(plan.writeTo(bytes));
    const segment = openSegment("s" as SegmentId, bytes, { arena: 0, offset: 0 });
    return { segment, ms: performance.now() - start };
  });
}

function timed<T>(steps: ReadingSteps<T>): { value: T; ms: number; longestMs: number } {
  const start = performance.now();
  let longestMs = 0;
  for (;;) {
    const before = performance.now();
    const next = steps.next();
    longestMs = Math.max(longestMs, performance.now() - before);
    if (next.done === true) return { value: next.value, ms: performance.now() - start, longestMs };
  }
}

/** Bytes of lists and time to build them, by strings of a group. */
function printSizes(segment: OpenSegment): void {
  const dictionary = segment.index(DICTIONARY_INDEX, "text");
  const values = dictionary?.arrays.values;
  if (dictionary?.trigrams === undefined || values?.kind !== "string") return;
  const { bucketBits, groupStrings: chosen } = dictionary.trigrams;
  const share = (bytes: number): string => `${((100 * bytes) / values.bytes.length).toFixed(1)} %`;
  for (const groupStrings of [1, 2, 4, 8, 16, 32]) {
    const { value, ms, longestMs } = timed(buildTrigrams(values, { groupStrings, bucketBits }));
    const bytes = (value?.lists.length ?? 0) + (value?.starts.byteLength ?? 0);
    console.log(
      `groups of ${groupStrings}${groupStrings === chosen ? " (chosen)" : ""}: ${bytes} bytes, ` +
        `${share(bytes)} of the strings; ${ms.toFixed(0)} ms, longest step ${longestMs.toFixed(1)}`,
    );
  }
}

function snapshotOf(view: OpenSegment): Snapshot {
  const live = { liveBitmap: fullBitmap(COUNT), liveCount: COUNT, liveVersion: 0 };
  const segments = [{ view, ...live }];
  return { sequence: sequenceNumber(1), schema, segments, unindexedCount: 0, logicalBytes: 0 };
}

function run(snapshot: Snapshot, filter: readonly unknown[]) {
  const start = performance.now();
  const request = requestOf({
    kind: "aggregate",
    aggregates: new Map([["count", { kind: "count" }]]),
    filter: filterOf(filter),
    groupBy: [],
    groupLimit: 1,
  });
  const { value, longestMs } = timed(runRequest(snapshot, request, { kernels: KERNELS }));
  return { ms: performance.now() - start, longestMs, ...value };
}

/** Counts what a filter keeps. */
function compare(snapshots: readonly Snapshot[], filter: readonly unknown[]): void {
  const shown = snapshots.map((snapshot, which) => {
    const runs = Array.from({ length: RUNS[which] }, () => run(snapshot, filter));
    const [{ results, stats }] = runs;
    const ms = runs.map((one) => one.ms).sort((a, b) => a - b)[RUNS[which] >> 1];
    const longestMs = Math.max(...runs.map((one) => one.longestMs));
    return {
      ms,
      longestMs,
      stats,
      text: inspect(results, { depth: null, breakLength: Number.POSITIVE_INFINITY }),
    };
  });
  const [before, after] = shown;
  if (before.text !== after.text) throw new Error(`${before.text} is not ${after.text}`);
  const { stringsTested, postingsTouched } = after.stats;
  console.log(
    `${JSON.stringify(filter.slice(1))} | ${before.ms.toFixed(1)} → ${after.ms.toFixed(2)} | ` +
      `${before.stats.stringsTested} → ${stringsTested} strings, ${postingsTouched} groups read, ` +
      `longest step ${before.longestMs.toFixed(1)} → ${after.longestMs.toFixed(1)} | ` +
      `${/(\d+)n?(?=\D*$)/.exec(after.text)?.[1]} documents`,
  );
}

const edits = (distance: number) => ({
  max_edit_distance: [{ min_query_chars: 3 * (distance + 1), distance }],
});
for (const [name, draw] of Object.entries({ words, letters })) {
  const [plain, built] = segmentOf(draw, sortedIndexes(8192, 1024), 2);
  console.log(
    `${name}: ${COUNT} documents written in ${plain.ms.toFixed(0)} ms, ` +
      `with trigrams in ${built.ms.toFixed(0)} ms`,
  );
  for (const { segment } of [plain, built]) {
    const sealed = sealSegment(segment);
    const start = performance.now();
    verifySegment(sealed);
    console.log(`checked in ${(performance.now() - start).toFixed(0)} ms`);
  }
  printSizes(built.segment);
  const snapshots = [plain, built].map(({ segment }) => snapshotOf(segment));
  const given = (operator: string, ...rest: readonly unknown[]) =>
    compare(snapshots, ["text", operator, ...rest]);
  given("Glob", `*${NEEDLE}*`);
  given("IGlob", `*${NEEDLE.toUpperCase()}*`);
  given("Regex", NEEDLE);
  given("Regex", `(?i)${NEEDLE.slice(0, 5)}[a-z]+ry`);
  given("Regex", `${NEEDLE}|zzyzzx|wxyzzy`);
  given("Regex", "^b.*xotr.*[a-e]$");
  const middle = built.segment.index(DICTIONARY_INDEX, "text")?.value(COUNT >> 1) ?? "";
  given("Glob", `*${middle.slice(20, 34)}*`);
  given("Fuzzy", `${middle.slice(20, 27)}${middle.slice(28, 34)}`, edits(1));
  given("Regex", VOCABULARY[15_000]);
  given("Regex", VOCABULARY[3]);
  given("Regex", "q[uw]i");
  given("Fuzzy", "quixoty", edits(1));
  given("Fuzzy", "quixxotry", edits(1));
  given("Fuzzy", "quixotri", { ...edits(1), case_sensitive: false });
  given("Fuzzy", "quixxotryy", edits(2));
  given("Regex", "x.*q.*z");
}
