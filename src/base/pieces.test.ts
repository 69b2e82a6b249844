import { expect, test } from "vitest";
import {
  joinInSteps,
  joinPieces,
  joinSmallPieces,
  piecesBytes,
  STEP_COPY_BYTES,
} from "./pieces.ts";
import { runSteps, type Steps } from "./steps.ts";

const piece = (...bytes: number[]) => Uint8Array.from(bytes);

function pausesOf<T>(steps: Steps<T>): { pauses: number; result: T } {
  for (let pauses = 0; ; pauses++) {
    const { done, value } = steps.next();
    if (done === true) return { pauses, result: value };
  }
}

test("small neighbours are joined, large pieces stay the arrays that they are", () => {
  const large = piece(3, 4, 5);
  const pieces = [piece(1), piece(), piece(2), large, piece(6), large, large];
  const joined = runSteps(joinSmallPieces(pieces, 3));
  expect(joined.map((bytes) => [...bytes])).toEqual([[1, 2], [3, 4, 5], [6], [3, 4, 5], [3, 4, 5]]);
  expect(joined[1]).toBe(large);
  expect(joinPieces(joined)).toEqual(joinPieces(pieces));
  expect(piecesBytes(pieces)).toBe(12);
});

test("nothing is no bytes", () => {
  expect(joinPieces([])).toEqual(new Uint8Array(0));
  expect(runSteps(joinSmallPieces([], 3))).toEqual([]);
});

test("many bytes are joined in several steps", () => {
  const pieces = [
    new Uint8Array(3 * STEP_COPY_BYTES).fill(1),
    ...Array.from({ length: 3000 }, () => piece(2)),
    new Uint8Array(STEP_COPY_BYTES).fill(3),
  ];
  const { pauses, result } = pausesOf(joinInSteps(pieces));
  expect(pauses).toBeGreaterThanOrEqual(5);
  expect(Buffer.compare(result, joinPieces(pieces))).toBe(0);
});

test("small pieces between large ones are joined in several steps", () => {
  const quarter = new Uint8Array(STEP_COPY_BYTES / 4);
  const large = new Uint8Array(STEP_COPY_BYTES);
  const groups = Array.from({ length: 20 }, () => [quarter, quarter, large]).flat();
  expect(pausesOf(joinSmallPieces(groups, STEP_COPY_BYTES)).pauses).toBeGreaterThanOrEqual(9);
});

test("a joined array has a buffer of its own", () => {
  const joined = runSteps(joinInSteps([piece(1), piece(2)]));
  expect(joined.buffer.byteLength).toBe(2);
});
