import { expect, test } from "vitest";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import { NaiveDatabase } from "../../../test/support/queries/naive-database.ts";
import {
  documentOf,
  documentQuery,
  fullText,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
  splitDocuments,
} from "../../../test/support/queries/query-fixture.ts";
import { pick } from "../../../test/support/random/random-queries.ts";
import { runReads } from "../../../test/support/segments/remote-segment.ts";
import { seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import type { DocumentQuery } from "../../model/query.ts";
import type { RankedDocument } from "../documents/top-documents.ts";
import { runRequest } from "../executor/run-request.ts";
import { LimitedDocuments } from "./limited-documents.ts";

const bySegment = (sa: number, oa: number, sb: number, ob: number): number => sa - sb || oa - ob;

test("documents are the first of a sort of all whose group has not had its share", () => {
  for (let seed = 1; seed <= 400; seed++) {
    const random = seededRandom(seed);
    const [capacity, perGroup] = [random.below(12), 1 + random.below(3)];
    const groupCount = 1 + random.below(12);
    const groupOf = (segment: number, ordinal: number) => {
      return String(Math.imul(ordinal + 3, segment + 7) % groupCount);
    };
    const limited = new LimitedDocuments({ capacity, perGroup }, groupOf, bySegment);
    const offered: RankedDocument[] = [];
    let worst = Number.POSITIVE_INFINITY;
    // Keys that fall replace what is kept again and again.
    const fall = random.below(2);
    for (let ordinal = 0; ordinal < random.below(300); ordinal++) {
      const key = random.below(9) === 0 ? Number.NaN : random.below(6) - fall * ordinal;
      const document = { key, segment: random.below(3), ordinal };
      const { segment } = document;
      if (!Number.isNaN(key)) offered.push(document);
      const keys = Float64Array.of(key);
      if (random.below(2) === 0) limited.offer(key, segment, ordinal);
      else limited.offerAll(keys, segment, Uint32Array.of(ordinal));
      expect(limited.worstKey, `seed ${seed}`).toBeLessThanOrEqual(worst);
      worst = limited.worstKey;
    }
    const sorted = offered.sort((a, b) => {
      return a.key - b.key || bySegment(a.segment, a.ordinal, b.segment, b.ordinal);
    });
    const taken = new Map<string, number>();
    const expected = sorted.filter(({ segment, ordinal }) => {
      const count = (taken.get(groupOf(segment, ordinal)) ?? 0) + 1;
      taken.set(groupOf(segment, ordinal), count);
      return count <= perGroup;
    });
    expect(runSteps(limited.ranked()), `seed ${seed}`).toEqual(expected.slice(0, capacity));
  }
});

const SCHEMA = schemaOf({
  text: { type: "string", fullTextSearch: fullText() },
  city: { type: "string", filterable: true },
  word: { type: "string", filterable: false },
  year: "int",
  flag: "bool",
});

function drawDocument(random: ReturnType<typeof seededRandom>, id: number, cities: number) {
  const words = Array.from({ length: 1 + random.below(8) }, () => {
    return `w${Math.floor(30 ** random.next())}`;
  });
  return documentOf(BigInt(id), {
    text: words.join(" "),
    ...(random.below(9) > 0 && { city: `city ${random.below(cities)}` }),
    ...(random.below(9) > 0 && { word: ["", "null", "x", "y"][random.below(4)] }),
    ...(random.below(9) > 0 && { year: BigInt(random.below(40)) * 2n ** 55n }),
    ...(random.below(9) > 0 && { flag: random.below(2) === 0 }),
  });
}

test("answers with limits are those of the slow twin", () => {
  for (let seed = 1; seed <= 4; seed++) {
    const random = seededRandom(seed);
    const documents = Array.from({ length: 300 }, (_, i) => drawDocument(random, i, 50));
    const database = new NaiveDatabase(SCHEMA);
    database.apply({ upserts: documents });
    const snapshot = openSnapshot(SCHEMA, splitDocuments(random, documents, 1 + random.below(2)));
    for (let i = 0; i < 5; i++) {
      const attributes = [["city"], ["word"], ["year", "city"], ["flag", "word"], ["id"]];
      const query = `w${random.below(30)} w${random.below(6)}`;
      const rankBy = pick(random, [
        {
          kind: "score",
          expression: { kind: "bm25", attribute: "text", query, lastAsPrefix: false },
        },
        { kind: "order", keys: [{ attribute: "year", direction: "desc" }] },
      ] as const);
      const request = requestOf(
        documentQuery(rankBy, {
          limit: pick(random, [1, 10, 200]),
          offset: random.below(2) * random.below(20),
          limitPer: { attributes: pick(random, attributes), limit: 1 + random.below(3) },
          selection: { kind: "all" },
          filter: random.below(3) === 0 ? filterOf(["year", "Lt", 2 ** 59]) : undefined,
        }),
      );
      const { results } = runReads(runRequest(snapshot, request, { kernels: KERNELS }));
      expect(results, `seed ${seed}, query ${i}`).toEqual(database.query(request));
    }
  }
});

test("postings are passed over once the ranking is full of different groups", () => {
  const random = seededRandom(3);
  const documents = Array.from({ length: 30_000 }, (_, i) =>
    documentOf(BigInt(i), {
      text: `common ${i < 400 ? "common" : "filler"}`,
      city: `city ${i % 20}`,
      year: BigInt(random.below(10)),
    }),
  );
  const snapshot = openSnapshot(SCHEMA, [{ documents }]);
  const query = (limit: number): DocumentQuery =>
    documentQuery(
      {
        kind: "score",
        expression: { kind: "bm25", attribute: "text", query: "common", lastAsPrefix: false },
      },
      {
        limit,
        limitPer: { attributes: ["city"], limit: 2 },
        selection: { kind: "all" },
      },
    );
  const { results, stats } = runReads(
    runRequest(snapshot, requestOf(query(30)), { kernels: KERNELS }),
  );
  const [found] = results;
  if (found.kind !== "documents") throw new Error("no documents");
  const ids = Array.from({ length: 30 }, (_, i) => BigInt(i));
  expect(found.documents.map(({ id }) => id)).toEqual(ids);
  expect(stats.postingsTouched).toBeLessThan(3000);
  expect(stats.blocksSkipped).toBeGreaterThan(200);
  // No more than forty documents are let in, so that any other may be: all are scored.
  const all = runReads(runRequest(snapshot, requestOf(query(41)), { kernels: KERNELS }));
  expect(all.results).toMatchObject([{ documents: { length: 40 } }]);
  expect(all.stats.postingsTouched).toBe(30_000);
});
