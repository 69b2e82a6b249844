import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { expectEqual } from "../../../test/support/expect-equal.ts";
import {
  documentOf,
  documentQuery,
  fullText,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { pageIndexes, SHORT_PAGES } from "../../../test/support/segments/page-indexes.ts";
import { plainPostings } from "../../../test/support/segments/plain-postings.ts";
import { runReads, runRemote } from "../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../test/support/segments/remote-snapshot.ts";
import { verdictAfter } from "../../../test/support/segments/verdict-after.ts";
import { must } from "../../base/assert.ts";
import type { Random } from "../../base/random.ts";
import { compareStrings } from "../../model/value.ts";
import { runRequest } from "../../query/executor/run-request.ts";
import type { Snapshot } from "../../query/operator/snapshot.ts";
import { headOf, verifyHead } from "../format/segment-format.ts";
import type { OpenSegment } from "../segment-reader.ts";
import { sealSegment, verifySegment } from "../segment-seal.ts";
import { TEXT_INDEX } from "./text-index.ts";
import { TEXT_LENGTHS, TEXT_PAGES, TEXT_ROOT, TEXT_SECTION } from "./text-kinds.ts";
import type { TextView } from "./text-view.ts";

const tokens = fullText({ tokenizer: "pre_tokenized_array", maxTokenLength: 2000 });
const schema = schemaOf({ text: { type: "[]string", fullTextSearch: tokens } });
const LETTERS = ["", "a", "b", "ab", "é", "東", "🦊", "\0", "zzzz", "\u{10ffff}"];

function drawTerm(random: Random): string {
  const length = random.below(12) === 0 ? 200 : random.below(6);
  return Array.from({ length }, () => LETTERS[random.below(LETTERS.length)]).join("");
}

/** What documents say, by term in the order of bytes: ordinals and frequencies. */
function listsOf(texts: readonly (readonly string[])[]) {
  const lists = new Map<string, { ordinals: number[]; frequencies: number[] }>();
  texts.forEach((text, ordinal) => {
    for (const term of new Set(text)) {
      const list = lists.get(term) ?? { ordinals: [], frequencies: [] };
      list.ordinals.push(ordinal);
      list.frequencies.push(text.filter((other) => other === term).length);
      lists.set(term, list);
    }
  });
  return new Map([...lists].sort(([a], [b]) => compareStrings(a, b)));
}

function snapshotOf(texts: readonly (readonly string[])[], pages = SHORT_PAGES): Snapshot {
  const documents = texts.map((text, id) => documentOf(BigInt(id), { text }));
  return openSnapshot(schema, [{ documents }], pageIndexes(pages));
}

function textOf({ segments }: Snapshot): TextView {
  return must(segments[0].view.index(TEXT_INDEX, "text"), "a text index");
}

const EXTENTS = [
  SHORT_PAGES,
  { ...SHORT_PAGES, pageBytesMin: 1 },
  { ...SHORT_PAGES, separatorBytesMax: 1 },
  { ...SHORT_PAGES, separatorBytesMax: 1000 },
  { ...SHORT_PAGES, pagesMax: 1 },
  { ...SHORT_PAGES, plainBytesMax: 1 << 20 },
];

describe.each(EXTENTS)("%j", (extent) => {
  test("terms are those of a sorted map, whatever they are", () => {
    const random = testRandom();
    for (let round = 0; round < effort({ usual: 6, full: 30 }); round++) {
      const drawn = Array.from({ length: 1 + random.below(60) }, () => drawTerm(random));
      const texts = Array.from({ length: 1 + random.below(40) }, () =>
        Array.from({ length: random.below(8) }, () => drawn[random.below(drawn.length)]),
      );
      const lists = listsOf(texts);
      const sorted = [...lists.keys()];
      const near = snapshotOf(texts, extent);
      const { snapshot: far, sources } = remoteSnapshot(near);
      for (const snapshot of [near, far]) {
        const look = <T>(read: (text: TextView) => T): T =>
          runRemote(sources, () => read(textOf(snapshot)), 3);
        expect(look((text) => [...text.lengths])).toEqual(texts.map(({ length }) => length));
        expect(look((text) => text.termCount)).toBe(sorted.length);
        for (const [code, term] of sorted.entries()) {
          const found = look((text) => [text.term(code), plainPostings(text.postingsAt(code))]);
          expectEqual(found, [term, lists.get(term)], `round ${round}`);
        }
        for (const term of [...drawn, ...LETTERS, drawTerm(random), `${drawn[0]}a`]) {
          for (const source of sources) source.drop();
          const ordinals = lists.get(term)?.ordinals ?? [];
          expect(look((text) => text.postingCount(term))).toBe(ordinals.length);
          expectEqual(
            look((text) => plainPostings(text.postings(term))),
            lists.get(term),
          );
          const start = sorted.filter((other) => compareStrings(other, term) < 0).length;
          expect(look((text) => text.lowerBound(term))).toBe(start);
          const end = start + sorted.filter((other) => other.startsWith(term)).length;
          expect(look((text) => text.codesWith(term))).toEqual({ start, end });
        }
      }
    }
  });
});

test("an index has pages from a size on, and no other dictionary", () => {
  const texts = (count: number) =>
    Array.from({ length: count }, (_, i) => [`word${i}`, `${i * 7919}`]);
  const sectionsOf = (count: number) => {
    const documents = texts(count).map((text, id) => documentOf(BigInt(id), { text }));
    const [{ view }] = openSnapshot(schema, [{ documents }]).segments;
    const known: number[] = [TEXT_SECTION, TEXT_ROOT, TEXT_PAGES, TEXT_LENGTHS, 28, 56];
    return (view as OpenSegment)
      .sections("text")
      .entries.map(({ kind }) => kind)
      .filter((kind) => known.includes(kind));
  };
  expect(sectionsOf(1500)).toEqual([TEXT_SECTION]);
  expect(sectionsOf(2500)).toEqual([TEXT_ROOT, TEXT_PAGES, TEXT_LENGTHS]);
});

test("a head holds no more separators than it should, however long terms are", () => {
  const long = "x".repeat(1000);
  const texts = Array.from({ length: 300 }, (_, i) => [`${long}${i}`, `${i}`]);
  const heads = [4, 2000].map((separatorBytesMax) => {
    const extent = { ...SHORT_PAGES, pageBytesMin: 2000, separatorBytesMax };
    const [{ view }] = snapshotOf(texts, extent).segments;
    const root = (view as OpenSegment).sections("text").entry(TEXT_ROOT);
    return must(root, "it has pages").bytes;
  });
  expect(heads[0]).toBeLessThan(500);
  expect(heads[1]).toBeGreaterThan(100_000);
});

/** 2000 words, of which every text has three: so there are some 90 pages. */
const WORDS = Array.from({ length: 2000 }, (_, i) => `w${i}`);
const manyTexts = Array.from({ length: 4000 }, (_, i) => [
  WORDS[i % 2000],
  WORDS[(7 * i) % 2000],
  WORDS[(i * i) % 2000],
]);
const extent = { ...SHORT_PAGES, pageBytesMin: 300 };

function ask(snapshot: Snapshot, words: readonly string[], lastAsPrefix = false) {
  const expression = {
    kind: "bm25" as const,
    attribute: "text",
    query: [...words],
    lastAsPrefix,
  };
  const request = requestOf(documentQuery({ kind: "score", expression }, { limit: 3 }));
  return runReads(runRequest(snapshot, request, { kernels: KERNELS })).results;
}

test.each([
  [["w7", "w1500", "none"], false],
  [["w7", "w19"], true],
] as const)(
  "a query of %j reads its pages, then lists with what else it needs",
  (query, isPrefix) => {
    const near = snapshotOf(manyTexts, extent);
    const { snapshot: far, sources } = remoteSnapshot(near);
    const found = runRemote(sources, () => ask(far, query, isPrefix), 2);
    expect(found).toEqual(ask(near, query, isPrefix));
    expect(sources[0].rounds).toBe(2);
  },
);

test("planning reads the pages of the terms, and neither lengths nor other pages", () => {
  const near = snapshotOf(manyTexts, extent);
  const { snapshot: far, sources } = remoteSnapshot(near);
  const sizeOf = (kind: number) =>
    must((near.segments[0].view as OpenSegment).sections("text").entry(kind), "it").bytes;
  const counts = () => ["w7", "w1500"].map((term) => textOf(far).postingCount(term));
  expect(runRemote(sources, counts, 2)).toEqual(
    ["w7", "w1500"].map((term) => manyTexts.filter((text) => text.includes(term)).length),
  );
  expect(sources[0].bytesLoaded).toBeLessThan(sizeOf(TEXT_PAGES) / 20);
  const { bytesLoaded } = sources[0];
  expect(textOf(far).totals).toEqual({ documentCount: 4000, termCount: 12_000 });
  expect(textOf(far).termCount).toBe(2000);
  expect(sources[0].bytesLoaded).toBe(bytesLoaded);
  // A byte for each text, and no word.
  expect(runRemote(sources, () => textOf(far).lengths.length, 1)).toBe(4000);
  expect(sources[0].bytesLoaded - bytesLoaded).toBe(sizeOf(TEXT_LENGTHS));
  expect(sizeOf(TEXT_LENGTHS)).toBeLessThan(4200);
});

test("a text of 256 terms has its length, and so have the others", () => {
  for (const length of [255, 256]) {
    const texts = [["a"], Array.from({ length }, () => "b"), []];
    const text = textOf(snapshotOf(texts));
    expect([...text.lengths]).toEqual([1, length, 0]);
    expect(text.totals).toEqual({ documentCount: 3, termCount: length + 1 });
  }
});

test("damage under right checksums is refused, wherever it contradicts something", () => {
  const near = snapshotOf(manyTexts.slice(0, 200), extent);
  const view = near.segments[0].view as OpenSegment;
  const faultAfter = (kind: number, word: number, change: (value: number) => number) => {
    const { offset, bytes } = must(view.sections("text").entry(kind), "a section");
    return verdictAfter(view, ({ buffer }) => {
      const at = new Uint32Array(buffer, offset, bytes / 4);
      at[word] = change(at[word]);
    });
  };
  expect(faultAfter(TEXT_ROOT, 0, (count) => count)).toBe("taken");
  // Of the words: the count of them; two of the fingerprint; documents; terms, low and high.
  for (const word of [3, 4, 5]) {
    expect(
      faultAfter(TEXT_ROOT, word, (value) => value + 1),
      `${word}`,
    ).toBe("refused");
  }
  const { bytes } = must(view.sections("text").entry(TEXT_ROOT), "a root");
  const root = new Uint32Array(view.sections("text").headBytes(TEXT_ROOT)?.slice().buffer ?? []);
  expect(root.length).toBe(bytes / 4);
  // The arrays of the root: separators' offsets and bytes, first codes, starts of pages.
  const arraysAt = (Math.ceil((4 + 4 * root[0]) / 16) * 16) / 4;
  for (const array of [7, 9, 11, 13]) {
    const second = arraysAt + 4 * root[array] + (array === 9 ? 0 : 1);
    expect(
      faultAfter(TEXT_ROOT, second, (value) => value + 1),
      `${array}`,
    ).toBe("refused");
  }
});

test("a flipped byte of a page or of the head is reported, and never served", () => {
  const near = snapshotOf(manyTexts.slice(0, 200), extent);
  const view = near.segments[0].view as OpenSegment;
  const sealed = sealSegment(view);
  const random = testRandom();
  for (const kind of [TEXT_ROOT, TEXT_PAGES, TEXT_LENGTHS]) {
    const { offset, bytes } = must(view.sections("text").entry(kind), "a section");
    for (let times = 0; times < 20; times++) {
      const damaged = Uint8Array.from(sealed);
      damaged[offset + random.below(bytes)] ^= 1 << random.below(8);
      expect(() => verifySegment(damaged)).toThrow(/checksum/);
      if (kind === TEXT_ROOT) expect(() => verifyHead(headOf(damaged))).toThrow(/checksum/);
    }
  }
});
