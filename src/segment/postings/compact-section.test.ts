import { expect, test } from "vitest";
import { drawOrdinals } from "../../../test/support/random/random-ordinals.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { ordinalsOf } from "../../../test/support/segments/plain-postings.ts";
import { isDatabaseError } from "../../base/errors.ts";
import type { Random } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { AttributeSections } from "../format/attribute-sections.ts";
import { BlockSource } from "../format/byte-source.ts";
import { SPARSE_LISTS } from "../sparse/sparse-lists.ts";
import { TEXT_LISTS } from "../text/text-kinds.ts";
import { type CompactForm, CompactLists, planCompact } from "./compact-section.ts";
import { ListLayout } from "./list-layout.ts";
import { PostingBuffer, type PostingLists } from "./posting-section.ts";
import { fromByteStrings } from "./term-section.ts";

/** Ordinals of each list, ascending; `number` makes their numbers. */
function listsOf(ordinals: readonly number[][], number: (i: number) => number): PostingLists {
  const starts = new Uint32Array(ordinals.length + 1);
  ordinals.forEach((list, code) => {
    starts[code + 1] = starts[code] + list.length;
  });
  const strings = runSteps(
    fromByteStrings(ordinals.map((_, code) => String(code).padStart(6, "0"))),
  );
  const numbers = Uint32Array.from({ length: starts[ordinals.length] }, (_, i) => number(i));
  return { strings, starts, ordinals: Uint32Array.from(ordinals.flat()), numbers };
}

interface Written {
  readonly lists: CompactLists;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly starts: Uint32Array;
}

/** The lists as a segment has them, in memory that was not clean; `change` alters the bytes. */
function written(
  given: PostingLists,
  form: CompactForm,
  documentCount: number,
  change: (bytes: Uint8Array, starts: Uint32Array) => void = () => undefined,
): Written {
  const { starts, section } = runSteps(planCompact("text", given, form, documentCount));
  const bytes = new Uint8Array(64 * Math.ceil(section.bytes / 64)).fill(0xee);
  runSteps(section.writeTo(bytes.subarray(0, section.bytes)));
  change(bytes, starts);
  const source = new BlockSource({ arena: 0, offset: 0, bytes });
  const entry = { kind: form.kind, attribute: "text", offset: 0, bytes: bytes.length };
  const sections = new AttributeSections("text", [entry], {
    documentCount,
    source,
    head: new Uint8Array(0),
  });
  return { lists: new CompactLists(sections, form, starts), bytes, starts };
}

const FORMS = [
  ["frequencies", TEXT_LISTS, (random: Random) => 1 + random.below(254)],
  [
    "weights",
    SPARSE_LISTS,
    (random: Random) =>
      new Uint32Array(Float32Array.of(Math.f16round((random.below(999) - 500) / 7)).buffer)[0],
  ],
] as const;

test.each(FORMS)(
  "lists with %s are read as they were written, in any segment",
  (_n, form, draw) => {
    const random = testRandom();
    for (const documentCount of [1, 2, 300, 65_535, 65_536, 65_537, 200_000, 3_000_000]) {
      const drawn = Array.from({ length: 30 }, () => drawOrdinals(random, documentCount));
      const given = listsOf(drawn, () => draw(random));
      const { lists } = written(given, form, documentCount);
      lists.check(given);
      expect(lists.listCount).toBe(30);
      const buffer = new PostingBuffer();
      drawn.forEach((expected, code) => {
        const at = `list ${code} of ${documentCount} documents`;
        expect(lists.postingCount(code), at).toBe(expected.length);
        expect(ordinalsOf(lists.read(code).ordinals), at).toEqual(expected);
        const count = lists.decode(code, buffer);
        expect([...buffer.ordinals.subarray(0, count)], at).toEqual(expected);
        const { starts, numbers } = given;
        expect(buffer.numbers.subarray(0, count)).toEqual(
          numbers.subarray(starts[code], starts[code + 1]),
        );
      });
    }
  },
);

/** Of three pages: one that names the page of each posting, one that has the ends of pages. */
const SHORT = [5, 70_000, 70_001, 131_072, 140_000];
const LONG = [1, 9, 65_535, 65_536, 65_600, 131_100, 131_101];
const DAMAGED_OF = 150_000;

test("each kind of byte of a list is checked", () => {
  const given = listsOf([SHORT, LONG], (i) => 1 + i);
  const refuses = (change: (units: Uint16Array, bytes: Uint8Array) => void, why: string) => {
    const { lists } = written(given, TEXT_LISTS, DAMAGED_OF, (bytes) =>
      change(new Uint16Array(bytes.buffer), bytes),
    );
    try {
      lists.check(given);
    } catch (error) {
      if (!isDatabaseError(error, "corrupt")) throw error;
      expect(error.message).toContain(why);
      return;
    }
    expect.unreachable(why);
  };
  const layout = new ListLayout(DAMAGED_OF, 1);
  const second = layout.units(SHORT.length);
  const short = layout.parts(SHORT.length);
  const long = layout.parts(LONG.length);
  expect([short.hasPages, long.hasPages]).toEqual([true, false]);
  const set = (at: number, value: number) => (units: Uint16Array) => {
    units[at] = value;
  };
  refuses(set(0, 2), "list 0 does not fit the documents");
  refuses(set(4, 9), "list 0 does not fit the documents");
  refuses(set(short.lows + 2, 4464), "list 0 does not fit the documents");
  refuses(set(short.lows + 4, 65_000), "list 0 does not fit the documents");
  refuses(set(second, 5), "list 1");
  refuses(set(second + 2, 8), "list 1");
  refuses(set(second + 4, 6), "list 1 does not end with its last page");
  refuses(set(second + 5, 1), "list 1 does not end with its last page");
  refuses(set(second + long.lows, 9), "list 1 does not fit the documents");
  const padding = 2 * short.numbers + SHORT.length;
  refuses((_units, bytes) => {
    bytes[padding] = 1;
  }, "list 0 has a byte that means nothing");
});

test("a directory that is not of the lists is refused", () => {
  const given = listsOf([SHORT, LONG], (i) => 1 + i);
  const refuses = (change: (starts: Uint32Array) => void, why: string) => {
    const { lists } = written(given, TEXT_LISTS, DAMAGED_OF, (_bytes, starts) => change(starts));
    expect(() => lists.check(given)).toThrow(why);
  };
  refuses((starts) => starts.set([starts[1] + 1], 1), "list 0 is of no length of a list");
  refuses((starts) => starts.set([0], 1), "list 0 is of no length of a list");
  refuses((starts) => starts.set([10_000], 2), "some are missing");
  refuses((starts) => starts.set([starts[2] + 1], 1), "is less than");
});

test("lists are written in steps", () => {
  const long = Array.from({ length: 100_000 }, (_, i) => i);
  const given = listsOf([...Array(9).fill(long)], () => 1);
  const { section } = runSteps(planCompact("text", given, TEXT_LISTS, 100_000));
  const steps = [...section.writeTo(new Uint8Array(section.bytes))].length;
  expect(steps).toBe(9);
});
