/**
 * Time to cluster vectors on one thread, training and assigning all of them, and to write their
 * codes; and how the sizes come out. Vectors are random around 1,000 centres. Run: `npm run build
 * && node bench/clusters.bench.ts [vectors] [dimensions]`. CPU time counts, since other programs on
 * the machine only ever add to the other.
 */

import { seededRandom } from "../src/base/random.ts";
import { runSteps } from "../src/base/steps.ts";
import { Arenas } from "../src/kernel/arena.ts";
import { ArenaKernels } from "../src/kernel/arena-kernels.ts";
import { compileKernel } from "../src/kernel/load-kernel.ts";
import { arenaSegmentMemory } from "../src/segment/format/arena-segment-memory.ts";
import { ClusterCodes } from "../src/vector/cluster-codes.ts";
import { clusterRows } from "../src/vector/cluster-rows.ts";
import { inverseNorm } from "../src/vector/metric.ts";

const GIB = 1024 ** 3;
const CENTRES = 1000;
const METRIC = "cosine_distance" as const;
const count = Number(process.argv[2] ?? 1_000_000);
const dimensions = Number(process.argv[3] ?? 128);

const arenas = new Arenas({ totalBytes: 8 * GIB, threads: 1, arenaBytes: 2 * GIB });
const kernels = new ArenaKernels(await compileKernel("auto"), 0);
arenas.onArena((memory, arena) => kernels.attach(arena, memory));
const memory = arenaSegmentMemory(arenas);
const strideBytes = 4 * dimensions;
const { bytes } = memory.allocate(count * strideBytes);
const values = new Float32Array(bytes.buffer, bytes.byteOffset, count * dimensions);
const random = seededRandom(1);
/** Nearly normal, with a variance of 1/3. */
const normal = () => random.next() + random.next() + random.next() + random.next() - 2;
const centres = Float32Array.from({ length: CENTRES * dimensions }, normal);
const inverseNorms = new Float32Array(count);
for (let row = 0; row < count; row++) {
  const centre = random.below(CENTRES) * dimensions;
  let squares = 0;
  for (let d = 0; d < dimensions; d++) {
    const value = centres[centre + d] + 0.4 * normal();
    values[row * dimensions + d] = value;
    squares += value * value;
  }
  inverseNorms[row] = inverseNorm(squares);
}
const rows = Uint32Array.from({ length: count }, (_, row) => row);
const vectors = { bytes, strideBytes, format: "f32", dimensions, inverseNorms } as const;

function measure(what: string, known: Float32Array | undefined, some: Uint32Array): Float32Array {
  const before = cpuSeconds();
  const choice = { metric: METRIC, known };
  const clusters = clusterRows(vectors, some, choice, { kernels, memory });
  const clustered = cpuSeconds();
  const codes = new ClusterCodes({ vectors, metric: METRIC, clusters }, { kernels, memory });
  runSteps(codes.writeTo(new Uint8Array(codes.bytes)));
  const { starts, centroids } = clusters;
  const sizes = Array.from(starts.subarray(1), (end, i) => end - starts[i]);
  sizes.sort((a, b) => a - b);
  const middle = sizes[sizes.length >> 1];
  console.log(
    `${what}: ${(clustered - before).toFixed(1)} s of CPU, codes ` +
      `${(cpuSeconds() - clustered).toFixed(1)} s, ${sizes.length} clusters of ` +
      `${sizes[0]} to ${sizes.at(-1)} rows, median ${middle}`,
  );
  return centroids;
}

function cpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

console.log(`${count} vectors of ${dimensions} dimensions`);
measure("all, anew", undefined, rows);
const known = measure("half of them, anew", undefined, rows.subarray(0, count / 2));
measure("all, with the half's centroids", known, rows);
