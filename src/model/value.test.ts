import { expect, test } from "vitest";
import { type Random, seededRandom } from "../base/random.ts";
import { compareStrings } from "./value.ts";

const SEED = 48_201;
/** First code points of what UTF-16 or UTF-8 has in other ways than what is before it. */
const EDGES = [0, 0x80, 0x800, 0xac00, 0xc000, 0xd000, 0xe000, 0xff00, 0x1_0000, 0x1_f600];

function character(random: Random): string {
  const point = EDGES[random.below(EDGES.length)] + random.below(256);
  return String.fromCodePoint(point);
}

test("strings are in the order of their UTF-8 bytes", () => {
  const random = seededRandom(SEED);
  const text = () => Array.from({ length: random.below(4) }, () => character(random)).join("");
  for (let i = 0; i < 100_000; i++) {
    const [a, b] = [text(), text()];
    const expected = Buffer.compare(Buffer.from(a), Buffer.from(b));
    if (Math.sign(compareStrings(a, b)) === expected) continue;
    expect.fail(`seed ${SEED}: ${a} and ${b} are out of order`);
  }
});
