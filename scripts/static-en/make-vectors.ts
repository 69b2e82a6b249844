import { seededRandom } from "../../src/base/random.ts";
import type { MeaningVectors } from "../../src/embed/static/meaning-vectors.ts";
import { mutualInformation } from "./co-occurrence.ts";
import { greatestEigenvectors } from "./eigenvectors.ts";
import { quantize } from "./quantize.ts";
import { retrofit, withoutCommon } from "./stem-vectors.ts";
import type { TrainingBags } from "./training-bags.ts";

/** Dimensions of a stem's vector. */
const DIMENSIONS = 128;
/** Stems that are seen less often are left out: of most there is too little to learn from. */
const FREQUENCY_MIN = 3;
/** Share of all stems above which one stands beside everything, and says nothing about it. */
const SHARE_MAX = 0.002;
/** The share at which a stem counts half; "a" in Arora et al. 2017; measured (ADR 43). */
const HALF_SHARE = 2e-4;
const SEED = 1;

/** Makes the table of `trawl/static-en`; the same bags give the same table. */
export function makeVectors({ bags, frequencies, relations }: TrainingBags): MeaningVectors {
  const all = [...frequencies.values()].reduce((sum, frequency) => sum + frequency, 0);
  const stems = [...frequencies.keys()].filter((s) => (frequencies.get(s) ?? 0) >= FREQUENCY_MIN);
  stems.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const places = new Map(stems.map((stem, place) => [stem, place]));
  const share = (stem: string) => (frequencies.get(stem) ?? 0) / all;
  const telling = stems.filter((stem) => share(stem) <= SHARE_MAX);
  const rowOf = new Map(telling.map((stem, row) => [stem, row]));
  const matrix = mutualInformation(bags, rowOf);
  const raw = greatestEigenvectors(matrix, DIMENSIONS, seededRandom(SEED));
  const drawn = retrofit({ dimensions: DIMENSIONS, rows: raw }, relations, rowOf);
  const weight = (stem: string) => HALF_SHARE / (HALF_SHARE + share(stem));
  const common = Float64Array.from(telling, (s) => weight(s) * Math.sqrt(frequencies.get(s) ?? 0));
  const { rows } = withoutCommon(drawn, common);
  const placed = new Float32Array(stems.length * DIMENSIONS);
  telling.forEach((stem, row) => {
    const start = (places.get(stem) ?? 0) * DIMENSIONS;
    placed.set(rows.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS), start);
  });
  const weights = Float32Array.from(stems, weight);
  return { dimensions: DIMENSIONS, places, weights, ...quantize(placed) };
}
