/**
 * Late interaction in one thread, approximate and exact: recall of the ten nearest documents, what
 * was looked at, and milliseconds. Documents have some 32 vectors, each a word in one of the
 * document's topics; queries are documents of their own, or words of one. Run: `npm run build &&
 * node bench/late-interaction.bench.ts [documents] [dimensions] [metric] [segments] [query vectors]
 * [settings as JSON]`.
 */

import { seededRandom } from "../src/base/random.ts";
import { buildDocuments } from "../src/codec/columns-builder.ts";
import type { Filter } from "../src/model/filter.ts";
import type { DistanceMetric } from "../src/model/schema.ts";
import { runRequest } from "../src/query/executor/run-request.ts";
import { LATE_PROBING } from "../src/query/operator/query-options.ts";
import type { OpenSegment } from "../src/segment/segment-reader.ts";
import { planClustered } from "../src/segment/segment-reorder.ts";
import { filterOf } from "../test/support/queries/filter-notation.ts";
import {
  documentOf,
  documentQuery,
  requestOf,
  schemaOf,
} from "../test/support/queries/query-fixture.ts";
import { planSegment } from "../test/support/segments/plan-segment.ts";
import { runReads } from "../test/support/segments/remote-segment.ts";
import { openBenchSpace, snapshotOf, writeSegment } from "./bench-segments.ts";
import { LateTokens } from "./late-tokens.ts";

const QUERIES = 8;

const count = Number(process.argv[2] ?? 20_000);
const dimensions = Number(process.argv[3] ?? 128);
const metric = (process.argv[4] ?? "cosine_distance") as DistanceMetric;
const segmentCount = Number(process.argv[5] ?? 1);
const queryVectors = Number(process.argv[6] ?? 32);
const lateProbing = { ...LATE_PROBING, ...JSON.parse(process.argv[7] ?? "{}") };

const space = await openBenchSpace();
const { kernels, memory } = space;
const random = seededRandom(1);
const drawn = new LateTokens(dimensions, 2);

const schema = schemaOf(
  {
    tokens: {
      type: `[][${dimensions}]f32`,
      ann: { distanceMetric: metric, lateInteraction: true },
    },
    share: "int",
  },
  { distanceMetric: metric },
);
const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));

let buildMs = 0;
let plainBytes = 0;
let indexBytes = 0;
let vectorCount = 0;
const documents: Float32Array[][] = [];

function nextSegment(part: number): OpenSegment {
  const rows = Array.from({ length: Math.ceil(count / segmentCount) }, (_, i) => {
    const tokens = drawn.nextDocument();
    vectorCount += tokens.length;
    if (i % 100 === 0) documents.push(tokens);
    return documentOf(BigInt(part * count + i), { tokens, share: BigInt(random.below(100)) });
  });
  const view = writeSegment(
    memory,
    planSegment(buildDocuments("uint", types, rows), schema),
    `${part}`,
  );
  const start = performance.now();
  const plan = planClustered(view, schema, new Map(), { kernels: space, rowsMin: 1 });
  if (plan === undefined) throw new Error("no clusters");
  const clustered = writeSegment(memory, plan, `${part}`);
  buildMs += performance.now() - start;
  plainBytes += view.bytes;
  indexBytes += clustered.bytes - view.bytes;
  const place = { ...view.place, bytes: view.bytes };
  memory.free(place);
  return clustered;
}

const segments = Array.from({ length: segmentCount }, (_, part) => nextSegment(part));
const snapshot = snapshotOf(schema, segments);
const each = (value: number) => (value / vectorCount).toFixed(1);
console.log(
  `${count} documents, ${vectorCount} vectors of ${dimensions} dimensions, ${metric}, in`,
  `${segmentCount} segments: built in ${(buildMs / 1000).toFixed(1)} s, ${each(plainBytes)} bytes`,
  `for each vector without the index, ${each(indexBytes)} of the index`,
);

/** Words of a document that is there, as a query would say them; or of none. */
function nextQuery(i: number): Float32Array[] {
  if (i % 2 === 0) return drawn.nextDocument(queryVectors);
  return drawn.nextQuery(documents[random.below(documents.length)], queryVectors);
}

function search(values: Float32Array[], method: "ANN" | "kNN", filter: Filter | undefined) {
  const operand = { kind: "vectors", values } as const;
  const rankBy = { kind: "vector", method, attribute: "tokens", operand } as const;
  const request = requestOf(documentQuery(rankBy, { limit: 10, filter }));
  const start = performance.now();
  const { results, stats } = runReads(runRequest(snapshot, request, { kernels, lateProbing }));
  const ms = performance.now() - start;
  if (results[0].kind !== "documents") throw new Error("no documents");
  return { ids: results[0].documents.map(({ id }) => id), stats, ms };
}

const queries = Array.from({ length: QUERIES }, (_, i) => nextQuery(i));
const median = (numbers: number[]) => numbers.sort((a, b) => a - b)[numbers.length >> 1];
for (const percent of [100, 50, 10, 1]) {
  const filter = percent === 100 ? undefined : filterOf(["share", "Lt", percent]);
  let [found, wanted, codes, clusters, candidates] = [0, 0, 0, 0, 0];
  const times = { ann: [] as number[], knn: [] as number[] };
  search(queries[0], "ANN", filter);
  for (const values of queries) {
    const ann = search(values, "ANN", filter);
    const knn = search(values, "kNN", filter);
    found += knn.ids.filter((id) => ann.ids.includes(id)).length;
    wanted += knn.ids.length;
    codes += ann.stats.codesScanned / QUERIES;
    clusters += ann.stats.clustersProbed / QUERIES;
    candidates += ann.stats.candidatesReranked / QUERIES;
    times.ann.push(ann.ms);
    times.knn.push(knn.ms);
  }
  console.log(
    `${percent} % match: recall@10 ${(found / wanted).toFixed(3)}, codes ${codes.toFixed(0)} in`,
    `${clusters.toFixed(0)} clusters, ${candidates.toFixed(0)} candidates;`,
    `ANN ${median(times.ann).toFixed(1)} ms, kNN ${median(times.knn).toFixed(1)} ms`,
  );
}
