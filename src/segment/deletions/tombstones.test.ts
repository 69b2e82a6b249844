import { expect, test } from "vitest";
import { damagedBytes, readOutcome } from "../../../test/support/random/damaged-bytes.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { isDatabaseError } from "../../base/errors.ts";
import type { Random } from "../../base/random.ts";
import { clearBit, fullBitmap } from "../../codec/bitmap.ts";
import { countOf, decodeTermCounts, encodeTermCounts } from "./counted-deletions.ts";
import { decodeTombstones, encodeTombstones, type Tombstones } from "./tombstones.ts";

/** Some counts by code, of which most are 0. */
function drawCounts(random: Random): Uint32Array {
  return Uint32Array.from({ length: random.below(500) }, () => {
    return random.below(3) > 0 ? 0 : random.below(2 ** random.below(33));
  });
}

function drawTombstones(random: Random, documentCount: number): Tombstones {
  const before = fullBitmap(documentCount);
  for (let i = random.below(20); i > 0; i--) clearBit(before, random.below(documentCount));
  const liveBitmap = before.slice();
  for (let i = random.below(20); i > 0; i--) clearBit(liveBitmap, random.below(documentCount));
  const names = ["text", "$3:text", "größe", ""].slice(random.below(4));
  const terms = new Map(names.map((name) => [name, encodeTermCounts(drawCounts(random))]));
  return { liveBitmap, counted: { liveBitmap: before, terms } };
}

test("counts are what was counted, those that are 0 included", () => {
  const random = testRandom();
  for (let times = 0; times < 50; times++) {
    const counts = drawCounts(random);
    const decoded = decodeTermCounts(encodeTermCounts(counts));
    for (let code = 0; code < counts.length + 3; code++) {
      expect([code, countOf(decoded, code)]).toEqual([code, counts[code] ?? 0]);
    }
  }
});

test("counts take two bytes for each term where terms are near each other and rare", () => {
  expect(encodeTermCounts(new Uint32Array(1000).fill(3))).toHaveLength(2000);
});

test.each([
  ["a term without a count", [1]],
  ["a number that does not end", [1, 0x81]],
  ["a step of 0", [1, 1, 0, 1]],
  ["a count of 0", [1, 0]],
  ["a number of more than 32 bits", [1, 0xff, 0xff, 0xff, 0xff, 0x1f]],
  ["a code of more than 32 bits", [0xff, 0xff, 0xff, 0xff, 0x0f, 1, 0xff, 1, 1]],
])("%s is damage", (_what, bytes) => {
  let code: unknown;
  try {
    decodeTermCounts(Uint8Array.from(bytes));
  } catch (error) {
    code = isDatabaseError(error) ? error.code : error;
  }
  expect(code).toBe("corrupt");
});

test("tombstones are read as they were written, with counts and without", () => {
  const random = testRandom();
  for (let times = 0; times < 50; times++) {
    const documentCount = 1 + random.below(200);
    const drawn = drawTombstones(random, documentCount);
    for (const tombstones of [drawn, { liveBitmap: drawn.liveBitmap }]) {
      expect(decodeTombstones(encodeTombstones(tombstones), documentCount)).toEqual(tombstones);
    }
  }
});

test("damaged tombstones are reported, or are others that are whole", async () => {
  const random = testRandom();
  for (let times = 0; times < 500; times++) {
    const documentCount = 1 + random.below(200);
    const damaged = damagedBytes(encodeTombstones(drawTombstones(random, documentCount)), random);
    const outcome = await readOutcome(() => decodeTombstones(damaged, documentCount));
    if ("code" in outcome) expect(outcome.code).toBe("corrupt");
    else expect(outcome.value.liveBitmap).toHaveLength(Math.ceil(documentCount / 32));
  }
});
