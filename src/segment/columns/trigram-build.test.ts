import { isDeepStrictEqual } from "node:util";
import { describe, expect, test } from "vitest";
import { cases, effort } from "../../../test/support/effort.ts";
import { isDatabaseError } from "../../base/errors.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { compareStrings } from "../../model/value.ts";
import { AttributeSections } from "../format/attribute-sections.ts";
import { BlockSource } from "../format/byte-source.ts";
import { encodeSorted } from "../postings/term-section.ts";
import { buildTrigrams, checkTrigrams } from "./trigram-build.ts";
import { bucketOf, openTrigrams, planTrigrams, type TrigramView } from "./trigram-section.ts";

const CHARACTERS = [..."abcdefghijklmnopqrstuvwxyzABCKSI019 -é東🦊\u212a\u017f\u0130"];

function opened(values: readonly string[]) {
  const strings = runSteps(encodeSorted(values));
  const trigrams = runSteps(buildTrigrams(strings));
  if (trigrams === undefined) throw new Error("they are too many");
  let offset = 0;
  const plans = planTrigrams("a", trigrams);
  const entries = plans.map(({ kind, bytes }) => {
    const entry = { kind, attribute: "a", offset, bytes, checksum: 0 };
    offset += Math.ceil(bytes / 64) * 64;
    return entry;
  });
  const bytes = new Uint8Array(offset);
  plans.forEach(({ writeTo }, i) => {
    const { offset: start, bytes: size } = entries[i];
    runSteps(writeTo(bytes.subarray(start, start + size)));
  });
  const source = new BlockSource({ arena: 0, offset: 0, bytes });
  const sections = new AttributeSections("a", entries, {
    documentCount: 1,
    source,
    head: new Uint8Array(0),
  });
  const open = (): TrigramView => {
    const view = openTrigrams(sections, values.length);
    if (view === undefined) throw new Error("they are not there");
    return view;
  };
  const lists = (): Uint8Array => sections.bytes(47) ?? new Uint8Array(0);
  return { bytes, open, check: () => checkTrigrams(open(), lists(), strings) };
}

describe.each(Array.from({ length: cases({ usual: 4, full: 60 }) }, (_, i) => 33_101 + i))(
  "seed %i",
  (seed) => {
    const random = seededRandom(seed);
    const longest = [12, 60, 600, 3000][random.below(4)];
    const drawn = Array.from({ length: 1 + random.below(400) }, () =>
      Array.from({ length: random.below(longest) }, () => {
        return CHARACTERS[random.below(CHARACTERS.length)];
      }).join(""),
    );
    const values = [...new Set(drawn)].sort(compareStrings);

    test("each string's group is in the lists of its trigrams, or those are common", () => {
      const { open, check } = opened(values);
      check();
      const view = open();
      const odd = Uint32Array.from({ length: view.groupCount >> 1 }, (_, half) => 2 * half + 1);
      values.forEach((value, code) => {
        const bytes = Buffer.from(value.replace(/[A-Z]/g, (c) => c.toLowerCase()));
        // The others are in the attribute's conformance suite.
        if (/[\u212a\u017f\u0130]/.test(value)) return;
        for (let i = 0; i + 3 <= bytes.length; i++) {
          const list = view.listOf(bytes.readUIntBE(i, 3));
          if (list === undefined) continue;
          const groups = view.groups(list);
          const within = view.groupsWithin(list, odd);
          const expected = groups.filter((group) => group % 2 === 1);
          const hasOwn = groups.includes(Math.floor(code / view.groupStrings));
          if (!hasOwn || !isDeepStrictEqual(within, expected)) {
            expect.fail(`bytes ${i} to ${i + 3} of string ${code}`);
          }
        }
      });
    });

    test("any damage is found", () => {
      const { bytes, check } = opened(values);
      for (let i = 0; i < effort({ usual: 8, full: 50 }); i++) {
        const at = random.below(bytes.length);
        const before = bytes[at];
        bytes[at] ^= 1 + random.below(255);
        try {
          check();
          // Only what nobody reads: zeros that pad what lies before.
          expect(before).toBe(0);
        } catch (error) {
          expect(isDatabaseError(error) || error instanceof RangeError, String(error)).toBe(true);
        }
        bytes[at] = before;
      }
      check();
    });
  },
);

test("no step takes many trigrams, be strings long or many", () => {
  const values = ["a".repeat(3_000_000), ...Array.from({ length: 20_000 }, (_, i) => `b${i}`)];
  const strings = runSteps(encodeSorted(values.sort(compareStrings)));
  let steps = 0;
  for (const _ of buildTrigrams(strings)) steps++;
  expect(steps).toBeGreaterThan(2 * Math.floor(3_080_000 / 65_536));
});

test("buckets are the highest bits of a hash", () => {
  expect(bucketOf(1, 10)).toBe(0x9e3779b1 >>> 22);
  expect(bucketOf(0xff_ffff, 17)).toBeLessThan(2 ** 17);
});
