/** The same random documents with sorted values and without them, and filters of them. */

import type { Random } from "../../../src/base/random.ts";
import { runSteps } from "../../../src/base/steps.ts";
import { countBits, fullBitmap } from "../../../src/codec/bitmap.ts";
import type { TypedDocument } from "../../../src/codec/columns-builder.ts";
import { formatDatetime } from "../../../src/model/datetime.ts";
import type { ScalarValue } from "../../../src/model/value.ts";
import type { Snapshot } from "../../../src/query/operator/snapshot.ts";
import { planMerge } from "../../../src/segment/segment-merger.ts";
import type { OpenSegment } from "../../../src/segment/segment-reader.ts";
import { documentOf, openSnapshot, schemaOf } from "../queries/query-fixture.ts";
import { ARENA_MEMORY } from "../segments/clustered-snapshot.ts";
import { writePlan } from "../segments/segment-forms.ts";
import { sortedIndexes } from "../segments/sorted-indexes.ts";
import { pick } from "./random-queries.ts";

/** All indexes, with sorted values in every segment. */
export const ALWAYS = sortedIndexes(0);
/** All indexes, without sorted values. */
export const NEVER = sortedIndexes(Number.POSITIVE_INFINITY);

const SCALARS = {
  int: "int",
  uint: "uint",
  float: "float",
  bool: "bool",
  datetime: "datetime",
  string: { type: "string", glob: true, regex: true },
  uuid: "uuid",
} as const;
/** The attributes that have single values. */
export const NAMES = Object.keys(SCALARS);

/** Of filterable scalars of all types, and of arrays of them, which are called `<type>s`. */
export const SCHEMA = schemaOf({
  ...SCALARS,
  ints: "[]int",
  uints: "[]uint",
  floats: "[]float",
  bools: "[]bool",
  datetimes: "[]datetime",
  strings: { type: "[]string", glob: true, regex: true },
  uuids: "[]uuid",
});

const EXTREMES: Readonly<Record<string, readonly ScalarValue[]>> = {
  int: [-(2n ** 63n), 2n ** 63n - 1n, -1n, 0n, 2n ** 53n, 2n ** 53n + 1n],
  uint: [0n, 2n ** 64n - 1n, 2n ** 63n, 2n ** 32n],
  float: [-0, 0, 5e-324, -5e-324, -Number.MAX_VALUE, Number.MAX_VALUE, 1.5],
  datetime: [0n, -62_135_596_800_000n, 253_402_300_799_999n],
  string: ["", "a", "ab", "abc", "b", "\uffff", "\u{1f98a}"],
  uuid: ["00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"],
};

/** One of so many values, or one of the extremes. */
function drawValue(random: Random, name: string, space: number): ScalarValue {
  const number = random.below(space);
  const extremes = EXTREMES[name];
  if (extremes !== undefined && random.below(20) === 0) return pick(random, extremes);
  switch (name) {
    case "float":
      return (number - space / 2) / 7;
    case "bool":
      return number % 2 === 0;
    case "string":
      return `${"abc"[number % 3]}${number.toString(36)}`;
    case "uuid":
      return `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
    case "uint":
      return BigInt(number);
    default:
      return BigInt(number) - BigInt(space >> 1);
  }
}

/** Documents of which each attribute has few values or many, of all of them or of some. */
function documentsOf(random: Random, firstId: number): TypedDocument[] {
  const all = [...SCHEMA.attributes.keys()];
  const spaces = all.map(() => pick(random, [2, 10, 40, 10_000]));
  const nulls = all.map(() => pick(random, [0, 0, 2, 10]));
  const lengths = all.map(() => pick(random, [2, 4, 20]));
  return Array.from({ length: 200 + random.below(700) }, (_, i) => {
    const values = all.flatMap((name, n): [string, ScalarValue | ScalarValue[]][] => {
      if (random.below(10) < nulls[n]) return [];
      if (NAMES.includes(name)) return [[name, drawValue(random, name, spaces[n])]];
      const length = random.below(lengths[n]);
      const elements = Array.from({ length }, () =>
        drawValue(random, name.slice(0, -1), spaces[n]),
      );
      return [[name, elements]];
    });
    return documentOf(BigInt(firstId + i), Object.fromEntries(values));
  });
}

/** Snapshots of the same documents by both lists of indexes; some were written, some merged. */
export function snapshotsOf(random: Random): [Snapshot, Snapshot] {
  const contents = [0, 1, 2].map((part) => {
    const all = documentsOf(random, part * 10_000);
    const isDeleted = all.map(() => random.below(8) === 0);
    return {
      documents: all.filter((_, i) => !isDeleted[i]),
      deleted: all.filter((_, i) => isDeleted[i]),
    };
  });
  const isMerged = random.below(2) === 0;
  return [ALWAYS, NEVER].map((indexes) => {
    const snapshot = openSnapshot(SCHEMA, contents, indexes);
    const [first, second, third] = snapshot.segments;
    if (!isMerged) return snapshot;
    const inputs = [first, second].map(({ view, liveBitmap }) => {
      return { view: view as OpenSegment, liveBitmap };
    });
    const view = writePlan(runSteps(planMerge(inputs, SCHEMA, indexes)), ARENA_MEMORY);
    const liveBitmap = fullBitmap(view.documentCount);
    const merged = { view, liveBitmap, liveCount: countBits(liveBitmap), liveVersion: 0 };
    return { ...snapshot, segments: [merged, third] };
  }) as [Snapshot, Snapshot];
}

const OPERATORS = ["Eq", "NotEq", "In", "NotIn", "Lt", "Lte", "Gt", "Gte"];
const ELEMENT_OPERATORS = ["Contains", "NotContains", "ContainsAny", "NotContainsAny"];
const ANY_OPERATORS = ["AnyLt", "AnyLte", "AnyGt", "AnyGte"];
const GLOBS = ["a*", "b1*", "ab*", "*", "a*2", "c?", "", "abc"];

/** A value of the attribute as filters spell it. */
export function operandOf(random: Random, name: string): unknown {
  const value = drawValue(random, name, pick(random, [2, 10, 40, 10_000]));
  return name === "datetime" ? formatDatetime(value as bigint) : value;
}

/** A filter that sorted values may answer. */
export function sortedFilter(random: Random): unknown[] {
  if (random.below(4) === 0) {
    return [pick(random, ["And", "Or"]), [sortedFilter(random), sortedFilter(random)]];
  }
  if (random.below(6) === 0) {
    const attribute = pick(random, ["string", "strings"]);
    return [attribute, pick(random, ["Glob", "NotGlob"]), pick(random, GLOBS)];
  }
  const name = pick(random, NAMES);
  const isOfElements = random.below(2) === 0;
  const operator = isOfElements
    ? pick(random, [...ELEMENT_OPERATORS, ...ANY_OPERATORS])
    : pick(random, OPERATORS);
  const attribute = isOfElements ? `${name}s` : name;
  if (!/In$|ContainsAny$/.test(operator)) return [attribute, operator, operandOf(random, name)];
  const length = random.below(pick(random, [30, 30, 300]));
  const operands = Array.from({ length }, () => operandOf(random, name));
  return [attribute, operator, operands];
}
