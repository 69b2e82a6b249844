/** Filters that run over some candidates of a segment, which look at a range of it. */

import { expect, test } from "vitest";
import { openSnapshot } from "../../../test/support/queries/query-fixture.ts";
import { EVERY_TYPE, randomDocuments } from "../../../test/support/random/random-documents.ts";
import {
  everyTypeSchema,
  pick,
  randomFilter,
} from "../../../test/support/random/random-queries.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import { fullBitmap, setBit } from "../../codec/bitmap.ts";
import { bindFilter } from "../bind/bind-filter.ts";
import { PatternBudget } from "../bind/pattern-budget.ts";
import { addRange, andBits, emptyBits, type OrdinalBits } from "../documents/ordinal-bits.ts";
import { together, togetherInSteps } from "../operator/missing-bytes.ts";
import type { Predicate } from "../operator/plan.ts";
import { newWorkStats } from "../operator/work-stats.ts";
import { OPERATORS } from "../operators.ts";

test("a filter finds among candidates what it finds among all documents", () => {
  const random = seededRandom(9401);
  for (let round = 0; round < 4; round++) {
    const idType = pick(random, ["uint", "string", "uuid"] as const);
    const schema = everyTypeSchema(idType, "cosine_distance");
    const documents = randomDocuments(random, 200, { idType, types: EVERY_TYPE, space: 400 });
    const { view } = openSnapshot(schema, [{ documents }]).segments[0];
    const count = view.documentCount;
    const all = fullBitmap(count);
    const run = (predicate: Predicate, within: OrdinalBits) => {
      const operator = OPERATORS.predicate(predicate);
      const each = { operators: OPERATORS, together, togetherInSteps, work: newWorkStats() };
      return runSteps(operator.run(predicate, { view, within, ...each }));
    };
    for (let i = 0; i < 150; i++) {
      const patterns = new PatternBudget();
      const scope = { schema, purpose: "query", requireIndex: () => undefined, patterns } as const;
      const predicate = runSteps(bindFilter(randomFilter(random, schema, 2), scope));
      const candidates = emptyBits(count);
      const start = random.below(count);
      if (random.below(2) === 0) addRange(candidates, all, start, start + random.below(70));
      else for (let n = random.below(4); n > 0; n--) setBit(candidates, random.below(count));
      andBits(candidates, all);
      const expected = andBits(run(predicate, all), candidates);
      // A clone has no pattern's verdicts from before.
      expect(run(structuredClone(predicate), candidates), `${round}, ${i}`).toEqual(expected);
      expect(run(predicate, candidates), `${round}, ${i}`).toEqual(expected);
    }
  }
});
