/** Ranges and orders of ids against a plain list of the documents. */

import { describe, expect, test } from "vitest";
import { cases, effort } from "../../../test/support/effort.ts";
import { expectEqual } from "../../../test/support/expect-equal.ts";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import { ManyParts } from "../../../test/support/queries/many-parts.ts";
import {
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../test/support/queries/query-fixture.ts";
import {
  drawId,
  type IdSnapshot,
  idSnapshot,
  TAGS,
} from "../../../test/support/random/id-snapshots.ts";
import { pick } from "../../../test/support/random/random-queries.ts";
import { runReads, runRemote } from "../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../test/support/segments/remote-snapshot.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import type { TypedDocument } from "../../codec/columns-builder.ts";
import type { IdType } from "../../model/attribute-type.ts";
import type { Query } from "../../model/query.ts";
import { compareScalars, type DocumentId } from "../../model/value.ts";
import { ID_ORDER_SECTIONS } from "../../segment/ids/id-order-section.ts";
import { ID_SECTIONS } from "../../segment/ids/id-section.ts";
import { matchesSchema } from "../../segment/missing-indexes.ts";
import type { OpenSegment } from "../../segment/segment-reader.ts";
import { sealSegment, verifySegment } from "../../segment/segment-seal.ts";
import { explainRequest, runRequest } from "../executor/run-request.ts";
import type { Snapshot } from "../operator/snapshot.ts";

interface PlainQuery {
  readonly filter: readonly unknown[] | undefined;
  readonly passes: (document: TypedDocument) => boolean;
}

const OPERATORS: Readonly<Record<string, (order: number) => boolean>> = {
  Lt: (order) => order < 0,
  Lte: (order) => order <= 0,
  Gt: (order) => order > 0,
  Gte: (order) => order >= 0,
};

/** A filter, and what it says of one document. */
function randomFilter(random: Random, { live, snapshot }: IdSnapshot, depth = 0): PlainQuery {
  const kind = random.below(depth === 2 ? 4 : 8);
  if (kind === 0)
    return { filter: ["tag", "Lt", 3], passes: ({ attributes }) => tagOf(attributes) < 3 };
  if (kind < 6) {
    const operator = pick(random, Object.keys(OPERATORS));
    const idType = snapshot.schema.idType ?? "uint";
    const end = random.below(4) === 0 ? drawId(random, idType) : pick(random, live).id;
    const passes = ({ id }: TypedDocument) => OPERATORS[operator](compareScalars(id, end));
    return { filter: ["id", operator, end], passes };
  }
  if (kind === 6) {
    const { filter, passes } = randomFilter(random, { live, snapshot }, depth + 1);
    return { filter: ["Not", filter], passes: (document) => !passes(document) };
  }
  const parts = [1, 2].map(() => randomFilter(random, { live, snapshot }, depth + 1));
  const filters = parts.map(({ filter }) => filter);
  if (random.below(2) === 0) {
    return { filter: ["And", filters], passes: (one) => parts.every(({ passes }) => passes(one)) };
  }
  return { filter: ["Or", filters], passes: (one) => parts.some(({ passes }) => passes(one)) };
}

function tagOf(attributes: TypedDocument["attributes"]): number {
  return Number(attributes.get("tag"));
}

function byId(direction: "asc" | "desc", filter: readonly unknown[] | undefined, limit: number) {
  return documentQuery(
    { kind: "order", keys: [{ attribute: "id", direction }] },
    { limit, filter: filter && filterOf(filter) },
  );
}

function counting(filter: readonly unknown[] | undefined): Query {
  return {
    kind: "aggregate",
    aggregates: new Map([["count", { kind: "count" }]]),
    filter: filter && filterOf(filter),
    groupBy: [],
    groupLimit: 1,
  };
}

function run(snapshot: Snapshot, query: Query) {
  const { results, stats } = runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS }));
  const [result] = results;
  const ids = result.kind === "documents" ? result.documents.map(({ id }) => id) : [];
  return { ids, results, stats };
}

function countOf(snapshot: Snapshot, filter: readonly unknown[] | undefined) {
  const { results, stats } = run(snapshot, counting(filter));
  const [result] = results;
  if (result.kind !== "aggregates") throw new Error("no aggregates");
  return { count: Number(result.aggregates[0][1]), stats };
}

/** The same where the matches are found: a part of an `Or` is not counted by its place in order. */
function foundBy(snapshot: Snapshot, filter: readonly unknown[] | undefined) {
  return countOf(snapshot, filter && ["Or", [filter]]);
}

const ID_TYPES: readonly IdType[] = ["uint", "uuid", "string"];
const SEEDS = Array.from({ length: cases({ usual: 1, full: 20 }) }, (_, i) => 48_301 + i);

const QUERIES = effort({ usual: 15, full: 60 });

describe.each(ID_TYPES.flatMap((idType) => SEEDS.map((seed) => [idType, seed] as const)))(
  "ids of type %s, seed %i",
  (idType, seed) => {
    const given = idSnapshot(seededRandom(seed), idType);
    const { snapshot, live } = given;

    test("filters and orders by id find what a list has", () => {
      const random = seededRandom(seed + 1000);
      for (const { view } of snapshot.segments) {
        verifySegment(sealSegment(view as OpenSegment));
        expect(matchesSchema(view as OpenSegment, snapshot.schema)).toBe(true);
      }
      let entries = 0;
      const { snapshot: far, sources } = remoteSnapshot(snapshot);
      for (let i = 0; i < QUERIES; i++) {
        const { filter, passes } = randomFilter(random, given);
        const direction = pick(random, ["asc", "desc"] as const);
        const limit = pick(random, [1, 10, 1023, 1024, 1025, 3000]);
        const where = `${JSON.stringify(filter, (_, v) => String(v))} ${direction} ${limit}`;
        const matching = live.filter(passes).map(({ id }) => id);
        if (direction === "desc") matching.reverse();
        const query = byId(direction, filter, limit);
        const found = run(snapshot, query);
        expectEqual(found.ids, matching.slice(0, limit), where);
        entries += found.stats.entriesTouched;
        expect(countOf(snapshot, filter).count, where).toBe(matching.length);
        if (i % 10 > 0) continue;
        for (const source of sources) source.drop();
        const foundFar = runRemote(sources, () => run(far, query).ids, 4);
        expectEqual(foundFar, found.ids, where);
      }
      expect(entries).toBeGreaterThan(10_000);
    });

    test("they find the same in parts", () => {
      const random = seededRandom(seed + 2000);
      const division = new ManyParts();
      for (let i = 0; i < effort({ usual: 10, full: 20 }); i++) {
        const { filter } = randomFilter(random, given);
        const query = byId(pick(random, ["asc", "desc"] as const), filter, 100);
        const options = { kernels: KERNELS, division };
        const { results } = runReads(runRequest(snapshot, requestOf(query), options));
        expect(
          results,
          JSON.stringify(filter, (_, v) => String(v)),
        ).toEqual(run(snapshot, query).results);
      }
      expect(division.parts).toBeGreaterThan(100);
    });

    test("pages by `Gt` and by `Lt` have each document once", () => {
      for (const [direction, operator] of [
        ["asc", "Gt"],
        ["desc", "Lt"],
      ] as const) {
        const seen: DocumentId[] = [];
        let page = run(snapshot, byId(direction, undefined, 700)).ids;
        while (page.length > 0) {
          seen.push(...page);
          page = run(snapshot, byId(direction, ["id", operator, seen[seen.length - 1]], 700)).ids;
        }
        const all = live.map(({ id }) => id);
        expectEqual(seen, direction === "asc" ? all : all.reverse());
      }
    });
  },
);

describe("work", () => {
  const COUNT = 64_000;
  const WORDS = COUNT / 32;
  const schema = schemaOf({ tag: "int" });
  const idsOf = (step: number) => Array.from({ length: COUNT }, (_, i) => (i * step) % COUNT);
  const opened = (ids: readonly number[]): Snapshot => {
    const documents = ids.map((id) => documentOf(BigInt(id), { tag: BigInt(id % TAGS) }));
    return openSnapshot(schema, [{ documents }]);
  };
  const shuffled = opened(idsOf(7919));
  const ascending = opened(idsOf(1));

  test.each([
    ["asc", undefined, 10, [0, 10]],
    ["desc", undefined, 10, [COUNT - 1, COUNT - 11]],
    ["asc", ["id", "Gt", 31_999], 800, [32_000, 32_800]],
    ["desc", ["id", "Lte", 31_999], 800, [31_999, 31_199]],
  ] as const)(
    "%s, %j: a walk ends after the last of %i",
    (direction, filter, limit, [from, to]) => {
      const step = Math.sign(to - from);
      const expected = Array.from({ length: limit }, (_, i) => BigInt(from + step * i));
      for (const snapshot of [shuffled, ascending]) {
        const filtered = foundBy(snapshot, filter).stats.entriesTouched;
        const { ids, stats } = run(snapshot, byId(direction, filter, limit));
        expect(ids).toEqual(expected);
        expect(stats.entriesTouched - (filter === undefined ? 0 : filtered)).toBe(1024);
        // No match is ranked but those that are returned.
        expect(stats).toMatchObject({ valuesCompared: 0, candidatesSkipped: 0 });
      }
    },
  );

  test("each page by `Gt` costs the same", () => {
    const costs = new Set<number>();
    for (let last = 0; last < COUNT - 1000; last += 3000) {
      const filter = ["id", "Gt", last];
      const { stats, count } = foundBy(shuffled, filter);
      expect(count).toBe(COUNT - 1 - last);
      expect(stats.entriesTouched).toBeLessThan(COUNT / 16 + 2 * WORDS + 128);
      const page = run(shuffled, byId("asc", filter, 50));
      costs.add(page.stats.entriesTouched - stats.entriesTouched);
    }
    expect([...costs]).toEqual([1024]);
  });

  test.each([
    // From the milestones of half of the entries and of all.
    [["id", "Gte", 32_000], 2 * WORDS, WORDS / 2],
    [["id", "Lt", 32_100], 100 + WORDS, 1004],
    [["id", "Lt", 100], 100, 4],
    [["id", "Gt", COUNT], 0, 0],
  ])("%j touches %o entries, in ascending segments %o words", (filter, entries, words) => {
    const [first, second] = [shuffled, ascending].map((snapshot) => foundBy(snapshot, filter));
    expect(first.count).toBe(second.count);
    expect(first.stats).toMatchObject({ entriesTouched: entries, valuesCompared: 0 });
    expect(second.stats).toMatchObject({ entriesTouched: words, valuesCompared: 0 });
  });

  test("a cold page reads ids, and what it needs of their order", () => {
    const { snapshot, sources } = remoteSnapshot(shuffled);
    const view = snapshot.segments[0].view as OpenSegment;
    const bytesOf = (kind: number) => view.sections("").entry(kind)?.bytes ?? 0;
    runRemote(sources, () => run(snapshot, byId("asc", ["id", "Gt", 40_001], 10)), 4);
    // A bitmap of 40,000 entries, those beside it in which the place is, and those that are walked.
    const read =
      bytesOf(ID_SECTIONS.ids) +
      bytesOf(ID_ORDER_SECTIONS.directory) +
      4 * WORDS +
      4 * (127 + 1024);
    expect([sources[0].rounds, sources[0].bytesLoaded]).toEqual([2, read]);
  });

  test("an explanation says in how many segments it walks", () => {
    const explain = (snapshot: Snapshot) =>
      runReads(
        explainRequest(snapshot, requestOf(byId("asc", undefined, 10)), { kernels: KERNELS }),
      );
    const few = openSnapshot(schema, [{ documents: [documentOf(BigInt(COUNT), { tag: 1n })] }]);
    const both = { ...shuffled, segments: [...shuffled.segments, ...few.segments] };
    expect(explain(both)).toContain(
      "Order: id asc\n  in 1 of 2 segments by a walk through documents in order of\n  id, where",
    );
    expect(explain(few)).not.toContain("walk");
  });
});
