import { expect, test } from "vitest";
import { writePages } from "../../test/support/segments/write-pages.ts";
import { isDatabaseError } from "../base/errors.ts";
import { nextTurn } from "../base/next-turn.ts";
import { seededRandom } from "../base/random.ts";
import { FRAME_HEADER_BYTES } from "../codec/frame.ts";
import { pageSpan } from "../segment/format/segment-pages.ts";
import { PageFills, type ReadPages } from "./page-fills.ts";

const PAGES = 40;
const CONTENT = Uint8Array.from(seededRandom(1).bytes(PAGES * 65_532 - 100));
const PAGED = writePages(CONTENT, "k");

/** A range as it was read, and where it is to be. */
function readOf(start: number, end: number, readBytes?: number): ReadPages {
  const span = pageSpan({ start, end });
  const pages = PAGED.slice(span.start - FRAME_HEADER_BYTES, span.end - FRAME_HEADER_BYTES);
  const target = new Uint8Array(end - start);
  return { pages, range: { start, end }, key: "k", target, readBytes: readBytes ?? pages.length };
}

test("short and long ranges are what was written", async () => {
  const fills = new PageFills(nextTurn);
  const random = seededRandom(2);
  const reads = Array.from({ length: 60 }, () => {
    const start = random.below(CONTENT.length - 1);
    const bytes = 1 + random.below(random.below(2) === 0 ? 3_000 : 2_000_000);
    return readOf(start, Math.min(CONTENT.length, start + bytes));
  });
  await Promise.all(reads.map((read) => fills.fill(read)));
  for (const { target, range } of reads) {
    expect(Buffer.compare(target, CONTENT.subarray(range.start, range.end))).toBe(0);
  }
});

test("a short read does not wait for long ones, of one range or of many", async () => {
  let turns = 0;
  const fills = new PageFills(() => {
    turns++;
    return nextTurn();
  });
  const done: string[] = [];
  const fill = (name: string, read: ReadPages) => fills.fill(read).then(() => done.push(name));
  const windows = Array.from({ length: 20 }, (_, i) => {
    return readOf(i * 65_536, (i + 1) * 65_536, 20 * 65_540);
  });
  const long = [
    ...windows.map((window) => fill("window", window)),
    fill("range", readOf(10, CONTENT.length)),
  ];
  await nextTurn();
  await fill("short", readOf(7, 100));
  expect(done.indexOf("short")).toBeLessThan(10);
  await Promise.all(long);
  expect(done.length).toBe(22);
  expect(done.at(-1)).toBe("range");
  // A window of 65,536 bytes takes parts of two pages.
  expect(turns).toBe(Math.floor((2 * windows.length + PAGES) / 8));
});

test("damage anywhere in a long read is told, and the next one is filled", async () => {
  const fills = new PageFills(nextTurn);
  const random = seededRandom(3);
  for (let i = 0; i < 20; i++) {
    const read = readOf(5, CONTENT.length);
    read.pages[random.below(read.pages.length)] ^= 1 << random.below(8);
    const error = await fills.fill(read).catch((reason: unknown) => reason);
    expect(isDatabaseError(error, "corrupt"), String(error)).toBe(true);
  }
  const cut = { ...readOf(5, CONTENT.length), pages: PAGED.slice(0, 10 * 65_536 + 50) };
  await expect(fills.fill(cut)).rejects.toThrow("page 10");
  const whole = readOf(5, CONTENT.length);
  await fills.fill(whole);
  expect(Buffer.compare(whole.target, CONTENT.subarray(5))).toBe(0);
});
