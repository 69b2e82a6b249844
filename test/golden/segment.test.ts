import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { Ordinal, SegmentId } from "../../src/base/ids.ts";
import { decodeColumns, encodeColumns } from "../../src/codec/columns-codec.ts";
import { columnValue, idAt } from "../../src/codec/columns-value.ts";
import { DOCUMENT_SECTIONS } from "../../src/segment/documents/documents-section.ts";
import { BlockSource } from "../../src/segment/format/byte-source.ts";
import { headOf } from "../../src/segment/format/segment-format.ts";
import { indexFingerprint } from "../../src/segment/index-fingerprint.ts";
import { OpenSegment, openSegment } from "../../src/segment/segment-reader.ts";
import { verifySegment } from "../../src/segment/segment-seal.ts";
import { SPARSE_INDEX } from "../../src/segment/sparse/sparse-index.ts";
import { openStoredSegment } from "../../src/segment/stored-segment-reader.ts";
import { TEXT_INDEX } from "../../src/segment/text/text-index.ts";
import { BYTE_CODE_INDEX } from "../../src/segment/vectors/byte-code-index.ts";
import { CLUSTER_INDEX } from "../../src/segment/vectors/cluster-index.ts";
import { plainPostings, plainWeights } from "../support/segments/plain-postings.ts";
import { GOLDEN_DOCUMENTS, GOLDEN_SCHEMA, goldenColumns } from "./golden-documents.ts";
import {
  BYTE_ORIGIN,
  CLUSTER_ORDER,
  CLUSTERS,
  FURTHER_CLUSTERS,
  goldenSegments,
} from "./golden-segments.ts";

const PLACE = { arena: 0, offset: 0 };

/** Copied to a place of its own, as sections are found by their address. */
function golden(name: string): Uint8Array {
  return Uint8Array.from(readFileSync(new URL(`v1/${name}`, import.meta.url)));
}

test("columns of format version 1 are read as they were written", () => {
  const columns = decodeColumns(golden("columns.bin"));
  const ids = GOLDEN_DOCUMENTS.map((_, o) => idAt(columns.ids, o));
  expect(ids).toEqual(GOLDEN_DOCUMENTS.map(({ id }) => id));
  for (const name of GOLDEN_SCHEMA.attributes.keys()) {
    const column = columns.attributes.get(name);
    const values = GOLDEN_DOCUMENTS.map((_, o) => (column ? columnValue(column, o) : null));
    expect(values, name).toEqual(GOLDEN_DOCUMENTS.map((d) => d.attributes.get(name) ?? null));
  }
});

test("a segment of format version 1 is read as it was written", () => {
  const block = golden("segment.bin");
  verifySegment(block);
  const view = openSegment("golden" as SegmentId, block, PLACE);
  GOLDEN_DOCUMENTS.forEach(({ id, attributes }, ordinal) => {
    expect(view.idOf(ordinal as Ordinal)).toBe(id);
    expect(view.ordinalOf(id)).toBe(ordinal);
    for (const name of GOLDEN_SCHEMA.attributes.keys()) {
      const value = view.column(name)?.value(ordinal as Ordinal) ?? null;
      expect(value, name).toEqual(attributes.get(name) ?? null);
    }
  });
  expect(view.logicalBytes).toBe(313);
});

test("a stored segment of format version 1 is read as it was written", () => {
  const content = golden("stored-segment.bin");
  verifySegment(content);
  const source = new BlockSource({ ...PLACE, bytes: content });
  const view = openStoredSegment("golden" as SegmentId, headOf(content), () => source);
  const kinds = new Set(view.entries.map(({ kind }) => kind));
  const { documents, blocks } = DOCUMENT_SECTIONS;
  expect(kinds.has(documents) && kinds.has(blocks)).toBe(true);
  GOLDEN_DOCUMENTS.forEach(({ id, attributes }, ordinal) => {
    expect(view.ordinalOf(id)).toBe(ordinal);
    for (const name of GOLDEN_SCHEMA.attributes.keys()) {
      const value = view.column(name)?.value(ordinal as Ordinal) ?? null;
      expect(value, name).toEqual(attributes.get(name) ?? null);
    }
  });
  expect(plainPostings(view.index(TEXT_INDEX, "string")?.postings("fox"))).toEqual(FOX);
});

/** The term "fox". */
const FOX = { ordinals: [0], frequencies: [2] };

test("indexes of format version 1 are read as they were written", () => {
  const view = openSegment("golden" as SegmentId, golden("segment.bin"), PLACE);
  const text = view.index(TEXT_INDEX, "string");
  const terms = Array.from({ length: text?.termCount ?? 0 }, (_, code) => text?.term(code));
  expect(terms).toEqual(["cafe", "dog", "fox", "quick", "ran", "🦊"]);
  expect(text?.lengths).toEqual(Uint32Array.of(6, 0, 1, 0, 0, 0));
  expect(plainPostings(text?.postings("fox"))).toEqual(FOX);
  const dictionary = view.column("[]string")?.dictionary;
  const values = Array.from({ length: dictionary?.size ?? 0 }, (_, c) => dictionary?.value(c));
  expect(values).toEqual(["", "a", "b", "fox", "z", "東京"]);
  expect(dictionary?.codes).toEqual(Uint32Array.of(2, 1, 0, 5, 1, 4, 3));
  expect(plainWeights(view.index(SPARSE_INDEX, "{}f16")?.postings("cat"))).toEqual({
    ordinals: [0, 5],
    weights: [-1, 3],
  });
  const vectors = view.column("[3]f32")?.vectors;
  expect(vectors?.strideBytes).toBe(16);
  const norms = [1 / Math.sqrt(5.0625), 0, 0, 0.2, 0, 0];
  expect(vectors?.inverseNorms).toEqual(Float32Array.from(norms));
});

test("a clustered segment of format version 1 is read as it was written", () => {
  const bytes = golden("clustered-segment.bin");
  verifySegment(bytes);
  const view = openSegment("golden" as SegmentId, bytes, PLACE);
  const ids = Array.from(CLUSTER_ORDER, (_, o) => view.idOf(o as Ordinal));
  expect(ids).toEqual(Array.from(CLUSTER_ORDER, (o) => GOLDEN_DOCUMENTS[o].id));
  expect(view.index(CLUSTER_INDEX, "[3]f32")).toMatchObject({ ...CLUSTERS, count: 2 });
  expect(view.hasIndex(CLUSTER_INDEX, "[4]f32")).toBe(false);
  const fox = view.index(TEXT_INDEX, "string")?.postings("fox");
  expect(plainPostings(fox)?.ordinals).toEqual([1]);
});

test("clusters with ordinals of format version 1 are read as they were written", () => {
  const bytes = golden("further-clusters-segment.bin");
  verifySegment(bytes);
  const view = openSegment("golden" as SegmentId, bytes, PLACE);
  expect(view.index(CLUSTER_INDEX, "[3]f32")).toMatchObject({ ...CLUSTERS, count: 2 });
  expect(view.index(CLUSTER_INDEX, "[4]f32")).toMatchObject({ ...FURTHER_CLUSTERS, count: 1 });
  expect(view.column("[4]f32")?.has(1 as Ordinal)).toBe(true);
});

test("byte codes of format version 1 are read as they were written", () => {
  const bytes = golden("byte-codes-segment.bin");
  verifySegment(bytes);
  const view = openSegment("golden" as SegmentId, bytes, PLACE);
  const codes = view.index(BYTE_CODE_INDEX, "[3]f32");
  expect(codes).toMatchObject({ metric: "euclidean_squared", dimensions: 3, strideBytes: 32 });
  expect(codes?.origin).toEqual(BYTE_ORIGIN);
  // Ordinal 1: 1, -2, 0.25 less the origin.
  const row = codes?.chunk(0).bytes.slice(32, 64) ?? new Uint8Array(0);
  expect([...new Int8Array(row.buffer, 0, 16)]).toEqual([21, -127, 0, ...Array(13).fill(0)]);
  const [scale, error] = new Float32Array(row.buffer, 16, 2);
  expect(scale).toBe(Math.fround(3 / 127));
  expect(error).toBeCloseTo(Math.abs(0.5 - 21 * scale), 6);
  expect(new Uint32Array(row.buffer, 24, 2)).toEqual(Uint32Array.of(21 * 21 + 127 * 127, 0));
});

test("bounds of postings of format version 1 are read as they were written", () => {
  const bytes = golden("bounded-segment.bin");
  verifySegment(bytes);
  const view = openSegment("golden" as SegmentId, bytes, PLACE);
  const text = view.index(TEXT_INDEX, "string");
  expect(plainPostings(text?.postings("fox"))?.ordinals).toEqual([0, 6]);
  expect(text?.blocks("fox")).toEqual({
    blockPostings: 1,
    lastOrdinals: Uint32Array.of(0, 6),
    pairEnds: Uint32Array.of(1, 2),
    pairs: Uint32Array.of(2, 6, 1, 1),
  });
  expect(text?.blocks("dog")).toBeUndefined();
  for (const [name, index] of [
    ["string", TEXT_INDEX],
    ["{}f16", SPARSE_INDEX],
  ] as const) {
    const wanted = GOLDEN_SCHEMA.attributes.get(name) ?? expect.unreachable();
    expect(index.isCurrent(view.sections(name), wanted.type, wanted), name).toBe(true);
  }
  const weights = view.index(SPARSE_INDEX, "{}f16")?.blocks("cat");
  expect(weights).toMatchObject({
    lastOrdinals: Uint32Array.of(0, 5),
    pairEnds: Uint32Array.of(1, 2),
  });
  expect(new Float32Array(Uint32Array.from(weights?.pairs ?? []).buffer)).toEqual(
    Float32Array.of(-1, -1, 3, 3),
  );
});

test("terms by pages of format version 1 are read as they were written", () => {
  const bytes = golden("paged-segment.bin");
  verifySegment(bytes);
  const source = new BlockSource({ ...PLACE, bytes });
  const view = new OpenSegment("golden" as SegmentId, headOf(bytes).slice(), source);
  const wanted = GOLDEN_SCHEMA.attributes.get("string") ?? expect.unreachable();
  expect(TEXT_INDEX.isCurrent(view.sections("string"), wanted.type, wanted)).toBe(true);
  const text = view.index(TEXT_INDEX, "string") ?? expect.unreachable();
  expect(Array.from({ length: text.termCount }, (_, code) => text.term(code))).toEqual([
    ..."cafe dog fox quick ran 🦊".split(" "),
  ]);
  expect(text.lengths).toEqual(Uint8Array.of(6, 0, 1, 0, 0, 0, 1));
  expect(text.totals).toEqual({ documentCount: 4, termCount: 8 });
  expect(plainPostings(text.postings("fox"))).toEqual({
    ordinals: [0, 6],
    frequencies: [2, 1],
  });
  expect(text.codesWith("f")).toEqual({ start: 2, end: 3 });
  expect(text.blocks("fox")?.lastOrdinals).toEqual(Uint32Array.of(0, 6));
  expect(text.bitmap("fox")).toEqual(Uint32Array.of(0b100_0001));
});

test("positions are read as they were written", () => {
  const bytes = golden("positions-segment.bin");
  verifySegment(bytes);
  const view = openSegment("golden" as SegmentId, bytes, PLACE);
  const text = view.index(TEXT_INDEX, "string");
  // The, quick, foxes, ran, a, fox, the, Café and 🦊: three of them are stop words.
  const positions = ["quick", "fox", "ran", "cafe", "🦊"].map((term) => text?.positions(term));
  const runs = [[1], [2, 3, 0], [3], [7], [8]].map((run) => Uint8Array.from(run));
  expect(positions).toEqual(runs);
});

test("the index fingerprint of a schema is what manifests have", () => {
  expect(indexFingerprint(GOLDEN_SCHEMA)).toBe("5f7f42c54501a161");
});

test("format version 1 is still written to the byte", () => {
  expect(encodeColumns(goldenColumns())).toEqual(golden("columns.bin"));
  const segments = Object.entries(goldenSegments());
  for (const [name, bytes] of segments) expect(bytes, name).toEqual(golden(name));
});
