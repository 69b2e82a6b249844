/** What Trawl and other engines are measured on side by side; the same in every process. */

import { type Random, seededRandom } from "../src/base/random.ts";

/** Documents with a vector. */
const VECTORS = 100_000;
/** Elements of each. */
export const DIMENSIONS = 768;
/** Documents with a text. */
const TEXTS = 200_000;
/** Tags are 0 to 99, each on a hundredth of the vectors' documents. */
const TAGS = 100;
/** Queries of each kind. */
const QUERIES = 400;

/** Directions that vectors lie in, as those of embeddings do in far fewer than their dimensions. */
const LATENT = 32;
const CENTRES = 500;
const WORDS = 100_000;
const TEXT_WORDS = 48;
/** No query asks for the words that are in a large part of all texts. */
const RAREST_FREQUENT_WORD = 50;
/** How many words queries have, in turns. */
const QUERY_WORDS: readonly number[] = [1, 2, 3, 5];

/** Vectors of length 1 around centres. */
export function vectorDocuments(): Float32Array[] {
  const random = seededRandom(11);
  const { directions, centres } = drawSpace(random);
  return Array.from({ length: VECTORS }, () =>
    vectorNear(centres[random.below(CENTRES)], directions, random),
  );
}

/** Drawn as documents are, and none of them. */
export function vectorQueries(): Float32Array[] {
  const { directions, centres } = drawSpace(seededRandom(11));
  const random = seededRandom(13);
  return Array.from({ length: QUERIES }, () =>
    vectorNear(centres[random.below(CENTRES)], directions, random),
  );
}

function drawSpace(random: Random) {
  const directions = Array.from({ length: LATENT }, () => normal(random, DIMENSIONS));
  const centres = Array.from({ length: CENTRES }, () => normal(random, LATENT));
  return { directions, centres };
}

/** The tag of a vector's document. */
export function tagOf(id: number): number {
  return (id * 7919) % TAGS;
}

/** Texts of words, the frequency of which falls as 1 / rank. */
export function textDocuments(): string[] {
  const random = seededRandom(12);
  return Array.from({ length: TEXTS }, () => drawText(random, TEXT_WORDS, 1));
}

/** One to five of such words. */
export function textQueries(): string[] {
  const random = seededRandom(14);
  return Array.from({ length: QUERIES }, (_, i) =>
    drawText(random, QUERY_WORDS[i % QUERY_WORDS.length], RAREST_FREQUENT_WORD),
  );
}

/** Words from rank `first` on. */
function drawText(random: Random, words: number, first: number): string {
  const rank = () => Math.floor(first * (WORDS / first) ** random.next());
  return Array.from({ length: words }, () => `w${rank().toString(36)}`).join(" ");
}

function vectorNear(
  centre: Float32Array,
  directions: readonly Float32Array[],
  random: Random,
): Float32Array {
  const vector = normal(random, DIMENSIONS).map((element) => 0.5 * element);
  const place = normal(random, LATENT);
  for (let i = 0; i < LATENT; i++) {
    const share = centre[i] + 0.6 * place[i];
    for (let d = 0; d < DIMENSIONS; d++) vector[d] += share * directions[i][d];
  }
  const length = Math.sqrt(vector.reduce((sum, element) => sum + element * element, 0));
  return vector.map((element) => element / length);
}

/** Nearly normal elements. */
function normal({ next }: Random, count: number): Float32Array {
  return Float32Array.from({ length: count }, () => next() + next() + next() - 1.5);
}
