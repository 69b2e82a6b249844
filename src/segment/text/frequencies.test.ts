import { expect, test } from "vitest";
import { documentOf, fullText, schemaOf } from "../../../test/support/queries/query-fixture.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { ARENA_MEMORY } from "../../../test/support/segments/clustered-snapshot.ts";
import { plainPostings } from "../../../test/support/segments/plain-postings.ts";
import { mergedSegment, writtenSegment } from "../../../test/support/segments/segment-forms.ts";
import { verdictAfter } from "../../../test/support/segments/verdict-after.ts";
import { ArrayUnpacker } from "../../codec/columns-packing.ts";
import { sealSegment, verifySegment } from "../segment-seal.ts";
import { TEXT_INDEX } from "./text-index.ts";
import { TEXT_LISTS, TEXT_SECTION } from "./text-kinds.ts";

const schema = schemaOf({ text: { type: "string", fullTextSearch: fullText() } });

/** How often each document has a word; most lists have some that no byte holds. */
const COUNTS: Record<string, number[]> = {
  ant: [1, 254, 255, 256, 3],
  bee: [0, 0, 700, 0, 0],
  cat: [1, 1, 1, 1, 1],
  dog: [300, 1, 301, 255, 254],
};
const DOCUMENTS = [0, 1, 2, 3, 4].map((o) =>
  documentOf(BigInt(o), {
    text: Object.entries(COUNTS)
      .map(([word, counts]) => `${word} `.repeat(counts[o]))
      .join(""),
  }),
);

test.each([["written"], ["merged"]])("%s: frequencies of any size are kept", (form) => {
  const write = form === "merged" ? mergedSegment : writtenSegment;
  const view = write(DOCUMENTS, { schema, random: testRandom(), memory: ARENA_MEMORY });
  verifySegment(sealSegment(view));
  const text = view.index(TEXT_INDEX, "text") ?? expect.unreachable();
  for (const [word, counts] of Object.entries(COUNTS)) {
    const ordinals = counts.flatMap((count, o) => (count > 0 ? [o] : []));
    const frequencies = counts.filter((count) => count > 0);
    expect(plainPostings(text.postings(word)), word).toEqual({ ordinals, frequencies });
    const own = text.postings(word)?.frequencies ?? expect.unreachable();
    const copied = new Uint32Array(frequencies.length);
    own.copyTo(copied);
    expect([...copied]).toEqual(frequencies);
    frequencies.forEach((frequency, i) => {
      const next = frequencies.findIndex((later, at) => at >= i && later >= 255);
      expect(own.nextGreat(i)).toBe(next < 0 ? 2 ** 31 - 1 : next);
      expect(own.at(i)).toBe(frequency);
    });
  }
});

test("great frequencies that are not of the lists are refused", () => {
  const view = writtenSegment(DOCUMENTS, { schema, memory: ARENA_MEMORY });
  const faultAfter = (change: Parameters<typeof verdictAfter>[1]) => verdictAfter(view, change);
  expect(faultAfter(() => undefined)).toBe("taken");
  // Codes, indexes and values are the last arrays of the section.
  const greats = (block: Uint8Array<ArrayBuffer>) => {
    const { offset, bytes } = view.sections("text").entry(TEXT_SECTION) ?? expect.unreachable();
    const unpacker = new ArrayUnpacker(block.subarray(offset, offset + bytes), "a text index");
    unpacker.text();
    unpacker.u32();
    expect(unpacker.word()).toBe(0);
    for (let skipped = 0; skipped < 3; skipped++) unpacker.u32();
    return [unpacker.u32(), unpacker.u32(), unpacker.u32()];
  };
  expect(greats(Uint8Array.from(view.block)).map((array) => [...array])).toEqual([
    [0, 0, 1, 3, 3, 3],
    [2, 3, 0, 0, 2, 3],
    [255, 256, 700, 300, 301, 255],
  ]);
  for (let array = 0; array < 3; array++) {
    const value = array === 2 ? 254 : 9;
    expect(faultAfter((block) => greats(block)[array].set([value], 1))).toBe("refused");
  }
  // Of the list of "bee": the low half of its ordinal, then its frequency.
  const { offset } = view.sections("text").entry(TEXT_LISTS.kind) ?? expect.unreachable();
  const bee = offset + 2 * Math.ceil((3 * 5) / 2) + 2;
  expect(view.block[bee]).toBe(255);
  for (const byte of [0, 254]) {
    expect(faultAfter((block) => block.set([byte], bee))).toBe("refused");
  }
  // A great one more than is listed: the first of "cat".
  const cat = bee + 2 + 2 * 5;
  expect(view.block[cat]).toBe(1);
  expect(faultAfter((block) => block.set([255], cat))).toBe("refused");
});
