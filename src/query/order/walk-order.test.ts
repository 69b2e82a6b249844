/** Orderings by a walk through sorted values against those that rank all matches. */

import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
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
import { pick } from "../../../test/support/random/random-queries.ts";
import {
  ALWAYS,
  NAMES,
  NEVER,
  operandOf,
  snapshotsOf,
  sortedFilter,
} from "../../../test/support/random/sorted-snapshots.ts";
import { runRemote } from "../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../test/support/segments/remote-snapshot.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps } from "../../base/steps.ts";
import type { DocumentQuery } from "../../model/query.ts";
import { runRequest } from "../executor/run-request.ts";
import type { Snapshot } from "../snapshot.ts";
import { walkPays } from "./pick-walk.ts";

function run(snapshot: Snapshot, query: DocumentQuery) {
  const { results, stats } = runSteps(runRequest(snapshot, requestOf(query), { kernels: KERNELS }));
  return { results, stats };
}

function ordered(
  attribute: string,
  direction: "asc" | "desc",
  rest: Partial<DocumentQuery>,
): DocumentQuery {
  return documentQuery({ kind: "order", keys: [{ attribute, direction }] }, rest);
}

function randomOrder(random: Random): DocumentQuery {
  const name = pick(random, NAMES);
  const range = () => [name, pick(random, ["Gt", "Gte", "Lt", "Lte"]), operandOf(random, name)];
  const filter = [
    undefined,
    range(),
    sortedFilter(random),
    ["And", [range(), sortedFilter(random)]],
    ["And", [range(), range()]],
    ["Or", [range(), range()]],
  ][random.below(6)];
  const further = [...new Set([pick(random, NAMES), pick(random, ["id", ...NAMES])])];
  const direction = () => pick(random, ["asc", "desc"] as const);
  const keys = [{ attribute: name, direction: direction() }];
  for (const attribute of further.slice(0, random.below(3))) {
    if (attribute !== name) keys.push({ attribute, direction: direction() });
  }
  const rankBy = { kind: "order", keys } as const;
  return documentQuery(rankBy, {
    limit: 1 + random.below(12),
    offset: random.below(3) === 0 ? random.below(20) : 0,
    filter: filter && filterOf(filter),
  });
}

describe.each(Array.from({ length: effort({ usual: 6, full: 40 }) }, (_, i) => 31_501 + i))(
  "seed %i",
  (seed) => {
    test("walks find what ranking all finds, near and far away", () => {
      const random = seededRandom(seed);
      const [sorted, all] = snapshotsOf(random);
      const { snapshot: far, sources } = remoteSnapshot(sorted);
      for (let i = 0; i < 100; i++) {
        const query = randomOrder(random);
        const where = JSON.stringify(query, (_, v) => (typeof v === "bigint" ? String(v) : v));
        const expected = run(all, query).results;
        expect(run(sorted, query).results, where).toEqual(expected);
        if (i % 10 > 0) continue;
        for (const source of sources) source.drop();
        expect(runRemote(sources, () => run(far, query), 5).results, where).toEqual(expected);
      }
    });
  },
);

test("filters and orders by sorted values find the same in parts", () => {
  const random = seededRandom(31_601);
  const [sorted, all] = snapshotsOf(random);
  const division = new ManyParts();
  for (let i = 0; i < 200; i++) {
    const query = randomOrder(random);
    const { results } = runSteps(
      runRequest(sorted, requestOf(query), { kernels: KERNELS, division }),
    );
    expect(results).toEqual(run(all, query).results);
  }
  expect(division.parts).toBeGreaterThan(200);
});

describe("work", () => {
  const COUNT = 64_000;
  const schema = schemaOf({ n: "int", all: "int", tag: "int", late: "bool" });
  const documents = Array.from({ length: COUNT }, (_, i) => {
    const n = (i * 7919) % COUNT;
    const attributes = {
      n: BigInt(n),
      all: BigInt(n),
      tag: BigInt(i % 1000),
      late: n >= COUNT - 32_000,
    };
    return documentOf(BigInt(i), n % 100 === 0 ? { ...attributes, n: null } : attributes);
  });
  const snapshot = openSnapshot(schema, [{ documents }], ALWAYS);
  const plain = openSnapshot(schema, [{ documents }], NEVER);
  const compare = (query: DocumentQuery) => {
    const { results, stats } = run(snapshot, query);
    expect(results).toEqual(run(plain, query).results);
    return stats.entriesTouched;
  };

  test("a walk ends after the last of the best", () => {
    expect(compare(ordered("n", "desc", { limit: 10 }))).toBe(1024);
    expect(compare(ordered("n", "desc", { limit: 2000 }))).toBe(2048);
    // Each value has 64 entries, all of which may win by their ids.
    expect(compare(ordered("tag", "asc", { limit: 10 }))).toBe(1024);
    // Further keys decide among these.
    const keys = [
      { attribute: "tag", direction: "desc" },
      { attribute: "all", direction: "asc" },
    ] as const;
    expect(compare(documentQuery({ kind: "order", keys }, { limit: 10 }))).toBe(1024);
    // Documents without a value come first.
    expect(compare(ordered("n", "asc", { limit: 10 }))).toBe(0);
    expect(compare(ordered("n", "asc", { limit: 1000 }))).toBe(1024);
  });

  test("each page by `Gt` costs the same", () => {
    const costs = new Set<number>();
    for (let last = 0; last < COUNT - 1000; last += 3000) {
      const query = ordered("n", "asc", { limit: 50, filter: filterOf(["n", "Gt", last]) });
      const filtered = ordered("n", "asc", { limit: 0, filter: query.filter });
      costs.add(compare(query) - run(snapshot, filtered).stats.entriesTouched);
      expect(run(snapshot, filtered).stats.entriesTouched).toBeLessThan(
        COUNT / 16 + 2 * (COUNT / 32),
      );
    }
    expect([...costs]).toEqual([1024]);
  });

  test("a walk that meets no matches gives up, and ranks all of them", () => {
    const query = ordered("all", "asc", { limit: 10, filter: filterOf(["late", "Eq", true]) });
    const filter = run(snapshot, { ...query, limit: 0 }).stats.entriesTouched;
    const walked = compare(query) - filter;
    expect(walked).toBeGreaterThan(30_000);
    expect(walked).toBeLessThan(34_000);
  });
});

test("a walk is chosen where matches are met soon", () => {
  const all = { entries: 1_000_000, valueEntries: 1, matches: 1_000_000, capacity: 10 };
  expect(walkPays(all)).toBe(true);
  expect(walkPays({ ...all, capacity: 499_998 })).toBe(true);
  expect(walkPays({ ...all, capacity: 500_000 })).toBe(false);
  expect(walkPays({ ...all, capacity: Number.POSITIVE_INFINITY })).toBe(false);
  expect(walkPays({ ...all, valueEntries: 500_000 })).toBe(false);
  // A walk passes over 100 entries for each match.
  expect(walkPays({ ...all, matches: 10_000 })).toBe(true);
  expect(walkPays({ ...all, matches: 10_000, capacity: 50 })).toBe(false);
  expect(walkPays({ ...all, matches: 1000 })).toBe(false);
  // They lie among few entries.
  expect(walkPays({ ...all, entries: 1000, matches: 1000 })).toBe(true);
  expect(walkPays({ ...all, matches: 0 })).toBe(false);
  expect(walkPays({ ...all, capacity: 0 })).toBe(false);
});
