/**
 * Several segments → one, without their dead documents. Stored values are copied; dictionaries,
 * postings and sparse postings are joined where the inputs have them as the schema wants them, and
 * built again from the stored values where not.
 */

import { assert } from "../base/assert.ts";
import { bitmapOrdinals, hasBit } from "../codec/bitmap.ts";
import { gatherColumn, gatherData, isUnknownArray } from "../codec/columns-gather.ts";
import { columnLogicalBytes, dataLogicalBytes, vectorBytes } from "../codec/columns-size.ts";
import { emptyData, hasAnyValue, hasValue, idAttributeType } from "../codec/columns-value.ts";
import type { AttributeType } from "../model/attribute-type.ts";
import type { Column } from "../model/columns.ts";
import type { AttributeSchema, Schema } from "../model/schema.ts";
import {
  buildDictionary,
  type DictionaryPart,
  mergeDictionaries,
  planDictionary,
  wantsDictionary,
} from "./columns/dictionary-section.ts";
import { planIds } from "./ids/id-section.ts";
import { DEAD, mergePostings } from "./postings/posting-section.ts";
import type { SegmentColumn } from "./segment-column.ts";
import { planBlock, SECTION, type SectionPlan, type SegmentPlan } from "./segment-format.ts";
import type { OpenSegment } from "./segment-reader.ts";
import { planStoredColumn } from "./segment-writer.ts";
import { buildSparse, planSparse } from "./sparse/sparse-section.ts";
import {
  buildTextIndex,
  mergeTextIndexes,
  planText,
  textFingerprint,
  textOptions,
} from "./text/text-section.ts";
import { planVectors, type VectorType } from "./vectors/vector-section.ts";

/** One input of a merge. */
export interface MergeInput {
  readonly view: OpenSegment;
  /** As in `SegmentSnapshot`. Must not change before the plan is written. */
  readonly live: Uint32Array;
}

/** Rows of one segment, of which all is in memory. */
export interface RowInput {
  readonly view: OpenSegment;
  /** Old ordinals in the order of the new ones. */
  readonly ordinals: Uint32Array;
  /** New ordinal by old one, or `DEAD`. */
  readonly newOrdinals: Uint32Array;
}

/**
 * Plans the merge of segments with one id type and no live document in common. Live documents keep
 * their order, inputs one after the other. The inputs must stay until the plan is written.
 */
export function planMerge(inputs: readonly MergeInput[], schema: Schema): SegmentPlan {
  assert(inputs.length > 0, "there is nothing to merge");
  return planRows(numberInputs(inputs), schema);
}

/**
 * Plans a segment of the rows of `inputs`, one after the other, and of more sections, with the
 * indexes that the schema asks for. The inputs must stay until the plan is written.
 */
export function planRows(
  inputs: readonly RowInput[],
  schema: Schema,
  more: readonly SectionPlan[] = [],
): SegmentPlan {
  const { idType } = inputs[0].view;
  const documentCount = inputs.reduce((sum, { ordinals }) => sum + ordinals.length, 0);
  const ids = gatherData(
    emptyData(idAttributeType(idType)),
    inputs.map(({ view, ordinals }) => ({ data: view.ids, ordinals })),
  );
  let logicalBytes = dataLogicalBytes(ids, 0, documentCount);
  const sections = planIds(ids, documentCount);
  for (const name of new Set(inputs.flatMap(({ view }) => view.attributes))) {
    const merge = new AttributeMerge(name, schema.attributes.get(name), inputs);
    const merged = merge.plan(documentCount);
    logicalBytes += merged.logicalBytes;
    sections.push(...merged.sections);
  }
  return planBlock({ documentCount, idType, logicalBytes }, [...sections, ...more]);
}

/** An index that a segment has not. */
export interface MissingIndex {
  readonly attribute: string;
  readonly index: "filterable" | "full_text_search";
}

/** Tells whether a segment has exactly the indexes that a schema asks for. */
export function matchesSchema(view: OpenSegment, schema: Schema): boolean {
  return view.attributes.every((name) => {
    const type = view.typeOf(name);
    const attribute = schema.attributes.get(name);
    if (type === undefined || attribute === undefined) return true;
    if (isUnknownArray(type) !== isUnknownArray(attribute.type)) return false;
    const hasDictionary = view.entry(SECTION.dictionary, name) !== undefined;
    if (hasDictionary !== wantsDictionary(type, attribute)) return false;
    const options = textOptions(type, attribute);
    const wanted = options === undefined ? undefined : textFingerprint(options);
    return view.textFingerprint(name) === wanted;
  });
}

/** The indexes that a schema asks for and a segment has not, or has by other options. */
export function missingIndexes(view: OpenSegment, schema: Schema): MissingIndex[] {
  return view.attributes.flatMap((attribute): MissingIndex[] => {
    const type = view.typeOf(attribute);
    const wanted = schema.attributes.get(attribute);
    if (type === undefined || wanted === undefined) return [];
    const missing: MissingIndex[] = [];
    const hasDictionary = view.entry(SECTION.dictionary, attribute) !== undefined;
    if (!hasDictionary && wantsDictionary(type, wanted)) {
      missing.push({ attribute, index: "filterable" });
    }
    const options = textOptions(type, wanted);
    if (options !== undefined && view.textFingerprint(attribute) !== textFingerprint(options)) {
      missing.push({ attribute, index: "full_text_search" });
    }
    return missing;
  });
}

function numberInputs(inputs: readonly MergeInput[]): RowInput[] {
  let next = 0;
  return inputs.map(({ view, live }) => {
    const newOrdinals = new Uint32Array(view.documentCount);
    for (let o = 0; o < newOrdinals.length; o++) newOrdinals[o] = hasBit(live, o) ? next++ : DEAD;
    return { view, ordinals: bitmapOrdinals(live), newOrdinals };
  });
}

/** Merges one attribute. */
class AttributeMerge {
  readonly #name: string;
  readonly #schema: AttributeSchema | undefined;
  readonly #inputs: readonly RowInput[];
  readonly #columns: readonly (SegmentColumn | undefined)[];

  constructor(name: string, schema: AttributeSchema | undefined, inputs: readonly RowInput[]) {
    this.#name = name;
    this.#schema = schema;
    this.#inputs = inputs;
    this.#columns = inputs.map(({ view }) => view.column(name));
  }

  plan(documentCount: number): { logicalBytes: number; sections: SectionPlan[] } {
    const type = this.#type();
    if (type.kind === "vector") return this.#planVectors(type, documentCount);
    const column = gatherColumn(
      type,
      this.#inputs.map(({ ordinals }, i) => ({ column: this.#columns[i]?.column, ordinals })),
    );
    if (!hasAnyValue(column)) return { logicalBytes: 0, sections: [] };
    const sections = [planStoredColumn(this.#name, column)];
    if (wantsDictionary(type, this.#schema)) sections.push(this.#planDictionary(column));
    const text = this.#planText(column);
    if (text !== undefined) sections.push(...text);
    if (type.kind === "sparse") sections.push(...this.#planSparse(column));
    return { logicalBytes: columnLogicalBytes(column), sections };
  }

  /** The schema's type, which is the columns' own unless only empty arrays were seen. */
  #type(): AttributeType {
    const types = this.#columns.flatMap((view) => (view === undefined ? [] : [view.column.type]));
    return this.#schema?.type ?? types.find((type) => !isUnknownArray(type)) ?? types[0];
  }

  #planVectors(type: VectorType, count: number): { logicalBytes: number; sections: SectionPlan[] } {
    const inverseNorms = new Float32Array(count);
    const presence = new Uint8Array((count + 7) >> 3);
    let present = 0;
    let next = 0;
    const parts = this.#inputs.map(({ ordinals }, i) => {
      const placed = this.#columns[i]?.placed;
      for (let o = 0; o < ordinals.length; o++, next++) {
        if (placed === undefined || !hasValue(placed, ordinals[o])) continue;
        inverseNorms[next] = placed.description.inverseNorms[ordinals[o]];
        presence[next >> 3] |= 1 << (next & 7);
        present++;
      }
      return { source: placed?.vectors, ordinals };
    });
    if (present === 0) return { logicalBytes: 0, sections: [] };
    const column = {
      type,
      count,
      presence: present === count ? undefined : presence,
      inverseNorms,
    };
    const logicalBytes = present * vectorBytes(type);
    return { logicalBytes, sections: planVectors(this.#name, column, parts) };
  }

  #planDictionary(column: Column): SectionPlan {
    const parts: DictionaryPart[] = [];
    for (let i = 0; i < this.#inputs.length; i++) {
      const view = this.#columns[i];
      const { ordinals } = this.#inputs[i];
      const part =
        view === undefined ? absentPart(column, ordinals.length) : dictionaryPart(view, ordinals);
      if (part === undefined) return planDictionary(this.#name, buildDictionary(column));
      parts.push(part);
    }
    return planDictionary(this.#name, mergeDictionaries(parts));
  }

  #planText(column: Column): SectionPlan[] | undefined {
    const options = textOptions(column.type, this.#schema);
    if (options === undefined) return undefined;
    const fingerprint = textFingerprint(options);
    const parts = this.#inputs.map(({ view, newOrdinals }) => {
      return { index: view.textIndex(this.#name), newOrdinals };
    });
    const isCurrent = parts.every(({ index }, i) => {
      return index === undefined
        ? this.#columns[i] === undefined
        : index.fingerprint === fingerprint;
    });
    const index = isCurrent
      ? mergeTextIndexes(fingerprint, parts, column)
      : buildTextIndex(column, options);
    return planText(this.#name, index);
  }

  #planSparse(column: Column): SectionPlan[] {
    const parts = this.#inputs.flatMap(({ view, newOrdinals }, i) => {
      const lists = view.sparseLists(this.#name);
      assert(lists !== undefined || this.#columns[i] === undefined, "sparse vectors not inverted");
      return lists === undefined ? [] : [{ lists, newOrdinals }];
    });
    const lists = parts.length > 0 ? mergePostings(parts) : buildSparse(column);
    return planSparse(this.#name, lists);
  }
}

/** Undefined if a part has no dictionary to join. */
function dictionaryPart(view: SegmentColumn, ordinals: Uint32Array): DictionaryPart | undefined {
  const dictionary = view.dictionaryArrays;
  if (dictionary === undefined) return undefined;
  const { column } = view;
  const { data } = column;
  if (data.kind !== "array") return { dictionary, positions: ordinals, column };
  const positions: number[] = [];
  for (const ordinal of ordinals) {
    for (let e = data.offsets[ordinal]; e < data.offsets[ordinal + 1]; e++) positions.push(e);
  }
  return { dictionary, positions: Uint32Array.from(positions), column: undefined };
}

/** The part of a segment where none of `count` documents has a value. */
function absentPart(column: Column, count: number): DictionaryPart {
  const { data } = column;
  const isArray = data.kind === "array";
  const kind = isArray ? data.elements.kind : data.kind;
  const bytes = new Uint8Array(0);
  const values =
    kind === "uuid"
      ? { kind, bytes }
      : { kind: "string" as const, offsets: new Uint32Array(1), bytes };
  // Scalars have a code for every document, arrays only for every element.
  const positions = new Uint32Array(isArray ? 0 : count);
  return { dictionary: { values, codes: new Uint32Array(1) }, positions, column: undefined };
}
