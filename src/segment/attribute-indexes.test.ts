import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  attributeIndexConformance,
  INDEX_FULL,
  INDEX_USUAL,
  type IndexCase,
} from "../../test/conformance/attribute-index.ts";
import { effort } from "../../test/support/effort.ts";
import { documentQuery, KERNELS } from "../../test/support/queries/query-fixture.ts";
import { pick, randomFilter, randomVectorRank } from "../../test/support/random/random-queries.ts";
import { SHORT_PAGES } from "../../test/support/segments/page-indexes.ts";
import { plainPostings, plainWeights } from "../../test/support/segments/plain-postings.ts";
import type { Ordinal } from "../base/ids.ts";
import type { Random } from "../base/random.ts";
import { bitmapOrdinals } from "../codec/bitmap.ts";
import { paddedCodes } from "../kernel/byte-code-scan.ts";
import { CODE_BLOCK_ROWS, codeBlockBytes, NIBBLE_BYTES } from "../kernel/code-scan.ts";
import { rotateVector } from "../kernel/scalar-rotation.ts";
import type { DocumentQuery, RankBy } from "../model/query.ts";
import { type AttributeValue, compareStrings, type SparseVector } from "../model/value.ts";
import { analyzerFor } from "../text/analyzer.ts";
import { vectorDistance } from "../vector/metric.ts";
import { ATTRIBUTE_INDEXES } from "./attribute-indexes.ts";
import { COLUMN_INDEX } from "./columns/column-index.ts";
import { DICTIONARY_INDEX } from "./columns/dictionary-index.ts";
import { ELEMENT_NUMBERS_INDEX } from "./columns/element-numbers-index.ts";
import { SORTED_NUMBERS_INDEX } from "./columns/sorted-numbers-index.ts";
import { DOCUMENT_SECTIONS } from "./documents/documents-section.ts";
import { ID_FILTER_SECTION } from "./ids/id-filter-section.ts";
import { ID_ORDER } from "./ids/id-order-section.ts";
import { ID_SECTIONS } from "./ids/id-section.ts";
import type { ListBlocks } from "./postings/block-section.ts";
import { SPARSE_INDEX, sparseIndex } from "./sparse/sparse-index.ts";
import { TEXT_INDEX, textIndex } from "./text/text-index.ts";
import { BYTE_CODE_INDEX } from "./vectors/byte-code-index.ts";
import { CLUSTER_INDEX } from "./vectors/cluster-index.ts";
import { CODE_INDEX, type CodeView } from "./vectors/code-index.ts";
import { VECTOR_INDEX } from "./vectors/vector-index.ts";
import type { SegmentView } from "./view/segment-view.ts";

const EFFORT = effort({ usual: INDEX_USUAL, full: INDEX_FULL });

const ORDERS = [
  { attribute: "id", direction: "asc" },
  { attribute: "string", direction: "desc" },
  { attribute: "float", direction: "asc" },
  { attribute: "datetime", direction: "desc" },
] as const;

const TEXTS = ["fox", "quick brown fox fox", "lazy dogs naïve", "東京 fo", ""];
const DIMENSIONS = ["", "a", "b", "é", "zz"];

const tried = [
  COLUMN_INDEX,
  DICTIONARY_INDEX,
  SORTED_NUMBERS_INDEX,
  ELEMENT_NUMBERS_INDEX,
  TEXT_INDEX,
  SPARSE_INDEX,
  VECTOR_INDEX,
  CLUSTER_INDEX,
  CODE_INDEX,
  BYTE_CODE_INDEX,
];

test("every index is tried", () => {
  expect(new Set(tried)).toEqual(new Set(ATTRIBUTE_INDEXES));
});

test("each kind of section has a code of its own, which docs/format.md lists", () => {
  const page = readFileSync(new URL("../../docs/format.md", import.meta.url), "utf8");
  const listed = [...page.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  const others = [ID_SECTIONS, DOCUMENT_SECTIONS].flatMap((kinds) => Object.values(kinds));
  const codes = [
    ...ATTRIBUTE_INDEXES.flatMap(({ sections }) => sections),
    ...others,
    ID_FILTER_SECTION,
    ...ID_ORDER.sections,
  ];
  expect(listed).toEqual(codes.sort((a, b) => a - b));
  expect(new Set(codes).size).toBe(codes.length);
});

attributeIndexConformance({
  effort: EFFORT,
  index: COLUMN_INDEX,
  shown: (view, { attribute, values }) => valuesIn(view, attribute, values.length),
  expected: ({ schema, values }) => (schema.type.kind === "vector" ? undefined : values),
  query: (random) => ranked(random, { kind: "order", keys: [pick(random, ORDERS)] }),
});

attributeIndexConformance({
  effort: EFFORT,
  index: DICTIONARY_INDEX,
  shown(view, { attribute, values }) {
    const dictionary = view.column(attribute)?.dictionary;
    if (dictionary === undefined) return undefined;
    const distinct = Array.from({ length: dictionary.size }, (_, code) => dictionary.value(code));
    const codes = Array.from(dictionary.codes, (code) => distinct[code]);
    const isArray = values.some(Array.isArray);
    return { distinct, elements: isArray ? codes : codes.filter((_, o) => values[o] !== null) };
  },
  expected({ schema: { type, ...options }, values }) {
    const isString = "of" in type && (type.of === "string" || type.of === "uuid");
    const { filterable, glob, regex, fuzzy } = options;
    if (!isString || !(filterable || glob || regex || fuzzy)) return undefined;
    const elements = values.flatMap((value) => value ?? []) as string[];
    return { distinct: [...new Set(elements)].sort(compareStrings), elements };
  },
  query: (random, schema) => ({
    ...ranked(random, { kind: "order", keys: [ORDERS[0]] }),
    filter: randomFilter(random, schema, 1),
  }),
});

const TEXT_CASE: Omit<IndexCase, "index"> = {
  effort: EFFORT,
  shown(view, { attribute }) {
    const text = view.index(TEXT_INDEX, attribute);
    if (text === undefined) return undefined;
    const terms = Array.from({ length: text.termCount }, (_, code) => {
      const plain = plainPostings(text.postingsAt(code));
      return [text.term(code), plain?.ordinals, plain?.frequencies];
    });
    return { lengths: [...text.lengths], terms };
  },
  expected({ schema: { fullTextSearch: options }, values }) {
    if (options === undefined) return undefined;
    const lists = values.map((value) =>
      ((value === null ? [] : [value].flat()) as string[]).flatMap((text) =>
        analyzerFor(options)
          .analyze(text)
          .map(({ term }) => term),
      ),
    );
    const terms = [...new Set(lists.flat())].sort(compareStrings).map((term) => {
      const counts = lists.map((list) => list.filter((other) => other === term).length);
      const ordinals = counts.flatMap((count, o) => (count > 0 ? [o] : []));
      return [term, ordinals, counts.filter((count) => count > 0)];
    });
    return { lengths: lists.map((list) => list.length), terms };
  },
  query(random) {
    const attribute = pick(random, ["string", "[]string"]);
    const lastAsPrefix = random.below(3) === 0;
    const query = pick(random, TEXTS);
    return ranked(random, {
      kind: "score",
      expression: { kind: "bm25", attribute, query, lastAsPrefix },
    });
  },
};

const SPARSE_CASE: Omit<IndexCase, "index"> = {
  effort: EFFORT,
  shown(view, { attribute, values }) {
    const sparse = view.index(SPARSE_INDEX, attribute);
    return dimensionsOf(values).map((name) => {
      const { ordinals = [], weights = [] } = plainWeights(sparse?.postings(name)) ?? {};
      return [name, ordinals, weights];
    });
  },
  expected({ schema: { type }, values }) {
    if (type.kind !== "sparse") return undefined;
    return dimensionsOf(values).map((name) => {
      const weights = values.map((value) => {
        const vector = value as SparseVector | null;
        return vector?.weights[vector.names.indexOf(name)];
      });
      const ordinals = weights.flatMap((weight, o) => (weight === undefined ? [] : [o]));
      return [name, ordinals, weights.filter((weight) => weight !== undefined)];
    });
  },
  query(random) {
    const names = DIMENSIONS.slice(random.below(4));
    const entries = new Map(names.map((name) => [name, random.below(8) / 4]));
    return ranked(random, {
      kind: "score",
      expression: { kind: "sparse", attribute: "{}f16", entries },
    });
  },
};

attributeIndexConformance({ ...TEXT_CASE, index: TEXT_INDEX });
attributeIndexConformance({ ...SPARSE_CASE, index: SPARSE_INDEX });

/** With bounds of lists as short as those of few documents are. */
const BLOCK_POSTINGS = 2;
/** With bitmaps of terms that half of all documents have. */
const BITSETS_OF_HALF = { documentsMin: 1, documentsPerPosting: 2 };
const SHORT_TEXT = {
  ...textIndex({ blockPostings: BLOCK_POSTINGS, bitsets: BITSETS_OF_HALF }),
  name: "text in short blocks, with bitmaps",
};
const SHORT_SPARSE = { ...sparseIndex(BLOCK_POSTINGS), name: "sparse in short blocks" };
const SHORT_INDEXES = ATTRIBUTE_INDEXES.map((index) => {
  if (index === TEXT_INDEX) return SHORT_TEXT;
  return index === SPARSE_INDEX ? SHORT_SPARSE : index;
});

const PAGED_TEXT = {
  ...textIndex({ blockPostings: BLOCK_POSTINGS, bitsets: BITSETS_OF_HALF, pages: SHORT_PAGES }),
  name: "text by pages",
};
const PAGED_INDEXES = ATTRIBUTE_INDEXES.map((index) => (index === TEXT_INDEX ? PAGED_TEXT : index));

attributeIndexConformance({ ...TEXT_CASE, index: PAGED_TEXT, indexes: PAGED_INDEXES });

const SHORT_CASE: IndexCase = {
  ...TEXT_CASE,
  index: SHORT_TEXT,
  indexes: SHORT_INDEXES,
  shown(view, of) {
    const text = view.index(SHORT_TEXT, of.attribute);
    const terms = Array.from({ length: text?.termCount ?? 0 }, (_, code) => text?.term(code) ?? "");
    return terms.map((term) => {
      const bitmap = text?.bitmap(term);
      return [shownBlocks(text?.blocks(term)), bitmap && [...bitmapOrdinals(bitmap)]];
    });
  },
  expected(of) {
    const shown = TEXT_CASE.expected(of) as { lengths: number[]; terms: TermShown[] } | undefined;
    return shown?.terms.map(([_term, ordinals, frequencies]) => [
      blocksOfList(ordinals, (i) => {
        const pair = (at: number) => [frequencies[at], shown.lengths[ordinals[at]]];
        return i.map(pair).filter(
          ([frequency, length], at, all) =>
            !all.some(([f, l], other) => {
              const isAsGood = f >= frequency && l <= length;
              return isAsGood && (f > frequency || l < length || other < at);
            }),
        );
      }),
      2 * ordinals.length >= shown.lengths.length ? ordinals : undefined,
    ]);
  },
};

attributeIndexConformance(SHORT_CASE);
attributeIndexConformance({
  ...SHORT_CASE,
  index: { ...PAGED_TEXT, name: "bounds and bitmaps by pages" },
  indexes: PAGED_INDEXES,
});

attributeIndexConformance({
  ...SPARSE_CASE,
  index: SHORT_SPARSE,
  indexes: SHORT_INDEXES,
  shown(view, { attribute, values }) {
    const sparse = view.index(SHORT_SPARSE, attribute);
    return dimensionsOf(values).map((name) => {
      const shown = shownBlocks(sparse?.blocks(name));
      return shown?.map(({ last, pairs }) => {
        return {
          last,
          pairs: pairs.map((pair) => [...new Float32Array(Uint32Array.from(pair).buffer)]),
        };
      });
    });
  },
  expected(of) {
    const shown = SPARSE_CASE.expected(of) as TermShown[] | undefined;
    return shown?.map(([_name, ordinals, weights]) =>
      blocksOfList(ordinals, (i) => {
        const own = i.map((at) => weights[at]);
        return [[Math.max(...own), Math.min(...own)]];
      }),
    );
  },
});

type TermShown = [term: string, ordinals: number[], numbers: number[]];

/** The blocks of a list of these ordinals; undefined if it is no longer than one. */
function blocksOfList(ordinals: readonly number[], pairs: (postings: number[]) => number[][]) {
  if (ordinals.length <= BLOCK_POSTINGS) return undefined;
  return Array.from({ length: Math.ceil(ordinals.length / BLOCK_POSTINGS) }, (_, block) => {
    const start = block * BLOCK_POSTINGS;
    const postings = Array.from(
      ordinals.slice(start, start + BLOCK_POSTINGS),
      (_o, i) => start + i,
    );
    return { last: ordinals[postings.at(-1) ?? 0], pairs: pairs(postings) };
  });
}

function shownBlocks(blocks: ListBlocks | undefined) {
  if (blocks === undefined) return undefined;
  const { lastOrdinals, pairEnds, pairs } = blocks;
  return Array.from(lastOrdinals, (last, b) => {
    const first = b === 0 ? 0 : pairEnds[b - 1];
    const own = Array.from({ length: pairEnds[b] - first }, (_, p) => {
      return [...pairs.subarray(2 * (first + p), 2 * (first + p + 1))];
    });
    return { last, pairs: own };
  });
}

attributeIndexConformance({
  effort: EFFORT,
  index: VECTOR_INDEX,
  shown(view, { attribute, values }) {
    const norms = view.column(attribute)?.vectors?.inverseNorms ?? [];
    return { values: valuesIn(view, attribute, values.length), norms: [...norms] };
  },
  expected({ schema: { type }, values }) {
    if (type.kind !== "vector") return undefined;
    const norms = values.map((value) => {
      const norm = Math.hypot(...((value as Float32Array | null) ?? []));
      return norm === 0 ? 0 : Math.fround(1 / norm);
    });
    return { values, norms };
  },
  query: (random) => ranked(random, randomVectorRank(random)),
});

attributeIndexConformance({
  effort: EFFORT,
  index: CLUSTER_INDEX,
  shown(view, { attribute }) {
    const { metric, dimensions, starts, centroids, ordinals, isInner } =
      view.index(CLUSTER_INDEX, attribute) ?? expect.unreachable();
    const shown = { attribute, metric, dimensions, starts: [...starts], isInner };
    return { ...shown, centroids: [...centroids], ordinals: ordinals && [...ordinals] };
  },
  expected({ clusters }) {
    if (clusters === undefined) return undefined;
    const { starts, centroids, ordinals, codes: _, byteOrigin: _origin, ...rest } = clusters;
    const shown = { ...rest, starts: [...starts] };
    return { ...shown, centroids: [...centroids], ordinals: ordinals && [...ordinals] };
  },
  query: (random) => ranked(random, randomVectorRank(random)),
});

attributeIndexConformance({
  effort: EFFORT,
  index: CODE_INDEX,
  // Estimates of how far rows are from their own means are exact but for rounding.
  shown(view, { attribute }) {
    const codes = view.index(CODE_INDEX, attribute) ?? expect.unreachable();
    const clusters = view.index(CLUSTER_INDEX, attribute) ?? expect.unreachable();
    const { centroids, dimensions, starts } = clusters;
    const { rotatedDimensions, rounds, signs, origin, shapes } = codes;
    const blocks = blocksOf(codes, starts[clusters.count]);
    const estimates = Array.from(shapes.lengths, (_length, c) => {
      const mean = new Float32Array(rotatedDimensions);
      for (let d = 0; d < dimensions; d++) mean[d] = centroids[c * dimensions + d] - origin[d];
      rotateVector(mean, signs, rounds);
      const rows = Array.from({ length: starts[c + 1] - starts[c] }, (_row, i) => starts[c] + i);
      return rows.map((row) => Number(estimateOf(blocks, row, mean).toPrecision(2)) || 0);
    });
    return { lengths: [...shapes.lengths], estimates };
  },
  expected({ clusters, clustered }) {
    if (clusters === undefined) return undefined;
    const { centroids, starts, dimensions } = clusters;
    const estimates = Array.from({ length: starts.length - 1 }, (_, c) => {
      const mean = centroids.subarray(c * dimensions, (c + 1) * dimensions);
      return clustered.slice(starts[c], starts[c + 1]).map((vector) => {
        const distance = vectorDistance("euclidean_squared", vector, mean);
        return Number(distance.toPrecision(2));
      });
    });
    return { lengths: [1, 1], estimates };
  },
  query: (random) => ranked(random, randomVectorRank(random)),
});

attributeIndexConformance({
  effort: EFFORT,
  index: BYTE_CODE_INDEX,
  // How far vectors are from their codes is within what the codes say.
  shown(view, { attribute, values }) {
    const codes = view.index(BYTE_CODE_INDEX, attribute) ?? expect.unreachable();
    const { origin, dimensions, chunkRows, strideBytes } = codes;
    const within = values.map((value, o) => {
      if (value === null) return null;
      const { bytes } = codes.chunk(Math.floor(o / chunkRows));
      const row = Uint8Array.from(bytes.subarray((o % chunkRows) * strideBytes)).buffer;
      const [scale, error] = new Float32Array(row, paddedCodes(dimensions), 2);
      const own = new Int8Array(row, 0, dimensions);
      const vector = value as Float32Array;
      const rest = Array.from(vector, (x, d) => x - origin[d] - scale * own[d]);
      return (
        Math.hypot(...rest) <= error &&
        error <= (2 * Math.hypot(...origin, ...vector)) / 127 + 1e-30
      );
    });
    return { metric: codes.metric, origin: [...origin], within };
  },
  expected({ clusters, values }) {
    if (clusters?.byteOrigin === undefined) return undefined;
    const within = values.map((value) => (value === null ? null : true));
    return { metric: clusters.metric, origin: [...clusters.byteOrigin], within };
  },
  query: (random) => ranked(random, randomVectorRank(random)),
});

function blocksOf(codes: CodeView, rowCount: number): Uint8Array[] {
  const blockBytes = codeBlockBytes(codes.rotatedDimensions / 4);
  return Array.from({ length: Math.ceil(rowCount / CODE_BLOCK_ROWS) }, (_, block) => {
    const { block: place, start } = codes.chunk(Math.floor(block / codes.chunkBlocks));
    const at = start + (block % codes.chunkBlocks) * blockBytes;
    return Uint8Array.from(KERNELS.bytes(place).subarray(at, at + blockBytes));
  });
}

/** The squared distance of a row from a rotated query that is its cluster's mean. */
function estimateOf(blocks: readonly Uint8Array[], row: number, query: Float32Array): number {
  const block = blocks[Math.floor(row / CODE_BLOCK_ROWS)];
  const lane = row % CODE_BLOCK_ROWS;
  const factors = new Float32Array(block.buffer, (query.length / 4) * NIBBLE_BYTES);
  let product = 0;
  query.forEach((value, d) => {
    const nibbles = block[Math.floor(d / 4) * NIBBLE_BYTES + (lane % NIBBLE_BYTES)];
    const bit = (nibbles >> ((d % 4) + (lane < NIBBLE_BYTES ? 0 : 4))) & 1;
    product += bit === 1 ? value / 2 : -value / 2;
  });
  return factors[lane] + factors[CODE_BLOCK_ROWS + lane] * product;
}

function ranked(random: Random, rankBy: RankBy): DocumentQuery {
  return documentQuery(rankBy, { limit: 1 + random.below(20), selection: { kind: "all" } });
}

function valuesIn(view: SegmentView, attribute: string, count: number): AttributeValue[] {
  const column = view.column(attribute);
  return Array.from({ length: count }, (_, o) => column?.value(o as Ordinal) ?? null);
}

function dimensionsOf(values: readonly AttributeValue[]): string[] {
  return [...new Set(values.flatMap((value) => (value as SparseVector | null)?.names ?? []))];
}
