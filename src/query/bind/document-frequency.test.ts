import { expect, test } from "vitest";
import {
  documentOf,
  fullText,
  openSnapshot,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { runRemote } from "../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../test/support/segments/remote-snapshot.ts";
import { clearBit, hasBit } from "../../codec/bitmap.ts";
import { together } from "../executor/missing-bytes.ts";
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

test("postings are read only of segments with deleted documents", () => {
  const { snapshot, sources } = remoteSnapshot(snapshotOf(0, 30));
  const count = () =>
    documentFrequency(snapshot.segments, { attribute: "text", term: "half" }, together);
  expect(runRemote(sources, count, 2)).toBe(900);
  expect(sources.map(({ rounds }) => rounds)).toEqual([1, 2]);
});

/** The ordinal of a document with the word in a segment of `snapshotOf`. */
const LAST_OF_HALF = 898;

test("postings are counted once for each version of what is deleted", () => {
  const { snapshot, sources } = remoteSnapshot(snapshotOf(30));
  const count = (segments = snapshot.segments) =>
    documentFrequency(segments, { attribute: "text", term: "half" }, together);
  runRemote(sources, count, 3);
  for (const source of sources) source.drop();
  // The directory of terms is read again, but no postings.
  const { rounds } = sources[0];
  expect(runRemote(sources, count, 3)).toBe(450);
  expect(sources[0].rounds - rounds).toBe(1);
  const [segment] = snapshot.segments;
  const liveBitmap = Uint32Array.from(segment.liveBitmap);
  clearBit(liveBitmap, LAST_OF_HALF);
  const { view, liveCount } = segment;
  const later = { view, liveBitmap, liveCount: liveCount - 1, liveVersion: 1000 };
  expect(runRemote(sources, () => count([later]), 3)).toBe(449);
});
