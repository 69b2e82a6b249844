import { expect, test } from "vitest";
import { PartBoard } from "./part-board.ts";

test("each part is taken once, by whichever thread comes first", () => {
  const board = PartBoard.of(3);
  const other = new PartBoard(board.buffer);
  expect([board.take(), other.take(), board.take()]).toEqual([0, 1, 2]);
  expect([board.take(), other.take()]).toEqual([undefined, undefined]);
});

test("a part that is given back is free again, unless it is done", () => {
  const board = PartBoard.of(2);
  board.take();
  board.take();
  board.finish(0);
  board.giveBack(1);
  board.giveBack(0);
  expect(board.firstUndone).toBe(1);
  expect([board.take(), board.take()]).toEqual([1, undefined]);
  board.finish(1);
  expect(board.firstUndone).toBeUndefined();
});

test("no part of a closed board is begun", () => {
  const board = PartBoard.of(3);
  expect(board.take()).toBe(0);
  board.close();
  expect(new PartBoard(board.buffer).take()).toBeUndefined();
});

test("a part that is given back to a closed board is not begun again", () => {
  const board = PartBoard.of(2);
  expect(board.take()).toBe(0);
  board.close();
  board.giveBack(0);
  expect(board.take()).toBeUndefined();
});

test("a change that came before ends a wait at once", () => {
  const board = PartBoard.of(1);
  const seen = board.changes;
  expect(board.waitForChange(seen, 0)).toBe(false);
  board.take();
  board.finish(0);
  expect(board.waitForChange(seen, 0)).toBe(true);
});

test.each(["finish", "giveBack"] as const)("%s wakes a thread that waits", async (change) => {
  const board = PartBoard.of(1);
  board.take();
  // As `waitForChange` sleeps, on the first word, but without blocking this thread.
  const wait = Atomics.waitAsync(new Int32Array(board.buffer), 0, board.changes);
  board[change](0);
  expect(await wait.value).toBe("ok");
});
