import {
  attributeIndexConformance,
  INDEX_FULL,
  INDEX_USUAL,
} from "../../../test/conformance/attribute-index.ts";
import { effort } from "../../../test/support/effort.ts";
import { FILTERED, sortedIndexOf } from "../../../test/support/segments/filtered-case.ts";
import { compareStrings } from "../../model/value.ts";
import { DICTIONARY_INDEX } from "./dictionary-index.ts";
import { bucketOf } from "./trigram-section.ts";

const EFFORT = effort({ usual: INDEX_USUAL, full: INDEX_FULL });

/** By bucket the groups of 16 strings that have it, or that it is common; trigrams one by one. */
function trigramLists(distinct: readonly string[]): unknown[] {
  const lists = new Map<number, Set<number>>();
  distinct.forEach((value, code) => {
    const folded = [...value].map((character) => TRIGRAM_FOLDS.get(character) ?? character);
    const bytes = Buffer.from(folded.join("").replace(/[A-Z]/g, (c) => c.toLowerCase()));
    for (let i = 0; i + 3 <= bytes.length; i++) {
      const bucket = bucketOf(bytes.readUIntBE(i, 3), 10);
      lists.set(bucket, (lists.get(bucket) ?? new Set()).add(code >> 4));
    }
  });
  const groupCount = Math.ceil(distinct.length / 16);
  return Array.from({ length: 1024 }, (_, bucket) => {
    const groups = [...(lists.get(bucket) ?? [])];
    return groups.length * 2 > groupCount ? "common" : groups;
  });
}

const TRIGRAM_FOLDS = new Map([
  ["\u212a", "k"],
  ["\u017f", "s"],
  ["\u0130", "i"],
]);

attributeIndexConformance({
  ...FILTERED,
  effort: EFFORT,
  index: sortedIndexOf("dictionary"),
  shown(view, { attribute }) {
    const trigrams = view.index(DICTIONARY_INDEX, attribute)?.trigrams;
    if (trigrams === undefined) return null;
    const { starts, common, groupStrings, bucketBits } = trigrams;
    const lists = Array.from({ length: starts.length - 1 }, (_, bucket) => {
      if ((common[bucket >> 3] >> (bucket & 7)) & 1) return "common";
      return [...trigrams.groups({ start: starts[bucket], end: starts[bucket + 1] })];
    });
    return { groupStrings, bucketBits, lists };
  },
  expected({ schema: { type, ...options }, values }) {
    const of = "of" in type ? type.of : undefined;
    const { filterable, glob, regex, fuzzy } = options;
    if (!["string", "uuid"].includes(String(of)) || !(filterable || glob || regex || fuzzy)) {
      return undefined;
    }
    if (of === "uuid" || !(glob || regex || fuzzy)) return null;
    const distinct = [...new Set(values.flatMap((value) => value ?? []) as string[])];
    const lists = trigramLists(distinct.sort(compareStrings));
    return { groupStrings: 16, bucketBits: 10, lists };
  },
});
