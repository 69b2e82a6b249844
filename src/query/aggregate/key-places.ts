import { must } from "../../base/assert.ts";
import { hasBit } from "../../codec/bitmap.ts";
import type { SingleKeyReader } from "./group-keys.ts";

/** Writes the place of each document. */
export type ReadPlaces = (ordinals: Uint32Array, places: Uint32Array) => void;

/**
 * Reads the places of a key's table of `size`: `size` of documents without a value, and one more of
 * values that have no place.
 */
export function placeReader(
  { dictionary, small, present }: SingleKeyReader,
  size: number,
): ReadPlaces {
  return (ordinals, places) => {
    if (dictionary !== undefined) {
      const { codes } = dictionary;
      for (let i = 0; i < ordinals.length; i++) places[i] = codes[ordinals[i]];
    } else {
      must(small, "no table").place(ordinals, places, size + 1);
    }
    if (present === undefined) return;
    for (let i = 0; i < ordinals.length; i++) if (!hasBit(present, ordinals[i])) places[i] = size;
  };
}
