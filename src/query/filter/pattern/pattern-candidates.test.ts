/** Patterns that are looked for by trigrams against the same patterns tried on all strings. */

import { describe, expect, test } from "vitest";
import { cases, effort } from "../../../../test/support/effort.ts";
import { filterOf } from "../../../../test/support/queries/filter-notation.ts";
import {
  BY_ID,
  documentOf,
  documentQuery,
  KERNELS,
  openSnapshot,
  requestOf,
  schemaOf,
} from "../../../../test/support/queries/query-fixture.ts";
import { pick } from "../../../../test/support/random/random-queries.ts";
import { runReads, runRemote } from "../../../../test/support/segments/remote-segment.ts";
import { remoteSnapshot } from "../../../../test/support/segments/remote-snapshot.ts";
import { sortedIndexes } from "../../../../test/support/segments/sorted-indexes.ts";
import { type Random, seededRandom } from "../../../base/random.ts";
import { DICTIONARY_INDEX } from "../../../segment/columns/dictionary-index.ts";
import { matchesSchema } from "../../../segment/missing-indexes.ts";
import type { OpenSegment } from "../../../segment/segment-reader.ts";
import { sealSegment, verifySegment } from "../../../segment/segment-seal.ts";
import { runRequest } from "../../executor/run-request.ts";
import type { Snapshot } from "../../operator/snapshot.ts";

const PATTERNS = { glob: true, regex: true, fuzzy: true } as const;
const SCHEMA = schemaOf({
  name: { type: "string", ...PATTERNS },
  tags: { type: "[]string", ...PATTERNS },
});
/** All indexes, with trigrams of all strings; with sorted values or without them; with none. */
const WITH = [sortedIndexes(0), sortedIndexes(Number.POSITIVE_INFINITY, 0)];
const WITHOUT = sortedIndexes(Number.POSITIVE_INFINITY);

function answer(snapshot: Snapshot, filter: readonly unknown[]) {
  const query = documentQuery(BY_ID, { filter: filterOf(filter) });
  const { results, stats } = runReads(runRequest(snapshot, requestOf(query), { kernels: KERNELS }));
  return { results, stats };
}

const WORDS = [..."abKks\u212a\u017fIi\u0130é東"].flatMap((character) =>
  ["needle", "kiss", "Iris", "haystack", "über"].map((word) => word.replace(/.$/u, character)),
);

function randomText(random: Random): string {
  const words = Array.from({ length: random.below(4) }, () => pick(random, WORDS));
  return words.join(pick(random, ["", " ", "/"])) + random.below(50).toString(36);
}

function snapshotsOf(random: Random): { with: Snapshot[]; without: Snapshot } {
  const contents = [0, 1].map((part) => ({
    documents: Array.from({ length: 150 + random.below(400) }, (_, i) =>
      documentOf(BigInt(part * 10_000 + i), {
        ...(random.below(8) === 0 ? {} : { name: randomText(random) }),
        ...(random.below(4) === 0
          ? {}
          : { tags: Array.from({ length: random.below(4) }, () => randomText(random)) }),
      }),
    ),
  }));
  return {
    with: WITH.map((indexes) => openSnapshot(SCHEMA, contents, indexes)),
    without: openSnapshot(SCHEMA, contents, WITHOUT),
  };
}

function randomCondition(random: Random): unknown[] {
  const attribute = pick(random, ["name", "tags"]);
  const word = pick(random, WORDS);
  const cut = random.below(2) === 0 ? word : word.slice(random.below(2), 3 + random.below(3));
  switch (random.below(4)) {
    case 0: {
      const glob = pick(random, [
        `*${cut}*`,
        `${cut}*`,
        `*${cut}`,
        `*{${cut},haystac}?*`,
        "*",
        cut,
      ]);
      return [attribute, pick(random, ["Glob", "IGlob", "NotGlob", "NotIGlob"]), glob];
    }
    case 1: {
      const flags = pick(random, ["", "(?i)"]);
      return [
        attribute,
        "Regex",
        flags + pick(random, [cut, `^${cut}`, `${cut}.*iss|x`, ".", "k+"]),
      ];
    }
    default: {
      const edited = word.replace(pick(random, [..."neisky"]), pick(random, ["", "x", "ee"]));
      const text = random.below(2) === 0 ? edited : edited.toUpperCase();
      const distance = random.below(2);
      const max_edit_distance = [{ min_query_chars: 3 * (distance + 1), distance }];
      return [
        attribute,
        "Fuzzy",
        text,
        { max_edit_distance, case_sensitive: random.below(2) === 0 },
      ];
    }
  }
}

function randomFilter(random: Random): unknown[] {
  if (random.below(4) > 0) return randomCondition(random);
  return [pick(random, ["And", "Or"]), [randomCondition(random), randomCondition(random)]];
}

const FILTERS = effort({ usual: 40, full: 100 });

describe.each(Array.from({ length: cases({ usual: 2, full: 40 }) }, (_, i) => 33_201 + i))(
  "seed %i",
  (seed) => {
    test("patterns find by trigrams what they find among all strings", () => {
      const random = seededRandom(seed);
      const snapshots = snapshotsOf(random);
      for (const { view } of snapshots.with.flatMap(({ segments }) => segments)) {
        verifySegment(sealSegment(view as OpenSegment));
      }
      // Segments from before are not written anew for it.
      for (const { view } of snapshots.without.segments) {
        expect(matchesSchema(view as OpenSegment, SCHEMA, WITH[0])).toBe(true);
      }
      let [tested, testedOfAll] = [0, 0];
      for (let i = 0; i < FILTERS; i++) {
        const filter = randomFilter(random);
        const expected = answer(snapshots.without, filter);
        for (const snapshot of snapshots.with) {
          const found = answer(snapshot, filter);
          expect(found.results, JSON.stringify(filter)).toEqual(expected.results);
          tested += found.stats.stringsTested;
          testedOfAll += expected.stats.stringsTested;
        }
      }
      expect(tested).toBeLessThan(testedOfAll);
    });

    test("they find the same in segments that are far away, in few rounds", () => {
      const random = seededRandom(seed);
      for (const near of snapshotsOf(random).with) {
        const { snapshot, sources } = remoteSnapshot(near);
        for (let i = 0; i < 20; i++) {
          const filter = randomCondition(random);
          for (const source of sources) source.drop();
          expect(runRemote(sources, () => answer(snapshot, filter), 4)).toEqual(
            answer(near, filter),
          );
        }
      }
    });
  },
);

describe("work", () => {
  const schema = schemaOf({ name: { type: "string", ...PATTERNS }, plain: "string" });
  const documents = Array.from({ length: 3200 }, (_, i) => {
    const name = `${((i * 7919) % 3200).toString().padStart(4, "0")} haystack`;
    const value = i === 1000 ? `${name} with a needle` : name;
    return documentOf(BigInt(i), { name: value, plain: value });
  });
  const snapshot = openSnapshot(schema, [{ documents }], sortedIndexes(0));
  const plain = openSnapshot(schema, [{ documents }], WITHOUT);
  const fuzzy = { max_edit_distance: [{ min_query_chars: 6, distance: 1 }] };

  test.each([
    [["name", "Glob", "*needle*"], 16, 1],
    [["name", "IGlob", "*NEEDLE"], 16, 1],
    [["name", "Regex", "with a [mn]eed"], 16, 1],
    // Three groups have trigrams of the same buckets.
    [["name", "Fuzzy", "neddle", fuzzy], 64, 1],
    [["name", "Regex", "absent|missing"], 0, 0],
  ])("%j tests %i strings", (filter, strings, matches) => {
    const { stats, results } = answer(snapshot, filter);
    expect(stats).toMatchObject({ stringsTested: strings, valuesCompared: 0 });
    expect(stats.entriesTouched).toBe(matches);
    const compared = answer(plain, filter);
    expect(compared.stats).toMatchObject({ stringsTested: 3200, postingsTouched: 0 });
    expect(results).toEqual(compared.results);
  });

  test("common trigrams leave nothing out, nor does a pattern without any", () => {
    for (const pattern of ["haystack", "n.e.d", "."]) {
      expect(answer(snapshot, ["name", "Regex", pattern]).stats.stringsTested).toBe(3200);
    }
  });

  // Each string has 100 documents; none of these patterns is led to strings by trigrams.
  test.each([
    [["few", "Regex", "haystack"], 32, 3200],
    [["few", "Regex", "^1.*k$"], 32, 1000],
    [["few", "Glob", "*7 hay*"], 32, 300],
    // So few with the prefix are tested at once.
    [["few", "Glob", "0*7 hay*"], 0, 100],
    [["few", "IGlob", "3?*HAY*"], 32, 200],
    [["lists", "Regex", "h.y"], 32, 3200],
    [["lists", "Glob", "*31*"], 32, 100],
  ])(
    "%j tests each distinct string once, whatever documents there are",
    (filter, strings, matches) => {
      const rows = Array.from({ length: 3200 }, (_, i) => {
        const value = `${(i % 32).toString().padStart(2, "0")} haystack`;
        return documentOf(BigInt(i), { few: value, lists: [value, value] });
      });
      const patterns = {
        few: { type: "string", ...PATTERNS },
        lists: { type: "[]string", ...PATTERNS },
      } as const;
      const [some, none] = [sortedIndexes(0), WITHOUT].map((indexes) =>
        openSnapshot(schemaOf(patterns), [{ documents: rows }], indexes),
      );
      const { results, stats } = answer(some, filter);
      expect(stats).toMatchObject({ stringsTested: strings, valuesCompared: 0 });
      expect(results).toEqual(answer(none, filter).results);
      const query = documentQuery(BY_ID, { filter: filterOf(filter), limit: 10_000 });
      const all = runReads(runRequest(some, requestOf(query), { kernels: KERNELS }));
      expect(all.results[0]).toMatchObject({ documents: { length: matches } });
    },
  );

  test("only attributes that are declared for patterns have trigrams", () => {
    const [{ view }] = snapshot.segments;
    expect(view.index(DICTIONARY_INDEX, "name")?.trigrams).toBeDefined();
    expect(view.index(DICTIONARY_INDEX, "plain")?.trigrams).toBeUndefined();
    expect(answer(snapshot, ["plain", "Glob", "*needle*"]).stats.stringsTested).toBe(3200);
  });
});
