/** Binary heaps in arrays: the children of item i are items 2i + 1 and 2i + 2. */

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

/**
 * The least `count` items in ascending order, in O(n + count log n). Leaves `items` in any order.
 */
export function least<T>(items: T[], count: number, compare: (a: T, b: T) => number): T[] {
  if (count >= items.length) return items.sort(compare);
  const isBetter = (a: T, b: T): boolean => compare(a, b) < 0;
  for (let i = (items.length >> 1) - 1; i >= 0; i--) siftDown(items, i, isBetter);
  const taken: T[] = [];
  while (taken.length < count) {
    taken.push(items[0]);
    const last = items.pop();
    if (last === undefined || items.length === 0) break;
    items[0] = last;
    siftDown(items, 0, isBetter);
  }
  return taken;
}
