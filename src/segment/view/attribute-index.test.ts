/** An index that the product has not: all that it takes is an `AttributeIndex` in the list. */

import {
  attributeIndexConformance,
  INDEX_FULL,
  INDEX_USUAL,
} from "../../../test/conformance/attribute-index.ts";
import { effort } from "../../../test/support/effort.ts";
import { documentQuery } from "../../../test/support/queries/query-fixture.ts";
import { randomFilter } from "../../../test/support/random/random-queries.ts";
import { copyInSteps } from "../../base/pieces.ts";
import { oneStep, type Steps } from "../../base/steps.ts";
import { ArrayPacker, ArrayUnpacker, corrupt } from "../../codec/columns-packing.ts";
import { hasValue } from "../../codec/columns-value.ts";
import type { AttributeType } from "../../model/attribute-type.ts";
import type { Column } from "../../model/columns.ts";
import type { AttributeSchema } from "../../model/schema.ts";
import { ATTRIBUTE_INDEXES } from "../attribute-indexes.ts";
import type { AttributeSections } from "../format/attribute-sections.ts";
import type { SectionEntry, SectionPlan } from "../format/segment-layout.ts";
import { DELETED } from "../postings/posting-section.ts";
import type { AttributeIndex, MergedValues } from "./attribute-index.ts";

const EFFORT = effort({ usual: INDEX_USUAL, full: INDEX_FULL });

/** Sizes of strings in blocks of a few documents, with the largest of each block beside them. */
interface SizesView {
  readonly count: number;
  /** The largest of a block: a query would pass over it. */
  largest(block: number): number;
  /** Reads one block. Throws `BytesMissing`. */
  sizeOf(ordinal: number): number;
}

const SECTIONS = { largest: 1001, sizes: 1002 } as const;
const BLOCK = 4;

const SIZES_INDEX: AttributeIndex<SizesView> = {
  name: "sizes",
  sections: [SECTIONS.largest, SECTIONS.sizes],
  option: "filterable",
  isWanted,
  isCurrent: (sections, type, schema) =>
    (sections.entry(SECTIONS.largest) !== undefined) === isWanted(type, schema),
  build: ({ attribute, column }) => oneStep(() => plan(attribute, sizesOf(column))),
  merge,
  open,
  check,
  touch: (sections) => sections.touch([SECTIONS.largest]),
};

function isWanted(type: AttributeType, schema: AttributeSchema | undefined): boolean {
  return type.kind === "scalar" && type.of === "string" && schema?.filterable === true;
}

function sizesOf(column: Column): Uint32Array {
  const { data, count } = column;
  if (data.kind !== "string") throw new Error(`no sizes of ${data.kind}`);
  const { offsets } = data;
  return Uint32Array.from({ length: count }, (_, o) => {
    return hasValue(column, o) ? offsets[o + 1] - offsets[o] : 0;
  });
}

function plan(attribute: string, sizes: Uint32Array): SectionPlan[] {
  const largest = Uint32Array.from({ length: Math.ceil(sizes.length / BLOCK) }, (_, block) => {
    return Math.max(...sizes.subarray(block * BLOCK, (block + 1) * BLOCK));
  });
  const packer = new ArrayPacker();
  packer.word(sizes.length);
  packer.array(largest);
  const bytes = new Uint8Array(sizes.buffer);
  return [
    {
      kind: SECTIONS.largest,
      attribute,
      bytes: packer.bytes,
      writeTo: (target) => packer.writeTo(target),
    },
    {
      kind: SECTIONS.sizes,
      attribute,
      bytes: bytes.length,
      writeTo: (target) => copyInSteps(bytes, target),
    },
  ];
}

function* merge(values: MergedValues): Steps<SectionPlan[]> {
  yield;
  const { attribute, column, documentCount, inputs } = values;
  const sizes = new Uint32Array(documentCount);
  for (const { view, newOrdinals } of inputs) {
    const known = view.index(SIZES_INDEX, attribute);
    if (known === undefined && view.column(attribute) !== undefined) {
      return plan(attribute, sizesOf(column));
    }
    newOrdinals.forEach((to, from) => {
      if (to !== DELETED) sizes[to] = known?.sizeOf(from) ?? 0;
    });
  }
  return plan(attribute, sizes);
}

function open(sections: AttributeSections): SizesView | undefined {
  const section = sections.bytes(SECTIONS.largest);
  const sizes = sections.entry(SECTIONS.sizes);
  if (section === undefined || sizes === undefined) return undefined;
  const unpacker = new ArrayUnpacker(section, "sizes");
  const count = unpacker.word();
  const largest = unpacker.u32();
  return {
    count,
    largest: (block) => largest[block],
    sizeOf: (ordinal) => blockAt(sections, sizes, { ordinal, count })[ordinal % BLOCK],
  };
}

function blockAt(
  { source }: AttributeSections,
  { offset }: SectionEntry,
  { ordinal, count }: { readonly ordinal: number; readonly count: number },
): Uint32Array {
  const start = ordinal - (ordinal % BLOCK);
  const end = Math.min(start + BLOCK, count);
  const { bytes } = source.place(offset + 4 * start, offset + 4 * end);
  return new Uint32Array(bytes.buffer, bytes.byteOffset, end - start);
}

function check(sections: AttributeSections): void {
  const view = open(sections);
  if (view === undefined) return;
  const bytes = sections.entry(SECTIONS.sizes)?.bytes ?? 0;
  if (view.count !== sections.documentCount || bytes < 4 * view.count) {
    throw corrupt("sizes", "there are not as many as documents");
  }
}

attributeIndexConformance({
  effort: EFFORT,
  index: SIZES_INDEX,
  indexes: [...ATTRIBUTE_INDEXES, SIZES_INDEX],
  shown(view, { attribute, values }) {
    const sizes = view.index(SIZES_INDEX, attribute);
    const blocks = Math.ceil(values.length / BLOCK);
    return {
      sizes: values.map((_, ordinal) => sizes?.sizeOf(ordinal)),
      largest: Array.from({ length: blocks }, (_, block) => sizes?.largest(block)),
    };
  },
  expected({ schema, values }) {
    const { type } = schema;
    if (type.kind !== "scalar" || type.of !== "string" || !schema.filterable) return undefined;
    const sizes = values.map((value) => Buffer.byteLength((value ?? "") as string));
    const largest = sizes.flatMap((_, o) => {
      return o % BLOCK === 0 ? [Math.max(...sizes.slice(o, o + BLOCK))] : [];
    });
    return { sizes, largest };
  },
  // The product's queries do not know it, and are not disturbed by it.
  query: (random, schema) =>
    documentQuery(
      { kind: "order", keys: [{ attribute: "id", direction: "asc" }] },
      { filter: randomFilter(random, schema, 1), limit: 100 },
    ),
});
