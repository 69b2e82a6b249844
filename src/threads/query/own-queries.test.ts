import { expect, test } from "vitest";
import { FakePort } from "../../../test/support/engine/fake-port.ts";
import { namespaceName } from "../../base/ids.ts";
import type { FromQueryThread, ToQueryThread } from "../thread-messages.ts";
import { BESIDE_COUNT_MAX, OwnQueries } from "./own-queries.ts";

const SHORT = { namespace: namespaceName("movies"), bodyBytes: 100 };

/** A thread whose turns the test ends. */
function ownQueries() {
  const callbacks: (() => void)[] = [];
  const own = new OwnQueries({
    port: new FakePort<ToQueryThread, FromQueryThread>(),
    afterTurn: (callback) => void callbacks.push(callback),
  });
  const endTurn = () => {
    for (const callback of callbacks.splice(0)) callback();
  };
  return { own, endTurn };
}

test("a short query that came alone is answered here", async () => {
  const { own, endTurn } = ownQueries();
  expect(own.admits(SHORT, "alone")).toBe(false);
  own.note(SHORT, 0.25);
  for (let i = 0; i < 2; i++) {
    const admitted = own.admits(SHORT, "alone");
    endTurn();
    expect(await admitted).toBe(true);
  }
});

test("queries that came together are not", async () => {
  const { own, endTurn } = ownQueries();
  own.note(SHORT, 0.1);
  const both = [own.admits(SHORT, "alone"), own.admits(SHORT, "alone")];
  endTurn();
  expect(await Promise.all(both)).toEqual([false, false]);
});

test("queries that take longer than to wake a thread are not, nor those with long bodies", () => {
  const { own } = ownQueries();
  own.note(SHORT, 0.26);
  expect(own.admits(SHORT, "alone")).toBe(false);
  const long = { ...SHORT, bodyBytes: 4097 };
  own.note(long, 0.01);
  expect(own.admits(long, "alone")).toBe(false);
});

test("while the query threads are held, some that are done within a slice are", async () => {
  const { own, endTurn } = ownQueries();
  own.note(SHORT, 0.9);
  expect(own.admits(SHORT, "alone")).toBe(false);
  const several = Array.from({ length: BESIDE_COUNT_MAX + 1 }, () => own.admits(SHORT, "beside"));
  endTurn();
  expect(await Promise.all(several)).toEqual([...Array(BESIDE_COUNT_MAX).fill(true), false]);
  const longer = { ...SHORT, bodyBytes: 1000 };
  own.note(longer, 1.1);
  expect(own.admits(longer, "beside")).toBe(false);
});
