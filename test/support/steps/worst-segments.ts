/** Documents whose segments take long to build or to merge: many distinct or very long values. */

import { MIB } from "../../../src/base/byte-sizes.ts";
import type { Steps } from "../../../src/base/steps.ts";
import { buildDocuments, type TypedDocument } from "../../../src/codec/columns-builder.ts";
import {
  ARRAY_ELEMENTS_MAX,
  ATTRIBUTE_VALUE_BYTES_MAX,
} from "../../../src/model/contract-limits.ts";
import type { Schema } from "../../../src/model/schema.ts";
import type { AttributeValue } from "../../../src/model/value.ts";
import type { Snapshot } from "../../../src/query/operator/snapshot.ts";
import type { LiveSegment } from "../../../src/segment/memtable/live-segment.ts";
import { planMerge } from "../../../src/segment/segment-merger.ts";
import { planSegment } from "../../../src/segment/segment-writer.ts";
import {
  ARENAS,
  type AttributeSpec,
  documentOf,
  fullText,
  openSnapshot,
  schemaOf,
} from "../queries/query-fixture.ts";

/** The work that is measured on the documents. */
interface SegmentWork {
  /** Plans a segment of them, and writes it. */
  build(): Steps<unknown>;
  /** Plans and writes a segment of two that hold them. */
  merge(): Steps<unknown>;
  /** Frees the memory of opened segments. */
  close(): void;
}

const filled = <T>(count: number, element: (e: number) => T): T[] =>
  Array.from({ length: count }, (_, e) => element(e));

/** Bytes of a text whose words are distinct, some 300,000. */
const DISTINCT_BYTES = 2 * MIB;

/** A text of as many parts as fit in so many bytes. */
function longText(
  unit: (i: number) => string,
  { separator = " ", bytesMax = ATTRIBUTE_VALUE_BYTES_MAX } = {},
): string {
  const parts: string[] = [];
  for (let i = 0, bytes = 0; ; i++) {
    const part = unit(i) + separator;
    bytes += Buffer.byteLength(part);
    if (bytes > bytesMax) return parts.join("");
    parts.push(part);
  }
}

const TEXT = { type: "string", filterable: false };
const text = (options: Parameters<typeof fullText>[0] = {}): AttributeSpec => ({
  ...TEXT,
  fullTextSearch: fullText(options),
});
const sparse = (first: number): AttributeValue => ({
  names: filled(1000, (i) => `n${first + i}`).toSorted(),
  weights: new Float32Array(1000).fill(0.5),
});
const word = (i: number): string => i.toString(36);
const uuid = (i: number): string => `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`;

/** The attribute, and its value in each of some documents. */
function valuesOf(spec: AttributeSpec, count: number, value: (i: number) => AttributeValue) {
  return () =>
    workOn(
      schemaOf({ a: spec }),
      filled(count, (i) => documentOf(BigInt(i), { a: value(i) })),
    );
}

/** Documents that lack nearly all of very many attributes. */
function everOtherAttributes(): SegmentWork {
  const names = filled(1000, (a) => `a${a}`);
  return workOn(
    schemaOf(Object.fromEntries(names.map((name) => [name, "string"]))),
    filled(20_000, (i) => documentOf(BigInt(i), { [names[i % names.length]]: "x" })),
  );
}

function workOn(schema: Schema, documents: readonly TypedDocument[]): SegmentWork {
  const types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
  const half = Math.ceil(documents.length / 2);
  // The memory of fixtures has no room for the segments of each run.
  let opened: Snapshot | undefined;
  return {
    *build() {
      const columns = buildDocuments("uint", types, documents);
      yield;
      const plan = yield* planSegment(columns, schema);
      yield* plan.writeTo(new Uint8Array(plan.bytes));
    },
    *merge() {
      opened ??= openSnapshot(schema, [
        { documents: documents.slice(0, half) },
        { documents: documents.slice(half) },
      ]);
      yield;
      const plan = yield* planMerge(opened.segments as readonly LiveSegment[], schema);
      yield* plan.writeTo(new Uint8Array(plan.bytes));
    },
    close() {
      for (const segment of opened?.segments ?? []) {
        const { view } = segment as LiveSegment;
        ARENAS.free({ ...view.place, bytes: view.bytes });
      }
      opened = undefined;
    },
  };
}

/** A first step, which is not measured, builds the columns and opens the segments. */
export function withoutFirstStep(work: () => Steps<unknown>): () => Steps<unknown> {
  return () => {
    const steps = work();
    steps.next();
    return steps;
  };
}

/** By what is long about them. */
export const WORST_SEGMENTS: Readonly<Record<string, () => SegmentWork>> = {
  "distinct words": valuesOf(text(), 2, (d) =>
    longText((i) => word(2_000_000 * d + i), { bytesMax: DISTINCT_BYTES }),
  ),
  "distinct words beyond ASCII": valuesOf(text(), 2, (d) =>
    longText((i) => `é${word(2_000_000 * d + i)}`, { bytesMax: DISTINCT_BYTES }),
  ),
  "words without spaces": valuesOf(text(), 2, () =>
    longText((i) => word(i % 5000), { separator: "," }),
  ),
  "words beyond ASCII without spaces": valuesOf(text(), 2, () =>
    longText((i) => `é${word(i % 5000)}`, { separator: "," }),
  ),
  "words of an old tokenizer": valuesOf(text({ tokenizer: "word_v1" }), 1, () =>
    longText(word, { separator: ",", bytesMax: DISTINCT_BYTES }),
  ),
  "one word over and over": valuesOf(text(), 2, () => longText(() => "a")),
  "one long word": valuesOf(text(), 2, () => "a".repeat(ATTRIBUTE_VALUE_BYTES_MAX)),
  "one long word beyond ASCII": valuesOf(text(), 2, () =>
    "é".repeat(ATTRIBUTE_VALUE_BYTES_MAX / 2),
  ),
  "one long word with underscores": valuesOf(text(), 2, () =>
    "é_a".repeat(ATTRIBUTE_VALUE_BYTES_MAX / 4),
  ),
  spaces: valuesOf(text(), 2, () => " ".repeat(ATTRIBUTE_VALUE_BYTES_MAX)),
  ideographs: valuesOf(text(), 2, () => "東京".repeat(ATTRIBUTE_VALUE_BYTES_MAX / 6)),
  "words that are stemmed": valuesOf(text({ stemming: true, asciiFolding: true }), 1, () =>
    longText((i) => `naïve${word(i)}ing`, { bytesMax: DISTINCT_BYTES }),
  ),
  "tokens of an array": valuesOf(
    { ...TEXT, type: "[]string", fullTextSearch: fullText({ tokenizer: "pre_tokenized_array" }) },
    2,
    (d) => filled(200_000, (i) => word(2_000_000 * d + i)),
  ),
  "texts of an array": valuesOf({ ...TEXT, type: "[]string", fullTextSearch: fullText() }, 2, (d) =>
    filled(200_000, (i) => word(2_000_000 * d + i)),
  ),
  "distinct dimensions": valuesOf({ type: "{}f16", sparseKnn: true }, 1000, (i) =>
    sparse(1000 * i),
  ),
  "distinct strings": valuesOf("string", 400_000, (i) => `value ${i * 7919}`),
  "long strings": valuesOf("string", 10_000, (i) => `${i}${"x".repeat(4000)}`),
  "distinct elements": valuesOf("[]string", 2, (d) =>
    filled(ARRAY_ELEMENTS_MAX / 2, (i) => word(2_000_000 * d + i)),
  ),
  "distinct UUIDs": valuesOf("uuid", 300_000, (i) => uuid((i * 7919) % 1_000_000)),
  "elements that are UUIDs": valuesOf("[]uuid", 2, (d) =>
    filled(ARRAY_ELEMENTS_MAX / 2, (i) => uuid(((i * 7919) % 1_000_000) + d)),
  ),
  "distinct integers": valuesOf("int", 400_000, (i) => BigInt(i * 7919)),
  "distinct floats": valuesOf("float", 400_000, (i) => (i * 7919) / 7),
  "integers of arrays": valuesOf("[]int", 2, (d) =>
    filled(ARRAY_ELEMENTS_MAX, (i) => BigInt(i * 7919 + d)),
  ),
  "strings for patterns": valuesOf(
    { type: "string", regex: true, glob: true, fuzzy: true },
    10_000,
    (i) => filled(400, (e) => word((i * 31 + e * 7919) % 46_656)).join(""),
  ),
  vectors: valuesOf(
    { type: "[128]f32", ann: { distanceMetric: "cosine_distance", lateInteraction: false } },
    50_000,
    (i) => Float32Array.from({ length: 128 }, (_, d) => ((i * 31 + d * 17) % 101) - 50),
  ),
  "ever other attributes": everOtherAttributes,
  "long vectors": valuesOf(
    { type: "[10000]f32", ann: { distanceMetric: "cosine_distance", lateInteraction: false } },
    400,
    (i) => Float32Array.from({ length: 10_000 }, (_, d) => ((i * 31 + d * 17) % 101) - 50),
  ),
};
