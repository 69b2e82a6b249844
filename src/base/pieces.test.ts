import { expect, test } from "vitest";
import { joinPieces, joinSmallPieces, piecesBytes } from "./pieces.ts";
import { runSteps } from "./steps.ts";

const piece = (...bytes: number[]) => Uint8Array.from(bytes);

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
