/** Documents, groups and aggregates of query answers as JSON. */

import type { Steps } from "../../base/steps.ts";
import type {
  AggregateValue,
  ComputedValue,
  HighlightFragment,
  QueryResult,
  ResultDocument,
  ResultGroup,
} from "../../model/query-result.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { MemberKeys } from "./member-keys.ts";
import { type VectorEncoding, writeFloat, writeId, writeValue } from "./value-json.ts";

/** Rows that are written between two pauses: of some KiB each. */
const ROWS_PER_STEP = 16;

/** Writes results into one answer. */
export class ResultWriter {
  readonly #json: JsonWriter;
  readonly #encoding: VectorEncoding;
  readonly #keys = new MemberKeys();

  constructor(json: JsonWriter, encoding: VectorEncoding) {
    this.#json = json;
    this.#encoding = encoding;
  }

  /**
   * Writes the one member that holds the result of a query: `"rows":[…]` and so on. Pauses after
   * some rows or groups, so that what was written may be taken.
   */
  *memberRows(result: QueryResult): Steps<void> {
    const json = this.#json;
    switch (result.kind) {
      case "documents":
        json.raw('"rows":[');
        for (const [i, document] of result.documents.entries()) {
          if (i > 0) json.raw(",");
          this.#writeDocument(document);
          if (i % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
        }
        json.raw("]");
        return;
      case "aggregates":
        json.raw('"aggregations":{');
        for (const [i, [label, value]] of result.aggregates.entries()) {
          if (i > 0) json.raw(",");
          json.key(label);
          this.#writeAggregate(value);
        }
        json.raw("}");
        return;
      case "groups":
        json.raw('"aggregation_groups":[');
        for (const [i, group] of result.groups.entries()) {
          if (i > 0) json.raw(",");
          this.#writeGroup(group);
          if (i % ROWS_PER_STEP === ROWS_PER_STEP - 1) yield;
        }
        json.raw("]");
        return;
    }
  }

  /** Writes an array of documents. */
  writeDocuments(documents: readonly ResultDocument[]): void {
    const json = this.#json;
    json.raw("[");
    for (const [i, document] of documents.entries()) {
      if (i > 0) json.raw(",");
      this.#writeDocument(document);
    }
    json.raw("]");
  }

  #writeDocument(document: ResultDocument): void {
    const json = this.#json;
    json.raw('{"id":');
    writeId(json, document.id);
    if (document.dist !== undefined) {
      json.raw(',"$dist":');
      json.float32(document.dist);
    }
    const { computed } = document;
    for (const [name, type, value] of document.attributes) {
      // Null means absent, and `id` is there already. A computed member hides an attribute.
      if (value === null || name === "id") continue;
      if (computed.length > 0 && computed.some(([other]) => other === name)) continue;
      this.#keys.writeNext(json, name);
      writeValue(json, type, value, this.#encoding);
    }
    for (const [name, value] of computed) {
      this.#keys.writeNext(json, name);
      this.#writeComputed(value);
    }
    json.raw("}");
  }

  #writeComputed(value: ComputedValue): void {
    const json = this.#json;
    if (value === null) {
      json.null();
      return;
    }
    if (typeof value === "number") {
      json.float32(value);
      return;
    }
    json.raw("[");
    for (const [i, fragment] of value.entries()) {
      if (i > 0) json.raw(",");
      this.#writeFragment(fragment);
    }
    json.raw("]");
  }

  #writeFragment(fragment: HighlightFragment): void {
    const json = this.#json;
    json.raw('{"text":');
    json.string(fragment.text);
    if (fragment.fragmentRange) json.raw(`,"fragment_range":[${fragment.fragmentRange.join()}]`);
    if (fragment.matchRanges) {
      const ranges = fragment.matchRanges.map((range) => `[${range.join()}]`);
      json.raw(`,"match_ranges":[${ranges.join()}]`);
    }
    if (fragment.arrayIndex !== undefined) json.raw(`,"array_index":${fragment.arrayIndex}`);
    json.raw("}");
  }

  /** Unlike in documents, null is written: it is the key of a group. */
  #writeGroup(group: ResultGroup): void {
    const json = this.#json;
    json.raw("{");
    let isFirst = true;
    for (const [name, type, value] of group.keys) {
      if (isFirst) json.key(name);
      else this.#keys.writeNext(json, name);
      isFirst = false;
      writeValue(json, type, value, this.#encoding);
    }
    for (const [label, value] of group.aggregates) {
      if (isFirst) json.key(label);
      else this.#keys.writeNext(json, label);
      isFirst = false;
      this.#writeAggregate(value);
    }
    json.raw("}");
  }

  #writeAggregate(value: AggregateValue): void {
    if (typeof value === "bigint") this.#json.integer(value);
    else writeFloat(this.#json, value);
  }
}
