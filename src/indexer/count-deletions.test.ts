import { expect, test } from "vitest";
import {
  documentOf,
  fullText,
  openSnapshot,
  schemaOf,
} from "../../test/support/queries/query-fixture.ts";
import { testRandom } from "../../test/support/random/seed.ts";
import { ordinalsOf } from "../../test/support/segments/plain-postings.ts";
import { runRemote } from "../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../test/support/segments/remote-snapshot.ts";
import { DatabaseError } from "../base/errors.ts";
import type { Ordinal } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import type { SegmentReads } from "../cache/segment-reads.ts";
import { hasBit } from "../codec/bitmap.ts";
import {
  type CountedDeletions,
  countOf,
  decodeTermCounts,
} from "../segment/deletions/counted-deletions.ts";
import { LiveSegment } from "../segment/memtable/live-segment.ts";
import type { OpenSegment } from "../segment/segment-reader.ts";
import { TEXT_INDEX } from "../segment/text/text-index.ts";
import { TEXT_LISTS } from "../segment/text/text-kinds.ts";
import { countDeletions, pickCounting } from "./count-deletions.ts";

const SCHEMA = schemaOf({
  text: { type: "string", fullTextSearch: fullText() },
  tags: { type: "[]string", fullTextSearch: fullText() },
  other: "string",
});
/** So many that their lists take more bytes than a document. */
const COUNT = 6000;
const pause = async () => {};

function openRemote(random: Random) {
  const word = () => `w${random.below(1 + random.below(300))}`;
  const documents = Array.from({ length: COUNT }, (_, i) => {
    const words = Array.from({ length: 8 }, word).join(" ");
    const tags = random.below(3) === 0 ? null : [word(), `${word()} ${word()}`];
    return documentOf(BigInt(i), { text: words, tags, other: word() });
  });
  const near = openSnapshot(SCHEMA, [{ documents }]);
  const { snapshot, sources } = remoteSnapshot(near);
  const [source] = sources;
  const reads = {
    run: async <T>(attempt: () => T) => runRemote(sources, attempt, 6),
  } as SegmentReads;
  const far = snapshot.segments[0].view as OpenSegment;
  return { near: near.segments[0].view as OpenSegment, far, source, reads };
}

function expectCounts(view: OpenSegment, counted: CountedDeletions | undefined): void {
  expect([...(counted?.terms.keys() ?? [])].sort()).toEqual(["tags", "text"]);
  for (const [column, bytes] of counted?.terms ?? []) {
    const text = view.index(TEXT_INDEX, column);
    const counts = decodeTermCounts(bytes);
    for (let code = 0; code < (text?.termCount ?? 0); code++) {
      const ordinals = text === undefined ? [] : ordinalsOf(text.postingsAt(code).ordinals);
      const deleted = [...ordinals].filter((o) => !hasBit(counted?.liveBitmap as Uint32Array, o));
      expect([column, code, countOf(counts, code)]).toEqual([column, code, deleted.length]);
    }
  }
}

test("deleted documents are counted by texts or by lists, on top of earlier counts", async () => {
  const random = testRandom();
  const { near, far, source, reads } = openRemote(random);
  const listBytes = far.sections("text").entry(TEXT_LISTS.kind)?.bytes ?? 0;
  let counted: CountedDeletions | undefined;
  let segment = new LiveSegment(far);
  for (const [deleted, areListsRead] of [
    [1, false],
    [20, false],
    [500, true],
    [1, false],
  ] as const) {
    const { liveBitmap } = segment;
    segment = new LiveSegment(far, { liveBitmap: liveBitmap.slice(), counted });
    while (segment.liveCount + deleted > liveCountOf(liveBitmap)) {
      segment.delete(random.below(COUNT) as Ordinal);
    }
    const before = source.bytesLoaded;
    source.drop();
    counted = await countDeletions(segment, { schema: SCHEMA, reads, yield: pause });
    expect(source.bytesLoaded - before > listBytes).toBe(areListsRead);
    expectCounts(near, counted);
    // A few more than are read by text wait for a later fold.
    const isCounted = counted?.liveBitmap.every((word, w) => word === segment.liveBitmap[w]);
    expect(isCounted).toBe(deleted !== 20);
  }
});

test("few are counted by texts, many by lists, and what is between later", () => {
  const of = { documentCount: 1_000_000, listBytes: 100 * 2 ** 20, areTextsSame: true };
  const picked = [1, 1600, 1601, 7812, 7813, 1e6].map((deletedCount) =>
    pickCounting({ ...of, deletedCount }),
  );
  expect(picked).toEqual(["texts", "texts", "later", "later", "lists", "lists"]);
  const others = [1, 7813].map((deletedCount) =>
    pickCounting({ ...of, areTextsSame: false, deletedCount }),
  );
  expect(others).toEqual(["later", "lists"]);
});

test("what cannot be read leaves the counts of before", async () => {
  const { far } = openRemote(testRandom());
  const counted = { liveBitmap: new LiveSegment(far).liveBitmap, terms: new Map() };
  const segment = new LiveSegment(far, { liveBitmap: counted.liveBitmap.slice(), counted });
  segment.delete(7 as Ordinal);
  const run = () => Promise.reject(new DatabaseError("corrupt", "damaged"));
  const reads = { run } as unknown as SegmentReads;
  expect(await countDeletions(segment, { schema: SCHEMA, reads, yield: pause })).toBe(counted);
});

test("a segment without texts has no counts", async () => {
  const schema = schemaOf({ other: "string" });
  const near = openSnapshot(schema, [{ documents: [documentOf(1n, { other: "a" })] }]);
  const segment = new LiveSegment(near.segments[0].view as OpenSegment);
  const reads = { run: async <T>(attempt: () => T) => attempt() } as SegmentReads;
  expect(await countDeletions(segment, { schema, reads, yield: pause })).toBeUndefined();
});

function liveCountOf(liveBitmap: Uint32Array): number {
  return Array.from({ length: COUNT }, (_, o) => hasBit(liveBitmap, o)).filter(Boolean).length;
}
