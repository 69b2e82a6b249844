import { expect, test } from "vitest";
import { InstantClock } from "../../test/support/clocks/instant-clock.ts";
import { MIB } from "../base/byte-sizes.ts";
import { collectWhenIdle } from "./idle-collection.ts";

/** A heap that is told how it does, and counts how often it is collected. */
class FakeHeap {
  liveMib = 20;
  garbageMib = 0;
  busy = 0;
  collections = 0;

  retainedBytes(): number {
    return (this.liveMib + this.garbageMib) * MIB;
  }

  busyShare(): number {
    return this.busy;
  }

  collect(): void {
    this.collections++;
    this.garbageMib = 0;
  }
}

function open() {
  const clock = new InstantClock();
  const heap = new FakeHeap();
  const largeRequests = { count: 0 };
  const stop = collectWhenIdle(clock, heap, largeRequests);
  return { heap, largeRequests, stop, tick: () => clock.tick() };
}

test("a thread collects what large work has left as soon as it idles, and once", () => {
  const { heap, tick } = open();
  heap.garbageMib = 70;
  heap.busy = 0.5;
  for (let i = 0; i < 10; i++) tick();
  expect(heap.collections).toBe(0);
  heap.busy = 0.01;
  tick();
  for (let i = 0; i < 10; i++) tick();
  expect(heap).toMatchObject({ collections: 1, garbageMib: 0 });
});

test("the less there is to gain, the longer it waits; very little is left to V8", () => {
  const { heap, tick } = open();
  heap.garbageMib = 10;
  for (let i = 0; i < 599; i++) tick();
  heap.busy = 0.5;
  tick();
  heap.busy = 0;
  for (let i = 0; i < 599; i++) tick();
  expect(heap.collections).toBe(0);
  tick();
  expect(heap.collections).toBe(1);
  heap.garbageMib = 7;
  for (let i = 0; i < 1000; i++) tick();
  expect(heap.collections).toBe(1);
});

test("of what large work has left little does not stay for long", () => {
  const { heap, tick } = open();
  heap.busy = 0.5;
  heap.garbageMib = 200;
  tick();
  // V8 collects by itself meanwhile.
  heap.garbageMib = 30;
  tick();
  heap.busy = 0;
  for (let i = 0; i < 4; i++) tick();
  expect(heap.collections).toBe(0);
  tick();
  expect(heap).toMatchObject({ collections: 1, garbageMib: 0 });
  heap.garbageMib = 30;
  for (let i = 0; i < 590; i++) tick();
  expect(heap.collections).toBe(1);
});

test("what V8 leaves of a large request between two checks does not stay for long", () => {
  const { heap, largeRequests, tick } = open();
  heap.busy = 0.5;
  heap.garbageMib = 50;
  largeRequests.count = 1;
  tick();
  heap.busy = 0;
  for (let i = 0; i < 4; i++) tick();
  expect(heap.collections).toBe(0);
  tick();
  expect(heap).toMatchObject({ collections: 1, garbageMib: 0 });
  // Once for each large request.
  heap.garbageMib = 50;
  for (let i = 0; i < 590; i++) tick();
  expect(heap.collections).toBe(1);
});

test("what is alive is not looked at again and again, and what was freed since counts", () => {
  const { heap, tick } = open();
  heap.liveMib = 120;
  for (let i = 0; i < 10; i++) tick();
  expect(heap.collections).toBe(1);
  heap.liveMib = 30;
  tick();
  heap.garbageMib = 65;
  tick();
  expect(heap.collections).toBe(2);
});

test("it can be stopped", () => {
  const { heap, stop, tick } = open();
  heap.garbageMib = 70;
  stop();
  tick();
  expect(heap.collections).toBe(0);
});

test("what a request held during a collection is collected when the request is over", () => {
  const { heap, tick } = open();
  heap.liveMib = 150;
  tick();
  expect(heap.collections).toBe(1);
  // No growth: the same bytes are garbage now.
  heap.liveMib = 20;
  heap.garbageMib = 130;
  for (let i = 0; i < 60; i++) tick();
  expect(heap).toMatchObject({ collections: 2, garbageMib: 0 });
  for (let i = 0; i < 1000; i++) tick();
  expect(heap.collections).toBe(2);
});

test("what stays alive is collected again less and less often", () => {
  const { heap, tick } = open();
  heap.liveMib = 150;
  for (let i = 0; i < 10_000; i++) tick();
  expect(heap.collections).toBeLessThanOrEqual(11);
});
