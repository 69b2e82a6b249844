import { expect, test } from "vitest";
import { documentOf, fullText, schemaOf } from "../../../test/support/queries/query-fixture.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { bitsetIndexes } from "../../../test/support/segments/bitset-indexes.ts";
import { ARENA_MEMORY } from "../../../test/support/segments/clustered-snapshot.ts";
import { mergedSegment, writtenSegment } from "../../../test/support/segments/segment-forms.ts";
import { verdictAfter } from "../../../test/support/segments/verdict-after.ts";
import { runSteps } from "../../base/steps.ts";
import { bitmapOrdinals } from "../../codec/bitmap.ts";
import { TEXT_INDEX } from "../text/text-index.ts";
import { TEXT_BITSETS } from "../text/text-kinds.ts";
import { BITSETS, buildBitsets } from "./bitset-section.ts";

const schema = schemaOf({ text: { type: "string", fullTextSearch: fullText() } });
/** One in so many documents has the word. */
const WORDS = { all: 1, half: 2, eighth: 8, ninth: 9, rare: 100 };
const COUNT = 720;
const documents = Array.from({ length: COUNT }, (_, i) => {
  const words = Object.entries(WORDS).filter(([_word, every]) => i % every === 0);
  return documentOf(BigInt(i), { text: words.map(([word]) => word).join(" ") });
});
const EXTENT = { documentsMin: COUNT, documentsPerPosting: 8 };

test.each([
  ["written", writtenSegment],
  ["merged", mergedSegment],
] as const)("%s: terms that are frequent enough have the bitmap of their documents", (_, form) => {
  const options = { schema, random: testRandom(), memory: ARENA_MEMORY };
  const view = form(documents, { ...options, indexes: bitsetIndexes(EXTENT) });
  const text = view.index(TEXT_INDEX, "text") ?? expect.unreachable();
  for (const word of Object.keys(WORDS)) {
    const bitmap = text.bitmap(word);
    expect(bitmap !== undefined, word).toBe(["all", "half", "eighth"].includes(word));
    if (bitmap === undefined) continue;
    const ordinals = new Uint32Array(text.postingCount(word));
    text.postings(word)?.ordinals.copyTo(ordinals);
    expect(bitmapOrdinals(bitmap)).toEqual(ordinals);
  }
  expect(text.bitmap("none")).toBeUndefined();
  const few = form(documents.slice(0, COUNT - 1), { ...options, indexes: bitsetIndexes(EXTENT) });
  expect(few.index(TEXT_INDEX, "text")?.bitmap("all")).toBeUndefined();
});

test("bitmaps that are not of their lists are refused", () => {
  const indexes = bitsetIndexes(EXTENT);
  const view = writtenSegment(documents, { schema, memory: ARENA_MEMORY, indexes });
  const damage = (kind: number, at: number, value: number) => {
    const entry = view.sections("text").entry(kind) ?? expect.unreachable();
    return verdictAfter(view, ({ buffer }) => {
      new Uint32Array(buffer, entry.offset, entry.bytes / 4)[at] = value;
    });
  };
  const { directory, bitmaps } = TEXT_BITSETS;
  // Words of a directory: how many follow, where the array is, how long; then the codes.
  const codes = 4;
  expect(damage(directory, codes, 0)).toBe("taken");
  expect(damage(directory, codes, 1)).toBe("refused");
  expect(damage(directory, codes + 1, 0)).toBe("refused");
  expect(damage(directory, codes + 2, 1 << 20)).toBe("refused");
  // All documents have the first word in order.
  expect(damage(bitmaps, 0, 0xffff_ffff)).toBe("taken");
  expect(damage(bitmaps, 0, 0xffff_fffe)).toBe("refused");
});

test("bitmaps are made in steps", () => {
  const starts = Uint32Array.from([0, 200_000]);
  const ordinals = Uint32Array.from({ length: 200_000 }, (_, i) => i);
  const lists = { strings: { offsets: new Uint32Array(2), bytes: new Uint8Array(0) } };
  const build = () =>
    buildBitsets({ ...lists, starts, ordinals, numbers: ordinals }, 200_000, BITSETS);
  expect([...build()]).toHaveLength(3);
  expect(runSteps(build())?.codes).toEqual(Uint32Array.of(0));
});
