import { expect, test } from "vitest";
import {
  documentOf,
  openSnapshot,
  schemaOf,
  splitDocuments,
} from "../../../test/support/queries/query-fixture.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { bitmapOrdinals } from "../../codec/bitmap.ts";
import { eachMatch, matchBits, matchCount } from "../documents/matched-documents.ts";
import { together, togetherInSteps } from "../operator/missing-bytes.ts";
import type { Predicate } from "../operator/plan.ts";
import { newWorkStats } from "../operator/work-stats.ts";
import { OPERATORS } from "../operators.ts";
import { allOf } from "./and.ts";
import { matcherOf } from "./matcher.ts";
import type { MembershipNode } from "./membership.ts";

const OPTIONS = { operators: OPERATORS, together, togetherInSteps };

function testOf(
  attribute: string,
  of: "uint" | "string",
  values: (bigint | string)[],
): MembershipNode {
  const type = { kind: "scalar", of } as const;
  return { kind: "membership", attribute, type, on: "value", values };
}

test.each(["uint", "string"] as const)("lookups by %s id find what a filter finds", (idType) => {
  const idOf = (n: number) => (idType === "uint" ? BigInt(n) : `id-${n}`);
  for (let seed = 1; seed <= 100; seed++) {
    const random = seededRandom(seed);
    const documents = Array.from({ length: random.below(100) }, (_, n) =>
      documentOf(idOf(n), { n: BigInt(random.below(3)) }),
    );
    const deleted = documents.filter(() => random.below(4) === 0);
    const schema = schemaOf({ n: "uint" }, { idType });
    const contents = splitDocuments(random, documents, 3, deleted);
    const ids = Array.from({ length: random.below(6) }, () => idOf(random.below(120)));
    const byId = testOf("id", idType, ids);
    const parts: Predicate[] = [byId];
    if (random.below(2) === 0) parts.unshift(testOf("n", "uint", [1n]));
    const predicate: Predicate = parts.length === 1 ? byId : allOf(parts);
    const match = matcherOf(predicate, { ...OPTIONS, idType, work: newWorkStats() });
    for (const segment of openSnapshot(schema, contents).segments) {
      const where = `seed ${seed}`;
      const { view, liveBitmap } = segment;
      const run = { ...OPTIONS, view, within: liveBitmap, work: newWorkStats() };
      const wanted = [
        ...bitmapOrdinals(runSteps(OPERATORS.predicate(predicate).run(predicate, run))),
      ];
      const matching = runSteps(match(segment));
      const found: number[] = [];
      runSteps(eachMatch(matching, (ordinals) => found.push(...ordinals)));
      expect(found, where).toEqual(wanted);
      expect(matchCount(matching), where).toBe(wanted.length);
      expect([...bitmapOrdinals(matchBits(matching, view))], where).toEqual(wanted);
    }
  }
});

test("a lookup looks at nothing but its documents", () => {
  const documents = Array.from({ length: 50 }, (_, n) => documentOf(BigInt(n)));
  const { segments } = openSnapshot(schemaOf({}), [{ documents }]);
  const work = newWorkStats();
  const match = matcherOf(testOf("id", "uint", [7n, 99n]), { ...OPTIONS, idType: "uint", work });
  expect(runSteps(match(segments[0]))).toEqual({ form: "list", ordinals: Uint32Array.of(7) });
  expect(work.documentsScanned).toBe(1);
});
