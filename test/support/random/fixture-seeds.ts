/** What simulated processes draw from: seeds that depend on nothing but the test file. */

/** Where the seeds of each test file begin. */
const FIRST_SEED = 0x7261;

let next = FIRST_SEED;

/** The seed of one more process. No two of a test file draw the same nonces. */
export function fixtureSeed(): number {
  return next++;
}

/** Begins a test file: it has the same seeds whatever ran before it in this process. */
export function restartFixtureSeeds(): void {
  next = FIRST_SEED;
}
