/** Measures the speed of this machine, for bounds on processor time that hold on slower ones. */

const COPIED_BYTES = 64 * 1024 * 1024;
const ADDITIONS = 20_000_000;
/** Milliseconds of processor time that the reference work takes on the reference machine. */
const REFERENCE_MS = 72;
const RUNS = 5;

/**
 * Measures the reference work, which copies and adds, as a multiple of the time on the reference
 * machine; 1 on a faster one. Takes the least of several runs.
 */
export function slownessOfMachine(): number {
  const source = new Uint8Array(COPIED_BYTES).fill(1);
  let least = Number.POSITIVE_INFINITY;
  for (let run = 0; run < RUNS; run++) {
    const before = process.threadCpuUsage();
    let sum = source.slice()[run];
    for (let i = 0; i < ADDITIONS; i++) sum = (Math.imul(sum, 31) + i) | 0;
    const { user, system } = process.threadCpuUsage(before);
    // The sum is used, or the compiler would leave the loop out.
    least = Math.min(least, (user + system) / 1000 + (sum === 0 ? 1e-9 : 0));
  }
  return Math.max(1, least / REFERENCE_MS);
}
