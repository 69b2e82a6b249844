/**
 * Where random tests get their seeds. A run of `npm test` draws the same every time; TRAWL_SEED
 * chooses another run, and heavy runs choose one by chance (scripts/test/run-suite.ts).
 */

import { onTestFailed } from "vitest";
import { type Random, seededRandom } from "../../../src/base/random.ts";

/** What is drawn from unless TRAWL_SEED says otherwise; no number is better than another. */
const USUAL_SEED = 20_260_101;

/** Tests of the console are checked without Node's types, which browsers have nothing of. */
const MACHINE = globalThis as {
  readonly process?: { readonly env: Readonly<Record<string, string | undefined>> };
};

/** The seed of the test that runs, an integer of 32 bits; it is printed if the test fails. */
export function testSeed(): number {
  const given = MACHINE.process?.env.TRAWL_SEED;
  const seed = given === undefined ? USUAL_SEED : Number(given);
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 32) {
    throw new Error(`TRAWL_SEED is ${given}, but seeds are integers from 0 to ${2 ** 32 - 1}`);
  }
  onTestFailed(() => console.error(`this test drew from TRAWL_SEED=${seed}`));
  return seed;
}

/** A generator of the test that runs, from `testSeed`. */
export function testRandom(): Random {
  return seededRandom(testSeed());
}
