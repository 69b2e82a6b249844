import { expect, test } from "vitest";
import { seededRandom } from "../../base/random.ts";
import { newWriterId } from "../../log/writer-id.ts";
import {
  COMMITS_PER_LOOK_ALONE,
  COMMITS_PER_TURN,
  IGNORED_MS,
  RaceHistory,
} from "./race-history.ts";

const random = seededRandom(3);
const [other, third] = [newWriterId(random), newWriterId(random)];

/** Commits so many entries; returns the number of listings of marks. */
function commit(history: RaceHistory, count: number): number {
  let looks = 0;
  for (let done = 0; done < count; done++) {
    if (history.isLookDue) {
      looks++;
      history.noteLook();
    }
    history.noteOwn();
  }
  return looks;
}

test("a writer alone looks once in 32 commits, one that has met another once in four", () => {
  const history = new RaceHistory();
  expect(commit(history, 320)).toBe(320 / COMMITS_PER_LOOK_ALONE);
  history.noteEntry(other);
  expect(commit(history, 12 * COMMITS_PER_TURN)).toBeLessThanOrEqual(9);
  expect(commit(history, 320)).toBe(320 / COMMITS_PER_LOOK_ALONE);
});

test("others that write do not keep a writer from looking", () => {
  const history = new RaceHistory();
  let looks = 0;
  for (let turn = 0; turn < 60; turn++) {
    looks += commit(history, 1);
    history.noteEntry(third);
  }
  expect(looks).toBe(60 / COMMITS_PER_TURN);
});

test("a writer that waits is let in after so many commits since its own entry", () => {
  const history = new RaceHistory();
  expect(history.due([other], 0)).toEqual([]);
  commit(history, COMMITS_PER_TURN);
  expect(history.due([other, third], 0)).toEqual([other, third]);
  history.noteEntry(third);
  expect(history.due([other, third], 0)).toEqual([other]);
  history.noteEntry(other);
  commit(history, COMMITS_PER_TURN - 1);
  expect(history.due([other, third], 0)).toEqual([]);
  commit(history, 1);
  expect(history.due([other, third], 0)).toEqual([other, third]);
});

test("a writer that does not use its turn is ignored for a while, or until it writes", () => {
  const history = new RaceHistory();
  commit(history, 50);
  history.noteVain(other, 1_000);
  expect(history.due([other], 1_000 + IGNORED_MS - 1)).toEqual([]);
  expect(history.due([other], 1_000 + IGNORED_MS)).toEqual([other]);
  history.noteVain(other, 1_000);
  history.noteEntry(other);
  commit(history, COMMITS_PER_TURN);
  expect(history.due([other], 2_000)).toEqual([other]);
});

test("of many writers the one that was met longest ago is forgotten", () => {
  const history = new RaceHistory();
  commit(history, 50);
  history.noteEntry(other);
  for (let count = 0; count < 63; count++) history.noteEntry(newWriterId(random));
  expect(history.due([other], 0)).toEqual([]);
  history.noteEntry(newWriterId(random));
  expect(history.due([other], 0)).toEqual([other]);
});

test("of two writers that wait, one at most has to let the other in", () => {
  for (let round = 0; round < 500; round++) {
    const writers = [other, third].map((id) => ({ id, history: new RaceHistory() }));
    for (let entry = random.below(40); entry > 0; entry--) {
      const [winner, loser] = random.below(2) === 0 ? writers : [writers[1], writers[0]];
      winner.history.noteOwn();
      loser.history.noteEntry(winner.id);
    }
    const waits = writers.map(({ history }, at) => history.due([writers[1 - at].id], 0).length);
    expect(waits[0] + waits[1]).toBeLessThanOrEqual(1);
  }
});
