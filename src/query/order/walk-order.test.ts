/** Orderings by a walk through sorted values against those that rank all matches. */

import { describe, expect, test } from "vitest";
import { cases, effort } from "../../../test/support/effort.ts";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import { ManyParts } from "../../../test/support/queries/many-parts.ts";
import { naiveCompare } from "../../../test/support/queries/naive-filter.ts";
import {
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
  splitDocuments,
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
import { runReads, runRemote } from "../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../test/support/segments/remote-snapshot.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { ORDER_BY_MAX } from "../../model/contract-limits.ts";
import type { DocumentQuery } from "../../model/query.ts";
import type { ScalarValue } from "../../model/value.ts";
import { runRequest } from "../executor/run-request.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { walkPays } from "./pick-walk.ts";

function run(snapshot: Snapshot, query: DocumentQuery) {
  const { results, stats } = runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS }));
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

describe.each(Array.from({ length: cases({ usual: 2, full: 40 }) }, (_, i) => 31_501 + i))(
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

test("orders by up to eight keys are those of a plain sort", () => {
  const types = ["int", "uint", "float", "bool", "datetime", "string", "uuid", "int"];
  const schema = schemaOf(Object.fromEntries(types.map((type, i) => [`${type}${i}`, type])));
  const names = [...schema.attributes.keys()];
  let walked = 0;
  for (let seed = 31_701; seed <= effort({ usual: 31_703, full: 31_712 }); seed++) {
    const random = seededRandom(seed);
    // Two values and null of each, so that documents differ by their last keys alone.
    const documents = Array.from({ length: 600 + random.below(600) }, (_, i) => {
      const values = names.flatMap((name, n): [string, ScalarValue][] => {
        const which = random.below(n === 0 ? 40 : 3);
        return which === 2 ? [] : [[name, keyValue(types[n], which)]];
      });
      return documentOf(BigInt(i), Object.fromEntries(values));
    });
    const contents = splitDocuments(random, documents, 1 + random.below(2));
    const [sorted, all] = [ALWAYS, NEVER].map((own) => openSnapshot(schema, contents, own));
    for (let count = 1; count <= ORDER_BY_MAX; count++) {
      const keys = names.slice(0, count).map((attribute) => {
        return { attribute, direction: pick(random, ["asc", "desc"] as const) };
      });
      const expected = [...documents].sort((a, b) => {
        for (const { attribute, direction } of keys) {
          const [x, y] = [a, b].map(({ attributes }) => attributes.get(attribute) ?? null);
          const order = naiveCompare(x as ScalarValue, y as ScalarValue);
          if (order !== 0) return direction === "asc" ? order : -order;
        }
        return naiveCompare(a.id, b.id);
      });
      const limit = 1 + random.below(200);
      const query = documentQuery({ kind: "order", keys }, { limit });
      for (const snapshot of [sorted, all]) {
        const { results, stats } = run(snapshot, query);
        const [result] = results;
        if (count > 3) walked += stats.entriesTouched;
        const ids = result.kind === "documents" ? result.documents.map(({ id }) => id) : [];
        expect(ids, `seed ${seed}, ${count} keys`).toEqual(
          expected.slice(0, limit).map(({ id }) => id),
        );
      }
    }
  }
  expect(walked).toBeGreaterThan(1000);
});

/** One of many values of a type, in the order of their numbers. */
function keyValue(type: string, number: number): ScalarValue {
  switch (type) {
    case "float":
      return number - 0.5;
    case "bool":
      return number % 2 === 1;
    case "string":
      return `s${String(number).padStart(2, "0")}`;
    case "uuid":
      return `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`;
    default:
      return BigInt(number);
  }
}

test("filters and orders by sorted values find the same in parts", () => {
  const random = seededRandom(31_601);
  const [sorted, all] = snapshotsOf(random);
  const division = new ManyParts();
  for (let i = 0; i < effort({ usual: 80, full: 200 }); i++) {
    const query = randomOrder(random);
    const { results } = runReads(
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
