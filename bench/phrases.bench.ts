/**
 * What phrase filters cost in one thread with positions and without them, over one segment of texts
 * of 44 words by Zipf's law; and what positions cost: bytes, time to build, to merge and to check.
 *
 * Run: `node bench/phrases.bench.ts [documents]`; medians, both in turns in one process.
 */

import type { SegmentId } from "../src/base/ids.ts";
import { seededRandom } from "../src/base/random.ts";
import { runSteps } from "../src/base/steps.ts";
import { fullBitmap } from "../src/codec/bitmap.ts";
import { buildDocuments } from "../src/codec/columns-builder.ts";
import { runRequest } from "../src/query/executor/run-request.ts";
import type { SegmentPlan } from "../src/segment/format/segment-layout.ts";
import { planMerge } from "../src/segment/segment-merger.ts";
import { type OpenSegment, openSegment } from "../src/segment/segment-reader.ts";
import { sealSegment, verifySegment } from "../src/segment/segment-seal.ts";
import { TEXT_POSITIONS } from "../src/segment/text/text-kinds.ts";
import type { AttributeIndex } from "../src/segment/view/attribute-index.ts";
import { filterOf } from "../test/support/queries/filter-notation.ts";
import {
  BY_ID,
  documentOf,
  documentQuery,
  fullText,
  KERNELS,
  requestOf,
  schemaOf,
} from "../test/support/queries/query-fixture.ts";
import { planSegment } from "../test/support/segments/plan-segment.ts";
import { positionIndexes } from "../test/support/segments/position-indexes.ts";
import { runReads } from "../test/support/segments/remote-segment.ts";
import { snapshotOf } from "./bench-segments.ts";
import { ZipfRanks } from "./zipf-ranks.ts";

const COUNT = Number(process.argv[2] ?? 500_000);
const WORDS = 100_000;
const TEXT_WORDS = 44;
/** Documents of a segment that a server makes of one write. */
const BATCH = 5000;
const ROUNDS = 11;
/** Ranks of the words of phrases: frequent ones, middling ones, rare ones, and both together. */
const PHRASES = [
  [0, 1],
  [3, 7],
  [20, 30],
  [100, 150],
  [400, 700],
  [0, 3000],
  [0, 1, 2],
  [3, 3],
];

const schema = schemaOf({
  text: { type: "string", filterable: false, fullTextSearch: fullText() },
});
const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
const ranks = new ZipfRanks(seededRandom(1), WORDS);
/** As long as words are, and the shorter the more frequent. */
const wordOf = (rank: number): string => {
  return `${"etaoinsr"[rank % 8]}${"aeiou"[rank % 5]}${(rank + 30).toString(26)}`;
};
const texts = Array.from({ length: COUNT }, () =>
  Array.from({ length: TEXT_WORDS }, () => wordOf(ranks.next())).join(" "),
);
const textBytes = texts.reduce((sum, text) => sum + text.length, 0);
const columnsOf = (start: number, end: number) => {
  const documents = texts
    .slice(start, end)
    .map((text, i) => documentOf(BigInt(start + i), { text }));
  return buildDocuments("uint", types, documents);
};

const FORMS = [
  { name: "stored texts", indexes: positionIndexes(Number.POSITIVE_INFINITY) },
  { name: "positions", indexes: positionIndexes(1) },
] as const;

function write(plan: SegmentPlan): OpenSegment {
  const bytes = new Uint8Array(plan.bytes);
  runSteps(plan.writeTo(bytes));
  return openSegment("s" as SegmentId, bytes, { arena: 0, offset: 0 });
}

/** Milliseconds of this thread alone, so that a busy machine changes little; of long tasks. */
function cpuMs(run: () => void): number {
  const before = process.threadCpuUsage();
  run();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1000;
}

function wallMs(run: () => void): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
}

type Task = (indexes: readonly AttributeIndex[], form: number) => void;

/** Runs a task of both forms in turns; prints the medians in milliseconds. */
function compare(what: string, task: Task, msOf = cpuMs): void {
  const times: number[][] = FORMS.map(() => []);
  for (let round = 0; round < ROUNDS; round++) {
    FORMS.forEach(({ indexes }, f) => {
      times[f].push(msOf(() => task(indexes, f)));
    });
  }
  const [before, after] = times.map(median);
  const change = (100 * (after / before - 1)).toFixed(1);
  console.log(`${what}: ${before.toFixed(3)} → ${after.toFixed(3)} ms, ${change} %`);
}

const batches = Array.from({ length: Math.ceil(COUNT / BATCH) }, (_, i) =>
  columnsOf(i * BATCH, Math.min(COUNT, (i + 1) * BATCH)),
);
const few = batches.slice(0, 20);
compare(`${few.length} segments of ${BATCH} built`, (indexes) => {
  for (const batch of few) write(planSegment(batch, schema, indexes));
});
const singles = Array.from({ length: 3000 }, (_, i) => columnsOf(i, i + 1));
compare(`${singles.length} segments of one document built`, (indexes) => {
  for (const single of singles) write(planSegment(single, schema, indexes));
});

const parts = FORMS.map(({ indexes }) =>
  few.map((batch) => write(planSegment(batch, schema, indexes))),
);
const mergeOf = (views: readonly OpenSegment[], indexes: readonly AttributeIndex[]) => {
  const inputs = views.map((view) => ({ view, liveBitmap: fullBitmap(view.documentCount) }));
  return write(runSteps(planMerge(inputs, schema, indexes)));
};
compare(`${few.length} segments of ${BATCH} merged`, (indexes, f) => {
  mergeOf(parts[f], indexes);
});
compare(`the same, of those without positions`, (indexes) => {
  mergeOf(parts[0], indexes);
});
const ones = FORMS.map(({ indexes }) =>
  singles.slice(0, 8).map((single) => write(planSegment(single, schema, indexes))),
);
compare("1,000 merges of 8 segments of one document", (indexes, f) => {
  for (let i = 0; i < 1000; i++) mergeOf(ones[f], indexes);
});

const wholes = FORMS.map(({ indexes }) => {
  const views = batches.map((batch) => write(planSegment(batch, schema, indexes)));
  return mergeOf(views, indexes);
});
const bytesOf = (view: OpenSegment, kinds: readonly number[]): number => {
  const { entries } = view.sections("text");
  return entries.reduce((sum, { kind, bytes }) => sum + (kinds.includes(kind) ? bytes : 0), 0);
};
const [starts, runs] = [TEXT_POSITIONS.starts, TEXT_POSITIONS.runs].map(
  (kind) => bytesOf(wholes[1], [kind]) / textBytes,
);
console.log(
  `${COUNT} documents, ${textBytes} bytes of text; positions take ${runs.toFixed(3)} of them, ` +
    `where they begin ${starts.toFixed(3)}`,
);
const sealed = wholes.map(sealSegment);
compare("the whole checked", (_, f) => {
  verifySegment(sealed[f]);
});

const snapshots = wholes.map((view) => snapshotOf(schema, [view]));
for (const phrase of PHRASES) {
  const words = phrase.map(wordOf).join(" ");
  const filter = filterOf(["text", "ContainsTokenSequence", words]);
  const request = requestOf(documentQuery(BY_ID, { filter, limit: 1 }));
  const works = snapshots.map((snapshot) =>
    runReads(runRequest(snapshot, request, { kernels: KERNELS })),
  );
  const [{ stats }, { stats: after }] = works;
  compare(
    `words ${phrase.join(" ")}: ${stats.textsAnalyzed} candidates, ` +
      `${after.positionsRead} positions read`,
    (_, f) => {
      runReads(runRequest(snapshots[f], request, { kernels: KERNELS }));
    },
    wallMs,
  );
}
