/**
 * XXH64 with the seed 0 (xxHash's specification, version 0.2), the checksum of zstd's frames.
 * Halves of 32 bits do for each byte what 64 bits would; only the end is computed with `bigint`,
 * which is slow.
 */

const PRIME_1 = 0x9e3779b185ebca87n;
const PRIME_2 = 0xc2b2ae3d27d4eb4fn;
const PRIME_3 = 0x165667b19e3779f9n;
const PRIME_4 = 0x85ebca77c2b2ae63n;
const PRIME_5 = 0x27d4eb2f165667c5n;
/** Bytes of four lanes, which are taken in at once. */
const STRIPE_BYTES = 32;
const LANES = 4;

const low = (value: bigint) => Number(value & 0xffffffffn);
const high = (value: bigint) => Number((value >> 32n) & 0xffffffffn);
const [PRIME_1_LOW, PRIME_1_HIGH] = [low(PRIME_1), high(PRIME_1)];
const [PRIME_2_LOW, PRIME_2_HIGH] = [low(PRIME_2), high(PRIME_2)];

/** See the file's head. */
export class Xxh64 {
  /** Low and high half of each lane. */
  readonly #lanes = new Uint32Array(2 * LANES);
  readonly #held = new Uint8Array(STRIPE_BYTES);
  #heldBytes = 0;
  #bytes = 0n;

  constructor() {
    [PRIME_1 + PRIME_2, PRIME_2, 0n, -PRIME_1].forEach((start, lane) => {
      this.#lanes[2 * lane] = low(start);
      this.#lanes[2 * lane + 1] = high(start);
    });
  }

  /** Takes in more of the text. */
  update(bytes: Uint8Array): void {
    this.#bytes += BigInt(bytes.length);
    let at = 0;
    if (this.#heldBytes > 0) {
      at = Math.min(bytes.length, STRIPE_BYTES - this.#heldBytes);
      this.#held.set(bytes.subarray(0, at), this.#heldBytes);
      this.#heldBytes += at;
      if (this.#heldBytes < STRIPE_BYTES) return;
      this.#takeStripes(this.#held, 0, STRIPE_BYTES);
      this.#heldBytes = 0;
    }
    const end = at + Math.floor((bytes.length - at) / STRIPE_BYTES) * STRIPE_BYTES;
    this.#takeStripes(bytes, at, end);
    this.#held.set(bytes.subarray(end));
    this.#heldBytes = bytes.length - end;
  }

  /** The sum of what was taken in. */
  digest(): bigint {
    const lanes = Array.from(
      { length: LANES },
      (_, i) => (BigInt(this.#lanes[2 * i + 1]) << 32n) | BigInt(this.#lanes[2 * i]),
    );
    let sum = PRIME_5;
    if (this.#bytes >= BigInt(STRIPE_BYTES)) {
      sum = lanes.reduce((all, lane, i) => all + rotated(lane, [1n, 7n, 12n, 18n][i]), 0n);
      for (const lane of lanes) sum = (sum ^ mixed(0n, lane)) * PRIME_1 + PRIME_4;
    }
    return avalanche(this.#withRest(cut(sum + this.#bytes)));
  }

  #withRest(start: bigint): bigint {
    const rest = new DataView(this.#held.buffer, 0, this.#heldBytes);
    let sum = start;
    let at = 0;
    for (; at + 8 <= rest.byteLength; at += 8) {
      sum = rotated(sum ^ mixed(0n, rest.getBigUint64(at, true)), 27n) * PRIME_1 + PRIME_4;
    }
    if (at + 4 <= rest.byteLength) {
      sum ^= cut(BigInt(rest.getUint32(at, true)) * PRIME_1);
      sum = rotated(cut(sum), 23n) * PRIME_2 + PRIME_3;
      at += 4;
    }
    for (; at < rest.byteLength; at++) {
      sum = rotated(cut(sum) ^ cut(BigInt(rest.getUint8(at)) * PRIME_5), 11n) * PRIME_1;
    }
    return cut(sum);
  }

  /** Each lane: `lane = rotate(lane + word × PRIME_2, 31) × PRIME_1`. */
  #takeStripes(bytes: Uint8Array, start: number, end: number): void {
    const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const lanes = this.#lanes;
    for (let at = start; at < end; at += STRIPE_BYTES) {
      for (let lane = 0; lane < LANES; lane++) {
        const wordLow = words.getUint32(at + 8 * lane, true);
        const wordHigh = words.getUint32(at + 8 * lane + 4, true);
        const sumLow = lanes[2 * lane] + (Math.imul(wordLow, PRIME_2_LOW) >>> 0);
        const carry = sumLow > 0xffffffff ? 1 : 0;
        const sumHigh =
          lanes[2 * lane + 1] +
          (timesHigh(wordLow, PRIME_2_LOW) +
            Math.imul(wordHigh, PRIME_2_LOW) +
            Math.imul(wordLow, PRIME_2_HIGH)) +
          carry;
        const turnedLow = ((sumLow << 31) | ((sumHigh >>> 1) & 0x7fffffff)) >>> 0;
        const turnedHigh = ((sumHigh << 31) | ((sumLow >>> 1) & 0x7fffffff)) >>> 0;
        lanes[2 * lane] = Math.imul(turnedLow, PRIME_1_LOW);
        lanes[2 * lane + 1] =
          timesHigh(turnedLow, PRIME_1_LOW) +
          Math.imul(turnedHigh, PRIME_1_LOW) +
          Math.imul(turnedLow, PRIME_1_HIGH);
      }
    }
  }
}

/** The high half of the product of two numbers of 32 bits. */
function timesHigh(a: number, b: number): number {
  const [aLow, aHigh, bLow, bHigh] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const other = aLow * bHigh + (middle & 0xffff);
  return aHigh * bHigh + Math.floor(middle / 0x10000) + Math.floor(other / 0x10000);
}

function cut(value: bigint): bigint {
  return BigInt.asUintN(64, value);
}

function rotated(value: bigint, bits: bigint): bigint {
  const whole = cut(value);
  return cut((whole << bits) | (whole >> (64n - bits)));
}

function mixed(lane: bigint, word: bigint): bigint {
  return cut(rotated(lane + word * PRIME_2, 31n) * PRIME_1);
}

function avalanche(sum: bigint): bigint {
  let mix = cut((sum ^ (sum >> 33n)) * PRIME_2);
  mix = cut((mix ^ (mix >> 29n)) * PRIME_3);
  return mix ^ (mix >> 32n);
}
