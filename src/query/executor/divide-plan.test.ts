/** Plans that are divided at random against the same plans undivided. */

import { describe, expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { filterOf } from "../../../test/support/queries/filter-notation.ts";
import {
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
  splitDocuments,
} from "../../../test/support/queries/query-fixture.ts";
import { EVERY_TYPE, randomDocuments } from "../../../test/support/random/random-documents.ts";
import {
  everyTypeSchema,
  pick,
  randomFilter,
  randomQuery,
  randomVectorRank,
} from "../../../test/support/random/random-queries.ts";
import { clusteredSnapshot } from "../../../test/support/segments/clustered-snapshot.ts";
import { runReads, runRemote } from "../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../test/support/segments/remote-snapshot.ts";
import { sortedIndexes } from "../../../test/support/segments/sorted-indexes.ts";
import { MemoryPool } from "../../base/memory-pool.ts";
import { type Random, seededRandom } from "../../base/random.ts";
import { runSteps, type Steps } from "../../base/steps.ts";
import type { Filter } from "../../model/filter.ts";
import type { GroupKey, Query } from "../../model/query.ts";
import { BytesMissing } from "../../segment/format/bytes-missing.ts";
import type { AttributeIndex } from "../../segment/view/attribute-index.ts";
import type { DividedPlan, Division, PartOutcome, PlanPart } from "../operator/division.ts";
import { QueryMemory } from "../operator/query-memory.ts";
import type { Snapshot } from "../operator/snapshot.ts";
import { decodeFindings, encodeFindings, runPart } from "./findings.ts";
import { type RequestOutcome, runRequest } from "./run-request.ts";

const OPTIONS = { kernels: KERNELS };
const QUERIES = effort({ usual: 12, full: 40 });
/** More than any query over remote segments needs. */
const ROUNDS_MAX = 8;

/** Divides whatever can be; half of the parts are run from clones, as on another thread. */
class RandomDivision implements Division {
  readonly helperCount = 1;
  readonly limits = { documentsMin: 1, rangeDocuments: 1, restMsMin: 0 };
  /** Parts of each plan that was divided. */
  readonly divided: (readonly PlanPart[])[] = [];
  readonly #random: Random;
  #nowMs = 0;

  constructor(random: Random) {
    this.#random = random;
    this.limits.rangeDocuments = 1 + random.below(9);
  }

  workedMs(): number {
    this.#nowMs += this.#random.below(20);
    return this.#nowMs;
  }

  *runParts(
    divided: DividedPlan,
    run: (part: PlanPart) => Steps<PartOutcome>,
  ): Steps<PartOutcome[]> {
    this.divided.push(divided.parts);
    const outcomes: PartOutcome[] = [];
    for (const part of divided.parts) {
      outcomes.push(this.#random.below(2) === 0 ? yield* run(part) : elsewhere(divided, part));
    }
    // What is found in parts may be put together in any order.
    return outcomes.sort(() => this.#random.next() - 0.5);
  }
}

/** What depends on which documents were met first, or on how values were looked at. */
const DIVIDED = {
  candidatesSkipped: 0,
  postingsTouched: 0,
  valuesCompared: 0,
  stringsTested: 0,
  textsAnalyzed: 0,
  positionsRead: 0,
  entriesTouched: 0,
};

/** The outcome without it. */
function unskipped({ results, stats }: RequestOutcome) {
  return { results, stats: { ...stats, ...DIVIDED } };
}

/** What another thread would give. */
function elsewhere({ plan, snapshot }: DividedPlan, part: PlanPart): PartOutcome {
  const run = runPart(structuredClone(plan), part, { snapshot, options: OPTIONS });
  const { findings, work } = runSteps(run);
  const data = structuredClone(encodeFindings(findings));
  return { findings: decodeFindings(plan, data), work };
}

function randomNamespace(seed: number) {
  const random = seededRandom(seed);
  const idType = pick(random, ["uint", "string", "uuid"] as const);
  const metric = pick(random, ["cosine_distance", "euclidean_squared"] as const);
  const schema = everyTypeSchema(idType, metric);
  const options = { idType, types: EVERY_TYPE, space: 140 } as const;
  const documents = randomDocuments(random, 20 + random.below(100), options);
  const deleted = randomDocuments(random, 30, options);
  const splits = [1, 2, 6].map((count) => splitDocuments(random, documents, count, deleted));
  return { random, schema, snapshots: splits.map((split) => openSnapshot(schema, split)) };
}

/** Runs a query over remote segments, and counts how often it waits for bytes. */
function runRounds<T>(
  { snapshot, sources }: ReturnType<typeof remoteSnapshot>,
  run: (snapshot: Snapshot) => T,
): { readonly outcome: T; readonly rounds: number } {
  let rounds = 0;
  const waits = (): void => {
    rounds++;
  };
  const outcome = runRemote(sources, () => run(snapshot), ROUNDS_MAX, waits);
  return { outcome, rounds };
}

describe.each(Array.from({ length: effort({ usual: 2, full: 4 }) }, (_, round) => 9301 + round))(
  "seed %i",
  (seed) => {
    test("answers and costs of divided plans are those of whole ones, bit for bit", () => {
      const { random, schema, snapshots } = randomNamespace(seed);
      const all = [...snapshots, clusteredSnapshot(snapshots[1], { clusterRows: 3 })];
      let partCount = 0;
      for (let i = 0; i < QUERIES; i++) {
        const filter = random.below(2) === 0 ? undefined : randomFilter(random, schema, 1);
        const near = documentQuery(randomVectorRank(random), {
          filter,
          limit: 1 + random.below(20),
        });
        const request = requestOf(randomQuery(random, schema), near);
        for (const snapshot of all) {
          const division = new RandomDivision(random);
          const divided = runReads(runRequest(snapshot, request, { ...OPTIONS, division }));
          const whole = runReads(runRequest(snapshot, request, OPTIONS));
          expect(unskipped(divided), `query ${i}`).toEqual(unskipped(whole));
          for (const parts of division.divided) partCount += parts.length;
        }
      }
      expect(partCount).toBeGreaterThan(QUERIES * all.length);
    });

    test("remote segments: bytes are asked for as by a whole plan; the next is divided", () => {
      const { random, schema, snapshots } = randomNamespace(seed);
      const remote = remoteSnapshot(snapshots[2]);
      const alone = remoteSnapshot(snapshots[2]);
      let dividedCount = 0;
      for (let i = 0; i < QUERIES; i++) {
        const filter = random.below(2) === 0 ? undefined : randomFilter(random, schema, 1);
        const near = documentQuery(randomVectorRank(random), {
          filter,
          limit: 1 + random.below(20),
        });
        const request = requestOf(randomQuery(random, schema), near);
        const divided = (snapshot: Snapshot) => {
          const division = new RandomDivision(random);
          const outcome = runReads(runRequest(snapshot, request, { ...OPTIONS, division }));
          dividedCount += division.divided.length;
          return outcome;
        };
        const found = runRounds(remote, divided);
        const again = runRounds(remote, divided);
        const whole = runRounds(alone, (snapshot) =>
          runReads(runRequest(snapshot, request, OPTIONS)),
        );
        expect(unskipped(found.outcome), `query ${i}`).toEqual(unskipped(whole.outcome));
        expect(found.rounds, `query ${i}`).toBeLessThanOrEqual(whole.rounds);
        expect(unskipped(again.outcome), `query ${i}`).toEqual(unskipped(whole.outcome));
        expect(again.rounds, `query ${i}`).toBe(0);
        if (random.below(3) > 0) continue;
        for (const source of [...remote.sources, ...alone.sources]) source.drop();
      }
      expect(dividedCount).toBeGreaterThan(QUERIES / 4);
    });
  },
);

describe("when a plan is divided", () => {
  const schema = schemaOf({ n: "int", tag: "string" });
  const documents = Array.from({ length: 100 }, (_, i) => {
    return documentOf(BigInt(i), { n: BigInt(i % 7), tag: `t${i % 3}` });
  });
  const count = (filter: Filter | undefined, groupBy: GroupKey[] = []): Query => ({
    kind: "aggregate",
    filter,
    aggregates: new Map([["n", { kind: "count" }]]),
    groupBy,
    groupLimit: 2,
  });
  const LIMITS = { documentsMin: 50, rangeDocuments: 4, restMsMin: 3 };

  /**
   * Runs a query each of whose parts takes so many milliseconds, the first one `firstMs`, whatever
   * it holds.
   */
  function divide(
    query: Query,
    partMs: number,
    contents = [{ documents }],
    {
      helperCount = 1,
      indexes,
      firstMs = partMs,
    }: { helperCount?: number; indexes?: AttributeIndex[]; firstMs?: number } = {},
  ) {
    const snapshot = openSnapshot(schema, contents, indexes);
    let nowMs = 0;
    let askedCount = 0;
    let parts: readonly PlanPart[] = [];
    const division: Division = {
      helperCount,
      limits: LIMITS,
      // Asked before each part that is timed, and behind it.
      workedMs: () => {
        const ms = askedCount++ < 2 ? firstMs : partMs;
        nowMs += ms;
        return nowMs;
      },
      *runParts(divided, run) {
        parts = divided.parts;
        const outcomes: PartOutcome[] = [];
        for (const part of parts) outcomes.push(yield* run(part));
        return outcomes;
      },
    };
    const found = runReads(runRequest(snapshot, requestOf(query), { ...OPTIONS, division }));
    const whole = runReads(runRequest(snapshot, requestOf(query), OPTIONS));
    expect(unskipped(found)).toEqual(unskipped(whole));
    return parts;
  }

  test("memory of parts is given back where the plan is run as a whole after them", () => {
    const near = openSnapshot(schema, [{ documents }]);
    const far = remoteSnapshot(openSnapshot(schema, [{ documents }, { documents }]));
    const snapshot = { ...near, segments: [...near.segments, ...far.snapshot.segments] };
    const byTag = count(undefined, [{ kind: "attribute", attribute: "tag" }]);
    const alone = new QueryMemory(new MemoryPool(1 << 20));
    runReads(runRequest(near, requestOf(byTag), { ...OPTIONS, memory: alone }));
    // Of the three groups of what is near, once.
    expect(alone.bytes).toBeGreaterThan(0);
    const memory = new QueryMemory(new MemoryPool(alone.bytes));
    const division = new RandomDivision(seededRandom(3));
    const steps = runRequest(snapshot, requestOf(byTag), { ...OPTIONS, division, memory });
    let next = steps.next();
    while (next.value === undefined) next = steps.next();
    expect(next.value).toBeInstanceOf(BytesMissing);
    expect(memory.bytes).toBe(0);
  });

  test("one that takes long is, by ranges that cover the rest once", () => {
    const parts = divide(count(filterOf(["n", "Gt", 2])), 2.5);
    const ranges = parts.flat().sort((a, b) => a.start - b.start);
    // Two were timed.
    expect(ranges.at(0)?.start).toBe(8);
    expect(ranges.at(-1)?.end).toBe(100);
    for (const [i, { start }] of ranges.slice(1).entries()) expect(start).toBe(ranges[i].end);
    // No part takes longer than 5 ms, of which 4 documents take 2.5; the last has what is left.
    const sizes = parts.map(([{ start, end }]) => end - start);
    expect(Math.max(...sizes.slice(0, -1))).toBe(8);
    expect(sizes.at(-1)).toBe(12);
  });

  test("a short one is not, nor one of few documents, nor where nobody helps", () => {
    const compared = count(filterOf(["n", "Gt", 2]));
    expect(divide(compared, 0.1)).toEqual([]);
    const contents = [0, 30, 55, 80].map((from, i, starts) => {
      return { documents: documents.slice(from, starts[i + 1]) };
    });
    expect(divide(compared, 0.1, contents)).toEqual([]);
    expect(divide(compared, 10, [{ documents: documents.slice(0, 49) }])).toEqual([]);
    expect(divide(compared, 10, [{ documents }], { helperCount: 0 })).toEqual([]);
  });

  test("one that is large is not, since to copy it takes long", () => {
    const anyOf = (partCount: number) =>
      count(filterOf(["Or", Array.from({ length: partCount }, (_, i) => ["n", "Gt", i + 2])]));
    expect(divide(anyOf(20), 2.5)).not.toEqual([]);
    expect(divide(anyOf(8000), 2.5)).toEqual([]);
  });

  test("one of which a part takes as long whatever it holds is not, if that is short", () => {
    // By the first part alone the rest would seem to take 24 times as long.
    const compared = count(filterOf(["n", "Gt", 2]));
    expect(divide(compared, 0.3)).toEqual([]);
    expect(divide(compared, 0.9)).not.toEqual([]);
  });

  test("one whose first part finds what all parts need is not, if the rest is short", () => {
    const matching = count(filterOf(["tag", "Glob", "*1"]));
    expect(divide(matching, 0.3, [{ documents }], { firstMs: 10 })).toEqual([]);
    expect(divide(matching, 2.5, [{ documents }], { firstMs: 10 })).not.toEqual([]);
  });

  test("groupings are by whole segments, the large ones first", () => {
    const contents = [0, 10, 25, 65].map((from, i, starts) => {
      return { documents: documents.slice(from, starts[i + 1]) };
    });
    const parts = divide(count(undefined, [{ kind: "attribute", attribute: "tag" }]), 10, contents);
    expect(parts.map(([{ segment, end }]) => [segment, end])).toEqual([
      [2, 40],
      [3, 35],
      [1, 15],
    ]);
  });

  test("counts of what lies in order are by whole segments, too", () => {
    const contents = [0, 10, 40].map((from, i, starts) => {
      return { documents: documents.slice(from, starts[i + 1]) };
    });
    const filters = [
      ["n", "Gt", 2],
      [
        "And",
        [
          ["tag", "In", ["t0", "t2"]],
          ["Not", ["n", "Eq", 3]],
        ],
      ],
      [
        "Or",
        [
          ["n", "Lt", 2],
          ["tag", "Gte", "t1"],
        ],
      ],
    ];
    for (const filter of filters) {
      const query = count(filterOf(filter));
      const parts = divide(query, 10, contents, { indexes: sortedIndexes(0) });
      expect(parts.map(([{ segment, end }]) => [segment, end])).toEqual([
        [2, 60],
        [1, 30],
      ]);
      expect(divide(query, 10, contents).flat().length).toBeGreaterThan(2);
    }
    // One more is compared with the values of all documents.
    const listed = (length: number) => {
      const values = Array.from({ length }, (_, i) => 3 * i);
      const query = count(filterOf(["n", "In", values]));
      return divide(query, 10, contents, { indexes: sortedIndexes(0) }).length;
    };
    expect(listed(4096)).toBe(2);
    expect(listed(4097)).toBeGreaterThan(2);
    const mixed = count(
      filterOf([
        "And",
        [
          ["n", "Gt", 2],
          ["tag", "Glob", "*1"],
        ],
      ]),
    );
    const parts = divide(mixed, 10, contents, { indexes: sortedIndexes(0) });
    expect(parts.flat().length).toBeGreaterThan(2);
  });

  test("lookups by id are not", () => {
    expect(divide(count(filterOf(["id", "In", [1, 2, 3]])), 10)).toEqual([]);
  });
});
