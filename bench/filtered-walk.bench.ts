/**
 * ANN searches with filters in one thread, by how many documents match: those around the query,
 * others in groups, or some anywhere, the same for all queries or others for each. Plans take turns
 * in one process: the server's, byte codes of all matches, and walks through clusters alone. Run:
 * `npm run build && node bench/filtered-walk.bench.ts [latent or apart] [vectors] [dimensions]
 * [segments] [matches…]`.
 *
 * Prints the middle of 60 queries, of each the least time of all rounds, in ms; their mean work,
 * and recall against an exact search.
 */

import { seededRandom } from "../src/base/random.ts";
import { buildDocuments } from "../src/codec/columns-builder.ts";
import { runRequest } from "../src/query/executor/run-request.ts";
import { PROBING, type Probing } from "../src/query/operator/query-options.ts";
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
import { normal, openBenchSpace, snapshotOf, writeSegment } from "./bench-segments.ts";
import { ClusteredVectors, centresOf } from "./scale/clustered-vectors.ts";

const QUERIES = 60;
const ROUNDS = 5;
const METRIC = "cosine_distance" as const;
const SHARES = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.005, 0.001];
/** Around the greatest number of matches of which all byte codes are looked at in any case. */
const BORDER = [PROBING.exactMatchesMax, PROBING.exactMatchesMax + 1];

const [kind = "latent", ...numbers] = process.argv.slice(2);
const [count = 100_000, dimensions = 768, segmentCount = 1, ...asked] = numbers.map(Number);
const matchCounts =
  asked.length > 0 ? asked : [...SHARES.map((share) => Math.round(share * count)), ...BORDER];

const space = await openBenchSpace();
const { kernels, memory } = space;
const centreCount = kind === "apart" ? count / 100 : centresOf(count);
const random = seededRandom(5);
const documents = drawsOf(42);
const ann = { distanceMetric: METRIC, lateInteraction: false };
const schema = schemaOf(
  { vector: { type: `[${dimensions}]f32`, ann }, place: "int", anywhere: "int" },
  { distanceMetric: METRIC },
);
const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));

/** Vectors around centres in few directions, or in all of them, where all groups are as far. */
function drawsOf(seed: number): Pick<ClusteredVectors, "next"> {
  if (kind === "latent") return new ClusteredVectors({ dimensions, centres: centreCount }, seed);
  const space = seededRandom(1);
  const centres = Float32Array.from({ length: centreCount * dimensions }, () => normal(space));
  const draws = seededRandom(seed);
  return {
    next: () => {
      const centre = draws.below(centreCount);
      const vector = Float32Array.from(
        { length: dimensions },
        (_, d) => centres[centre * dimensions + d] + 0.4 * normal(draws),
      );
      return { vector, centre };
    },
  };
}

/** Numbers from 0 on in any order. */
const anywhere = Uint32Array.from({ length: count }, (_, i) => i);
for (let i = count - 1; i > 0; i--) {
  const j = random.below(i + 1);
  [anywhere[i], anywhere[j]] = [anywhere[j], anywhere[i]];
}

function nextSegment(part: number): OpenSegment {
  const size = Math.ceil(count / segmentCount);
  const rows = Array.from({ length: Math.min(size, count - part * size) }, (_, i) => {
    const { vector, centre } = documents.next();
    const id = part * size + i;
    // Documents of a centre follow each other, in the order of centres.
    const place = BigInt(Math.floor(((centre + random.next()) * count) / centreCount));
    return documentOf(BigInt(id), { vector, place, anywhere: BigInt(anywhere[id]) });
  });
  const plan = planSegment(buildDocuments("uint", types, rows), schema);
  const view = writeSegment(memory, plan, `${part}`);
  const clustered = planClustered(view, schema, new Map(), { kernels: space, rowsMin: 1 });
  if (clustered === undefined) throw new Error("no clusters");
  const segment = writeSegment(memory, clustered, `${part}`);
  memory.free({ ...view.place, bytes: view.bytes });
  return segment;
}

const segments = Array.from({ length: segmentCount }, (_, part) => nextSegment(part));
const snapshot = snapshotOf(schema, segments);
const drawn = drawsOf(43);
const queries = Array.from({ length: QUERIES }, () => ({
  ...drawn.next(),
  start: random.next(),
}));
type Sought = (typeof queries)[number];

const range = (attribute: string, from: number, matches: number) => {
  const first = Math.max(0, Math.min(count - matches, Math.floor(from)));
  return filterOf([
    "And",
    [
      [attribute, "Gte", first],
      [attribute, "Lt", first + matches],
    ],
  ]);
};
/** Where documents of the query's centre lie. */
const placeOf = ({ centre }: Sought) => ((centre + 0.5) * count) / centreCount;
const FILTERS = {
  anywhere: (query: Sought, matches: number) =>
    range("anywhere", query.start * (count - matches), matches),
  "the same": (_query: Sought, matches: number) => range("anywhere", 0, matches),
  around: (query: Sought, matches: number) => range("place", placeOf(query) - matches / 2, matches),
  elsewhere: (query: Sought, matches: number) =>
    range("place", (placeOf(query) + count / 2) % count, matches),
};

const { unaskedShare: _, ...WHOLE } = PROBING;
const PLANS: Record<string, Probing> = {
  served: PROBING,
  "byte codes": { ...PROBING, exactMatchesMax: count },
  walk: { ...WHOLE, exactMatchesMax: 0 },
};

interface Turn {
  readonly ms: Float64Array;
  found: number;
  clusters: number;
  codes: number;
  vectors: number;
}

function search(query: Sought, method: "ANN" | "kNN", filter: ReturnType<typeof filterOf>) {
  const operand = { kind: "vector", values: query.vector } as const;
  const rankBy = { kind: "vector", method, attribute: "vector", operand } as const;
  return requestOf(documentQuery(rankBy, { limit: 10, filter }));
}

function run(request: ReturnType<typeof search>, probing: Probing) {
  const start = performance.now();
  const { results, stats } = runReads(runRequest(snapshot, request, { kernels, probing }));
  const ms = performance.now() - start;
  if (results[0].kind !== "documents") throw new Error("no documents");
  return { ms, stats, ids: new Set(results[0].documents.map(({ id }) => id)) };
}

console.log(`${count} vectors of ${dimensions} dimensions in ${segmentCount} segments`);
for (const [name, filterFor] of Object.entries(FILTERS)) {
  for (const matches of matchCounts) {
    const requests = queries.map((query) => {
      const filter = filterFor(query, matches);
      return { ann: search(query, "ANN", filter), knn: search(query, "kNN", filter) };
    });
    const exact = requests.map(({ knn }) => run(knn, PROBING).ids);
    const turns = new Map<string, Turn>();
    for (let round = 0; round < ROUNDS; round++) {
      for (const [plan, probing] of Object.entries(PLANS)) {
        const ms = turns.get(plan)?.ms ?? new Float64Array(QUERIES).fill(Number.POSITIVE_INFINITY);
        const turn: Turn = { ms, found: 0, clusters: 0, codes: 0, vectors: 0 };
        for (const [i, { ann }] of requests.entries()) {
          const one = run(ann, probing);
          ms[i] = Math.min(ms[i], one.ms);
          for (const id of exact[i]) if (one.ids.has(id)) turn.found++;
          turn.clusters += one.stats.clustersProbed / QUERIES;
          turn.codes += one.stats.codesScanned / QUERIES;
          turn.vectors += one.stats.vectorsScored / QUERIES;
        }
        turns.set(plan, turn);
      }
    }
    const wanted = exact.reduce((sum, ids) => sum + ids.size, 0);
    for (const [plan, { ms, found, clusters, codes, vectors }] of turns) {
      const sorted = ms.toSorted();
      const at = (share: number) => sorted[Math.floor(share * QUERIES)].toFixed(2);
      const work = [clusters, codes, vectors].map((number) => number.toFixed(0)).join(", ");
      console.log(
        `${name}, ${matches} match, ${plan}: ${at(0.5)} / ${at(0.95)} ms, recall ` +
          `${(found / wanted).toFixed(3)}; clusters, codes, vectors ${work}`,
      );
    }
  }
}
