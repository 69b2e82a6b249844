import { expect, test } from "vitest";
import { writePages } from "../../../test/support/segments/write-pages.ts";
import { isDatabaseError } from "../../base/errors.ts";
import { seededRandom } from "../../base/random.ts";
import { FRAME_HEADER_BYTES } from "../../codec/frame.ts";
import {
  contentBytesOf,
  PAGE_BYTES,
  PAGE_CONTENT_BYTES,
  pagedBytes,
  pageSpan,
  readPages,
} from "./segment-pages.ts";

const random = seededRandom(7);
const SIZES = [1, 100, PAGE_CONTENT_BYTES - 1, PAGE_CONTENT_BYTES, PAGE_CONTENT_BYTES + 1, 200_000];

function contentOf(bytes: number): Uint8Array {
  return Uint8Array.from(random.bytes(bytes));
}

/** Reads a range as a cache does. */
function rangeOf(paged: Uint8Array, start: number, end: number, key = "here"): Uint8Array {
  const span = pageSpan({ start, end });
  const pages = paged.subarray(span.start - FRAME_HEADER_BYTES, span.end - FRAME_HEADER_BYTES);
  const target = new Uint8Array(end - start);
  readPages(pages, { start, end }, { key, target });
  return target;
}

test("every range of every size comes back", () => {
  for (const size of SIZES) {
    const content = contentOf(size);
    const paged = writePages(content, "here");
    expect(paged.length).toBe(pagedBytes(size));
    expect(contentBytesOf(paged.length)).toBe(size);
    for (let i = 0; i < 40; i++) {
      const start = random.below(size);
      const end = start + 1 + random.below(size - start);
      expect(Buffer.compare(rangeOf(paged, start, end), content.subarray(start, end))).toBe(0);
    }
  }
});

test("changed bytes, cut pages, pages of other places and of other objects are found", () => {
  const content = contentOf(200_000);
  const paged = writePages(content, "here");
  const refused = (pages: Uint8Array, start: number, end: number, key?: string) => {
    try {
      rangeOf(pages, start, end, key);
    } catch (error) {
      return isDatabaseError(error, "corrupt");
    }
    return false;
  };
  for (let i = 0; i < 300; i++) {
    const at = random.below(paged.length);
    const damaged = Uint8Array.from(paged);
    damaged[at] ^= 1 << random.below(8);
    const page = Math.floor(at / PAGE_BYTES);
    const start = page * PAGE_CONTENT_BYTES;
    expect(refused(damaged, start, Math.min(start + 10, content.length)), `byte ${at}`).toBe(true);
  }
  for (const cut of [0, 3, 100, PAGE_BYTES, PAGE_BYTES + 2, paged.length - 1]) {
    expect(refused(paged.subarray(0, cut), 0, content.length), `cut at ${cut}`).toBe(true);
  }
  const swapped = Uint8Array.from(paged);
  swapped.copyWithin(0, PAGE_BYTES, 2 * PAGE_BYTES);
  expect(refused(swapped, 0, 10)).toBe(true);
  expect(refused(paged, 0, 10, "elsewhere")).toBe(true);
  expect(refused(paged, content.length - 5, content.length + 5)).toBe(true);
});
