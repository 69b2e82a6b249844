/** Randomness comes in through this interface so that a run can be repeated from its seed. */
export interface Random {
  /** Uniform in [0, 1). */
  next(): number;
  /** Uniform integer in [0, bound). */
  below(bound: number): number;
  /** `count` random bytes. */
  bytes(count: number): Uint8Array;
}

/** A seeded generator (mulberry32; 32 bits of state, for tests and sampling, not for secrets). */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (bound: number) => Math.floor(next() * bound);
  const bytes = (count: number) => {
    const drawn = new Uint8Array(count);
    for (let i = 0; i < count; i++) drawn[i] = below(256);
    return drawn;
  };
  return { next, below, bytes };
}

/** Random bytes fetched at once: a call to the machine costs as much as a small request's parsing. */
const POOL_BYTES = 4096;

/** The machine's generator, fit for names and secrets. */
export const systemRandom: Random = {
  next: () => Math.random(),
  below: (bound) => Math.floor(Math.random() * bound),
  bytes: pooledBytes(),
};

/** Hands out each byte of a pool once. */
function pooledBytes(): (count: number) => Uint8Array {
  let pool = new Uint8Array(0);
  return (count) => {
    if (count > POOL_BYTES) return crypto.getRandomValues(new Uint8Array(count));
    if (count > pool.length) pool = crypto.getRandomValues(new Uint8Array(POOL_BYTES));
    const bytes = pool.slice(0, count);
    pool = pool.subarray(count);
    return bytes;
  };
}
