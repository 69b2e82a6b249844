import { isDatabaseError } from "../../../src/base/errors.ts";
import type { Random } from "../../../src/base/random.ts";

/**
 * Damages bytes in one of the ways of real storage: flipped bits, torn, lengthened, zeroed,
 * foreign.
 */
export function damagedBytes(whole: Uint8Array, random: Random): Uint8Array {
  const copy = Uint8Array.from(whole);
  const at = random.below(copy.length);
  switch (random.below(6)) {
    case 0:
      copy[at] ^= 1 << random.below(8);
      return copy;
    case 1:
      return copy.subarray(0, at);
    case 2:
      return Buffer.concat([copy, random.bytes(1 + random.below(40))]);
    case 3:
      return copy.fill(0, at);
    case 4:
      copy.set(random.bytes(Math.min(8, copy.length - at)), at);
      return copy;
    default:
      return random.bytes(random.below(200));
  }
}

/**
 * What became of a read: its value, or the code of its operating error; any other throw goes on.
 */
export async function readOutcome<T>(
  read: () => T | Promise<T>,
): Promise<{ value: T } | { code: string }> {
  try {
    return { value: await read() };
  } catch (error) {
    if (isDatabaseError(error)) return { code: error.code };
    throw error;
  }
}
