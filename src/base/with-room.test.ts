import { expect, test } from "vitest";
import { withRoom } from "./with-room.ts";

test.each([new Uint8Array([1, 2]), new Uint32Array([1, 2]), new Float64Array([1, 2])])(
  "an array grows to twice its length at least, and keeps its kind, %#",
  (array) => {
    expect(withRoom(array, 2)).toBe(array);
    const doubled = withRoom(array, 3);
    expect(doubled.constructor).toBe(array.constructor);
    expect([...doubled]).toEqual([1, 2, 0, 0]);
    expect(withRoom(array, 9)).toHaveLength(9);
  },
);
