import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { FloatSum, IntegerSum } from "../documents/exact-sum.ts";
import { FloatPlaces, IntegerPlaces } from "./place-sums.ts";

const PLACES = 3;
const BATCH = 4096;

/** Places and values of so many ordinals in batches, as sums of places and of groups add them. */
function batches(count: number, add: (places: Uint32Array, ordinals: Uint32Array) => void): void {
  const random = seededRandom(11);
  for (let batch = 0; batch < count; batch++) {
    const ordinals = Uint32Array.from({ length: BATCH }, (_, i) => i);
    add(
      ordinals.map(() => random.below(PLACES)),
      ordinals,
    );
  }
}

test.each([true, false])("sums of the greatest integers stay exact (signed: %s)", (isSigned) => {
  const values = BigUint64Array.from({ length: BATCH }, (_, i) => {
    return [2n ** 64n - 1n, 2n ** 63n, 2n ** 63n - 1n, 2n ** 32n, 5n][i % 5] - BigInt(i % 3);
  });
  const words = new Uint32Array(values.buffer);
  const places = new IntegerPlaces(PLACES);
  const exact = Array.from({ length: PLACES }, () => 0n);
  const read = isSigned ? new BigInt64Array(values.buffer) : values;
  // Three times as many as are added between two carries.
  batches(3 * 2 ** 8, (at, ordinals) => {
    places.add(at, ordinals, { words, isSigned, present: undefined });
    at.forEach((place, i) => {
      exact[place] += read[ordinals[i]];
    });
  });
  exact.forEach((sum, place) => {
    const group = new IntegerSum();
    group.absorb(7n);
    places.addTo(group, place);
    expect(group.value()).toBe(sum + 7n);
  });
});

test("sums of floats are rounded once, also where two floats do not hold them", () => {
  const random = seededRandom(12);
  for (let round = 0; round < 50; round++) {
    const values = Float64Array.from({ length: BATCH }, () => {
      const isFar = round % 2 === 0 && random.below(4) === 0;
      return (random.next() - 0.5) * 2 ** (isFar ? random.below(1600) - 800 : 3);
    });
    if (round === 2) values[5] = Number.MAX_VALUE;
    const places = new FloatPlaces(PLACES);
    const sums = Array.from({ length: PLACES }, () => new FloatSum());
    batches(2, (at, ordinals) => {
      places.add(at, ordinals, { values, present: undefined });
      at.forEach((place, i) => {
        sums[place].add(values[ordinals[i]]);
      });
    });
    sums.forEach((sum, place) => {
      const group = new FloatSum();
      places.addTo(group, place);
      expect(group.value(), `round ${round}`).toBe(sum.value());
    });
  }
});
