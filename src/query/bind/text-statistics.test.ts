import { expect, test } from "vitest";
import {
  documentOf,
  fullText,
  openSnapshot,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import { pick } from "../../../test/support/random/random-queries.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import { hasBit, popCount } from "../../codec/bitmap.ts";
import type { SegmentSnapshot } from "../../segment/view/segment-view.ts";
import { together } from "../operator/missing-bytes.ts";
import { textStatistics } from "./text-statistics.ts";

const schema = schemaOf({ text: { type: "string", fullTextSearch: fullText() } });

/** Texts of one to seven words. */
function drawDocuments(first: number, count: number) {
  return Array.from({ length: count }, (_, i) =>
    documentOf(BigInt(first + i), {
      text: Array(1 + (i % 7))
        .fill("word")
        .join(" "),
    }),
  );
}

test("lengths follow what is deleted, and what older snapshots have", () => {
  const random = testRandom();
  const content = { documents: drawDocuments(0, 900), deleted: drawDocuments(1000, 5) };
  const [segment] = openSnapshot(schema, [content]).segments;
  const { view } = segment;
  const liveBitmap = Uint32Array.from(segment.liveBitmap);
  const versions: SegmentSnapshot[] = [];
  for (let liveVersion = 1; liveVersion < 30; liveVersion++) {
    for (let times = random.below(40); times > 0; times--) {
      liveBitmap[random.below(liveBitmap.length)] &= ~(1 << random.below(32));
    }
    const liveCount = liveBitmap.reduce((sum, word) => sum + popCount(word), 0);
    versions.push({ view, liveBitmap: liveBitmap.slice(), liveCount, liveVersion });
  }
  for (let i = 0; i < 100; i++) {
    const version = pick(random, versions);
    let expected = { documentCount: 0, termCount: 0 };
    for (let o = 0; o < view.documentCount; o++) {
      if (!hasBit(version.liveBitmap, o)) continue;
      const words = String(view.column("text")?.value(o as never)).split(" ").length;
      const { documentCount, termCount } = expected;
      expected = { documentCount: documentCount + 1, termCount: termCount + words };
    }
    expect(textStatistics([version], "text", together)).toEqual(expected);
  }
});
