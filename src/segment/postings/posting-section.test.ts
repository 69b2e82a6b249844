import { expect, test } from "vitest";
import { effort } from "../../../test/support/effort.ts";
import { testRandom } from "../../../test/support/random/seed.ts";
import type { Random } from "../../base/random.ts";
import { runSteps, type Steps } from "../../base/steps.ts";
import { StringCodes } from "../../base/string-codes.ts";
import { KeyOrder } from "./key-order.ts";
import { PostingCollector, type PostingLists } from "./posting-section.ts";
import { BY_UNITS, fromByteStrings, stringAt, stringCount } from "./term-section.ts";

/** Far more postings than a collector doubles its room for in steps. */
const DOCUMENTS = effort({ usual: 12_000, full: 30_000 });
/** One document has more than there is room for ahead. */
const LONG = { ordinal: 9000, postings: 70_000 };

type Posting = readonly [key: string, ordinal: number, number: number];

function drawPostings(random: Random): Posting[] {
  const postings: Posting[] = [];
  for (let ordinal = 0; ordinal < DOCUMENTS; ordinal++) {
    const count = ordinal === LONG.ordinal ? LONG.postings : random.below(10);
    for (let i = 0; i < count; i++) {
      const key = `k${random.below(i % 2 === 0 ? 50 : 60_000)}`;
      postings.push([key, ordinal, 1 + random.below(3)]);
    }
  }
  return postings;
}

function* collect(
  postings: readonly Posting[],
  collector: PostingCollector,
  keys: StringCodes,
  order: KeyOrder = new KeyOrder(keys, BY_UNITS),
): Steps<PostingLists> {
  for (const [i, [key, ordinal, number]] of postings.entries()) {
    if (ordinal !== postings[i - 1]?.[1]) {
      yield;
      yield* collector.makeRoom();
    }
    collector.add(keys.codeOf(key), ordinal, number);
  }
  return yield* collector.finish(order, fromByteStrings);
}

/** Each list as text, by key. */
function listsOf(postings: readonly Posting[]): Map<string, string> {
  const lists = new Map<string, Map<number, number>>();
  for (const [key, ordinal, number] of postings) {
    const list = lists.get(key) ?? new Map<number, number>();
    lists.set(key, list.set(ordinal, (list.get(ordinal) ?? 0) + number));
  }
  return new Map([...lists].map(([key, list]) => [key, [...list].join(" ")]));
}

function expectLists({ strings, starts, ordinals, numbers }: PostingLists, drawn: Posting[]): void {
  const expected = listsOf(drawn);
  expect(stringCount(strings)).toBe(expected.size);
  for (let code = 0; code < expected.size; code++) {
    const pairs: string[] = [];
    for (let i = starts[code]; i < starts[code + 1]; i++) {
      pairs.push(`${ordinals[i]},${numbers[i]}`);
    }
    if (pairs.join(" ") === expected.get(stringAt(strings, code))) continue;
    expect.fail(`the list of ${stringAt(strings, code)} is another`);
  }
}

test("lists are those of their documents however often a collector takes more room", () => {
  const random = testRandom();
  const drawn = [drawPostings(random), drawPostings(random)];
  // Two builds take turns, as those of two requests do.
  const builds = drawn.map((postings) => {
    return collect(postings, new PostingCollector(), new StringCodes());
  });
  let turns = builds.map((build) => build.next());
  while (turns.some(({ done }) => done !== true)) {
    turns = builds.map((build, b) => (turns[b].done === true ? turns[b] : build.next()));
  }
  for (const [b, { value }] of turns.entries()) expectLists(value as PostingLists, drawn[b]);
});

test("what a collector has of earlier documents, and of other codes, changes nothing", () => {
  const random = testRandom();
  const collector = new PostingCollector();
  const known = new StringCodes();
  const order = new KeyOrder(known, BY_UNITS);
  for (let build = 0; build < 40; build++) {
    const drawn: Posting[] = Array.from({ length: random.below(2_000) }, (_, i) => {
      return [`k${random.below(1 + random.below(500))}`, i >> 3, 1 + random.below(3)];
    });
    const isKnown = random.below(2) === 0;
    const keys = isKnown ? known : new StringCodes();
    const lists = collect(drawn, collector, keys, isKnown ? order : undefined);
    expectLists(runSteps(lists), drawn);
  }
});
