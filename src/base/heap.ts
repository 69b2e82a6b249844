/** Binary heaps in arrays: the children of item i are items 2i + 1 and 2i + 2. */

import type { Steps } from "./steps.ts";

/** Tells whether an item belongs above another; false for equal ones. */
export type Above<T> = (a: T, b: T) => boolean;

/** Moves the item at `index` up to where it belongs. */
export function siftUp<T>(heap: T[], index: number, isAbove: Above<T>): void {
  const item = heap[index];
  while (index > 0) {
    const parent = (index - 1) >> 1;
    if (!isAbove(item, heap[parent])) break;
    heap[index] = heap[parent];
    index = parent;
  }
  heap[index] = item;
}

/** Moves the item at `index` down to where it belongs. */
export function siftDown<T>(heap: T[], index: number, isAbove: Above<T>): void {
  const item = heap[index];
  for (;;) {
    let child = 2 * index + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isAbove(heap[child + 1], heap[child])) child++;
    if (!isAbove(heap[child], item)) break;
    heap[index] = heap[child];
    index = child;
  }
  heap[index] = item;
}

/** Items that sink into a heap between two pauses, in about a microsecond each. */
const ITEMS_PER_STEP = 256;
/** Items that leave a large heap between two pauses: each takes some forty comparisons. */
const TAKEN_PER_STEP = 32;

/** Makes a heap of items in any order, in O(n). */
export function* makeHeap<T>(items: T[], isAbove: Above<T>): Steps<void> {
  for (let i = (items.length >> 1) - 1; i >= 0; i--) {
    siftDown(items, i, isAbove);
    if (i % ITEMS_PER_STEP === ITEMS_PER_STEP - 1) yield;
  }
}

/** Takes the first of a heap out; undefined if it is empty. */
export function takeFirst<T>(heap: T[], isAbove: Above<T>): T | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (last === undefined || heap.length === 0) return last;
  heap[0] = last;
  siftDown(heap, 0, isAbove);
  return first;
}

/**
 * The least `count` items in ascending order, in O(n + count log n). Leaves `items` in any order.
 */
export function* least<T>(items: T[], count: number, compare: (a: T, b: T) => number): Steps<T[]> {
  const isBetter = (a: T, b: T): boolean => compare(a, b) < 0;
  yield* makeHeap(items, isBetter);
  const taken: T[] = [];
  while (taken.length < count) {
    const first = takeFirst(items, isBetter);
    if (first === undefined) break;
    taken.push(first);
    if (taken.length % TAKEN_PER_STEP === 0) yield;
  }
  return taken;
}
