import { beforeAll, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import {
  documentOf,
  fullText,
  openSnapshot,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { runRemote } from "../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../test/support/segments/remote-snapshot.ts";
import { must } from "../../base/assert.ts";
import type { Ordinal } from "../../base/ids.ts";
import { clearBit, hasBit } from "../../codec/bitmap.ts";
import {
  type CountedDeletions,
  encodeTermCounts,
} from "../../segment/deletions/counted-deletions.ts";
import type { OpenSegment } from "../../segment/segment-reader.ts";
import { TEXT_INDEX } from "../../segment/text/text-index.ts";
import { TEXT_SECTION } from "../../segment/text/text-kinds.ts";
import { nameSegments } from "../../segment/view/named-columns.ts";
import type { SegmentSnapshot, SegmentView } from "../../segment/view/segment-view.ts";
import { together } from "../operator/missing-bytes.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { documentFrequency } from "./document-frequency.ts";

const WORDS = ["all", "half", "tenth", "one", "none"];
const schema = schemaOf({ text: { type: "string", fullTextSearch: fullText() } });

/** Documents with ids from `first` on, of which all have the first word, half the second, … */
function drawDocuments(first: number, count: number) {
  return Array.from({ length: count }, (_, i) => {
    const has = [true, i % 2 === 0, i % 10 === 0, i === 7, false];
    return documentOf(BigInt(first + i), { text: WORDS.filter((_word, w) => has[w]).join(" ") });
  });
}

/** Segments of which so many documents are deleted. */
function snapshotOf(...deletedCounts: readonly number[]) {
  const contents = deletedCounts.map((count, s) => {
    return {
      documents: drawDocuments(5000 * s, 900),
      deleted: drawDocuments(5000 * s + 1000, count),
    };
  });
  return openSnapshot(schema, contents);
}

test.each([0, 1, 3, 20, 400])("documents with a term are counted beside %i deleted", (deleted) => {
  const random = testRandom();
  const { segments } = snapshotOf(deleted, 0, random.below(100));
  // Some of those that were left are deleted, too, in any place.
  const pruned = segments.map((segment) => {
    const liveBitmap = Uint32Array.from(segment.liveBitmap);
    for (let times = random.below(deleted + 1); times > 0; times--) {
      liveBitmap[random.below(liveBitmap.length)] &= ~(1 << random.below(32));
    }
    const live = Array.from({ length: segment.view.documentCount }, (_, o) =>
      hasBit(liveBitmap, o),
    );
    const liveCount = live.filter(Boolean).length;
    return { view: segment.view, liveBitmap, liveCount, liveVersion: 1 };
  });
  for (const term of WORDS) {
    let expected = 0;
    for (const { view, liveBitmap } of pruned) {
      for (let o = 0; o < view.documentCount; o++) {
        const text = String(view.column("text")?.value(o as never) ?? "");
        if (hasBit(liveBitmap, o) && text.split(" ").includes(term)) expected++;
      }
    }
    expect(documentFrequency(pruned, { attribute: "text", term }, together), term).toBe(expected);
  }
});

/** Counts of all deleted documents of a segment, by looking at each text. */
function countedOf({ view, liveBitmap }: SegmentSnapshot): CountedDeletions {
  const text = view.index(TEXT_INDEX, "text");
  const counts = new Uint32Array(text?.termCount ?? 0);
  for (let code = 0; code < counts.length; code++) {
    for (let o = 0; o < view.documentCount; o++) {
      if (hasBit(liveBitmap, o)) continue;
      const words = String(view.column("text")?.value(o as Ordinal)).split(" ");
      if (words.includes(text?.term(code) ?? "")) counts[code]++;
    }
  }
  const terms = new Map([["text", encodeTermCounts(counts)]]);
  return { liveBitmap: liveBitmap.slice(), terms };
}

/** Segments of which nothing is in memory, and whose deleted documents are counted. */
function remoteCounted(near: Snapshot) {
  const counted = near.segments.map(countedOf);
  const { snapshot, sources } = remoteSnapshot(near);
  const segments = snapshot.segments.map((far, i) => ({ ...far, counted: counted[i] }));
  return { segments, sources };
}

/** The same segment after some more have deleted. */
function without(
  { view, liveBitmap: before, liveCount, liveVersion, counted }: SegmentSnapshot,
  ordinals: readonly number[],
): SegmentSnapshot {
  const liveBitmap = Uint32Array.from(before);
  const { length: deleted } = ordinals.filter((ordinal) => clearBit(liveBitmap, ordinal));
  return {
    view,
    liveBitmap,
    liveCount: liveCount - deleted,
    liveVersion: liveVersion + deleted,
    counted,
  };
}

const frequency = (segments: readonly SegmentSnapshot[], term: string) =>
  documentFrequency(segments, { attribute: "text", term, options: fullText() }, together);

test("no posting is read where all deleted documents are counted", () => {
  const near = snapshotOf(0, 30, 400);
  const { segments, sources } = remoteCounted(near);
  for (const term of WORDS) {
    expect(runRemote(sources, () => frequency(segments, term), 1)).toBe(
      frequency(near.segments, term),
    );
  }
  // What has the dictionary, and nothing else.
  expect(sources.map(({ rounds }) => rounds)).toEqual([1, 1, 1]);
});

test("lists are read of segments with deleted documents that are not counted", () => {
  const { snapshot, sources } = remoteSnapshot(snapshotOf(0, 30));
  expect(runRemote(sources, () => frequency(snapshot.segments, "half"), 2)).toBe(900);
  expect(sources.map(({ rounds }) => rounds)).toEqual([1, 2]);
});

test("those that were deleted since are looked up in lists that are in memory", () => {
  const random = testRandom();
  const near = snapshotOf(0, 30, 400);
  let segments = near.segments.map((segment): SegmentSnapshot => {
    return { ...without(segment, []), counted: countedOf(segment) };
  });
  for (let step = 0; step < effort({ usual: 8, full: 20 }); step++) {
    const older = segments;
    segments = segments.map((segment) => without(segment, [...random.bytes(random.below(40))]));
    // Queries of an older snapshot may come later.
    for (const some of [segments, older]) {
      for (const term of WORDS) expect(frequency(some, term), term).toBe(slowCount(some, term));
    }
  }
});

/** Looks at each text. */
function slowCount(segments: readonly SegmentSnapshot[], term: string): number {
  let count = 0;
  for (const { view, liveBitmap } of segments) {
    for (let o = 0; o < view.documentCount; o++) {
      if (!hasBit(liveBitmap, o)) continue;
      const text = String(view.column("text")?.value(o as Ordinal) ?? "");
      if (text.split(" ").includes(term)) count++;
    }
  }
  return count;
}

/** Documents with a word whose list is longer than a few documents take to be read. */
const MANY = 90_000;
let longList: Snapshot;
beforeAll(() => {
  longList = openSnapshot(schema, [{ documents: drawDocuments(0, MANY) }]);
});

test("texts of the few that were deleted since are read instead of a long list, once", () => {
  const { segments, sources } = remoteCounted(longList);
  const [segment] = segments;
  const [source] = sources;
  const later = [without(segment, [0, 7, 20])];
  // The dictionary; where blocks of documents are; three of them.
  expect(runRemote(sources, () => frequency(later, "all"), 3)).toBe(MANY - 3);
  expect(source.bytesLoaded).toBeLessThan(sizeOf(segment.view, TEXT_SECTION) + 2 * MANY);
  const { rounds } = source;
  for (const [term, count] of [
    ["half", MANY / 2 - 2],
    ["tenth", MANY / 10 - 2],
    ["one", 0],
  ] as const) {
    expect(runRemote(sources, () => frequency(later, term), 1)).toBe(count);
  }
  expect(source.rounds).toBe(rounds);
  // An older snapshot knows nothing of them.
  expect(runRemote(sources, () => frequency([segment], "all"), 1)).toBe(MANY);
  // Of many, the list is less.
  const many = [
    without(
      later[0],
      Array.from({ length: 50 }, (_, i) => 1000 + i),
    ),
  ];
  const before = source.bytesLoaded;
  expect(runRemote(sources, () => frequency(many, "all"), 2)).toBe(MANY - 53);
  expect(source.bytesLoaded - before).toBeGreaterThanOrEqual(2 * MANY);
});

test("texts are not read by other options than the index was made with", () => {
  const { segments, sources } = remoteCounted(longList);
  const later = [without(segments[0], [0])];
  const options = { ...fullText(), caseSensitive: true };
  const count = () =>
    documentFrequency(later, { attribute: "text", term: "all", options }, together);
  expect(runRemote(sources, count, 3)).toBe(MANY - 1);
  expect(sources[0].bytesLoaded).toBeGreaterThanOrEqual(2 * MANY);
});

test("counts are those of the column that an attribute has after it was dropped", () => {
  const [segment] = snapshotOf(30).segments;
  const counted = countedOf(segment);
  const attribute = must(schema.attributes.get("text"), "it is declared");
  const renamed = {
    ...schema,
    dropCount: 1,
    attributes: new Map([
      ["other", { ...attribute, column: "text" }],
      // Nobody's, although it is called as a column that has counts.
      ["text", { ...attribute, column: "$1:text" }],
    ]),
  };
  const [named] = nameSegments([{ ...without(segment, []), counted }], renamed);
  expect([...(named.counted?.terms.keys() ?? [])]).toEqual(["other"]);
  const of = { attribute: "other", term: "half" };
  expect(documentFrequency([named], of, together)).toBe(450);
});

test("counts of more documents than have a term are damage", () => {
  const near = snapshotOf(30);
  const [segment] = near.segments;
  const terms = new Map([["text", encodeTermCounts(new Uint32Array(10).fill(5000))]]);
  const counted = { liveBitmap: segment.liveBitmap.slice(), terms };
  expect(() => frequency([{ ...without(segment, []), counted }], "half")).toThrow(
    /more are deleted than the 465 with 'half'/,
  );
});

test("postings are counted once for each version of what is deleted", () => {
  const { snapshot, sources } = remoteSnapshot(snapshotOf(30));
  runRemote(sources, () => frequency(snapshot.segments, "half"), 3);
  for (const source of sources) source.drop();
  // The directory of terms is read again, but no postings.
  const { rounds } = sources[0];
  expect(runRemote(sources, () => frequency(snapshot.segments, "half"), 3)).toBe(450);
  expect(sources[0].rounds - rounds).toBe(1);
  const later = without(snapshot.segments[0], [LAST_OF_HALF]);
  expect(runRemote(sources, () => frequency([later], "half"), 3)).toBe(449);
});

/** The ordinal of a document with the word in a segment of `snapshotOf`. */
const LAST_OF_HALF = 898;

/** Bytes of a section of the texts. */
function sizeOf(view: SegmentView, kind: number): number {
  return (view as OpenSegment).sections("text").entry(kind)?.bytes ?? 0;
}
