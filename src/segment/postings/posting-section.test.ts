import { expect, test } from "vitest";
import { testRandom } from "../../../test/support/random/seed.ts";
import type { Random } from "../../base/random.ts";
import type { Steps } from "../../base/steps.ts";
import { PostingCollector, type PostingLists } from "./posting-section.ts";
import { fromByteStrings, sortInSteps, stringAt, stringCount } from "./term-section.ts";

/** Far more postings than a collector doubles its room for in steps. */
const DOCUMENTS = 30_000;
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

function* collect(postings: readonly Posting[]): Steps<PostingLists> {
  const collector = new PostingCollector();
  for (const [i, [key, ordinal, number]] of postings.entries()) {
    if (ordinal !== postings[i - 1]?.[1]) {
      yield;
      yield* collector.makeRoom();
    }
    collector.add(key, ordinal, number);
  }
  return yield* collector.finish(sortInSteps, fromByteStrings);
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

test("lists are those of their documents however often a collector takes more room", () => {
  const random = testRandom();
  const drawn = [drawPostings(random), drawPostings(random)];
  // Two builds take turns, as those of two requests do.
  const builds = drawn.map(collect);
  let turns = builds.map((build) => build.next());
  while (turns.some(({ done }) => done !== true)) {
    turns = builds.map((build, b) => (turns[b].done === true ? turns[b] : build.next()));
  }
  for (const [b, { value }] of turns.entries()) {
    const { strings, starts, ordinals, numbers } = value as PostingLists;
    const expected = listsOf(drawn[b]);
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
});
