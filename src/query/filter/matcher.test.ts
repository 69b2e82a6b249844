import { expect, test } from "vitest";
import {
  documentOf,
  openSnapshot,
  schemaOf,
  splitDocuments,
} from "../../../test/support/queries/query-fixture.ts";
import { seededRandom } from "../../base/random.ts";
import { bitmapOrdinals } from "../../codec/bitmap.ts";
import { filterSegment } from "../filter-segment.ts";
import { forEachMatch, matchBits, matchCount, matcherOf } from "../matching.ts";
import type { AttributeTest, Predicate } from "../predicate.ts";
import { listSet } from "../value-set.ts";
import { newCounters } from "../work-stats.ts";

function testOf(attribute: string, of: "uint" | "string", values: (bigint | string)[]) {
  const type = { kind: "scalar", of } as const;
  const scalar = { kind: "scalar", set: listSet(values), nullMatches: false } as const;
  return { kind: "test", attribute, type, test: scalar } satisfies AttributeTest;
}

test.each(["uint", "string"] as const)("lookups by %s id find what a filter finds", (idType) => {
  const idOf = (n: number) => (idType === "uint" ? BigInt(n) : `id-${n}`);
  for (let seed = 1; seed <= 100; seed++) {
    const random = seededRandom(seed);
    const documents = Array.from({ length: random.below(100) }, (_, n) =>
      documentOf(idOf(n), { n: BigInt(random.below(3)) }),
    );
    const dead = documents.filter(() => random.below(4) === 0);
    const schema = schemaOf({ n: "uint" }, { idType });
    const contents = splitDocuments(random, documents, 3, dead);
    const ids = Array.from({ length: random.below(6) }, () => idOf(random.below(120)));
    const byId = testOf("id", idType, ids);
    const parts: Predicate[] = [byId];
    if (random.below(2) === 0) parts.unshift(testOf("n", "uint", [1n]));
    const predicate: Predicate = parts.length === 1 ? byId : { kind: "and", predicates: parts };
    const match = matcherOf(predicate, idType, newCounters());
    for (const segment of openSnapshot(schema, contents).segments) {
      const where = `seed ${seed}`;
      const wanted = [...bitmapOrdinals(filterSegment(predicate, segment.view, segment.live))];
      const matching = match(segment);
      const found: number[] = [];
      forEachMatch(matching, (ordinals) => found.push(...ordinals));
      expect(found, where).toEqual(wanted);
      expect(matchCount(matching), where).toBe(wanted.length);
      expect([...bitmapOrdinals(matchBits(matching, segment.view))], where).toEqual(wanted);
    }
  }
});

test("a lookup looks at nothing but its documents", () => {
  const documents = Array.from({ length: 50 }, (_, n) => documentOf(BigInt(n)));
  const { segments } = openSnapshot(schemaOf({}), [{ documents }]);
  const work = newCounters();
  const match = matcherOf(testOf("id", "uint", [7n, 99n]), "uint", work);
  expect(match(segments[0])).toEqual({ form: "list", ordinals: Uint32Array.of(7) });
  expect(work.documentsScanned).toBe(1);
});
