/** Documents, groups and aggregates of query answers as JSON. */

import { KIB } from "../../base/byte-sizes.ts";
import { Pace } from "../../base/pace.ts";
import { runSteps, type Steps } from "../../base/steps.ts";
import type {
  AggregateValue,
  ComputedValue,
  HighlightFragment,
  QueryResult,
  ResultDocument,
  ResultGroup,
} from "../../model/query-result.ts";
import { JsonWriter } from "../json/json-writer.ts";
import {
  isLongValue,
  type VectorEncoding,
  writeFloat,
  writeId,
  writeLongValue,
  writeValue,
} from "./value-json.ts";

/** Rows that are written between two pauses: of some KiB each. */
const ROWS_PER_STEP = 16;
/** Values and bytes after which a pause is due whatever the number of rows is. */
const STEP_VALUES = 4096;
const STEP_BYTES = 256 * KIB;

/** Writes results into one answer. */
export class ResultWriter {
  readonly #json: JsonWriter;
  readonly #encoding: VectorEncoding;
  readonly #keys = new MemberKeys();
  readonly #pace = new Pace(STEP_VALUES);

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
          const rest = this.#writeDocument(document);
          if (rest !== undefined) yield* this.#writeRest(document, rest);
          if (this.#isPauseDue(i, document.attributes.length)) yield;
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
          if (this.#isPauseDue(i, group.keys.length)) yield;
        }
        json.raw("]");
        return;
    }
  }

  #isPauseDue(row: number, valueCount: number): boolean {
    const isLong = this.#pace.isDue(valueCount) || this.#json.length >= STEP_BYTES;
    return isLong || row % ROWS_PER_STEP === ROWS_PER_STEP - 1;
  }

  /** Writes an array of documents. */
  writeDocuments(documents: readonly ResultDocument[]): void {
    const json = this.#json;
    json.raw("[");
    for (const [i, document] of documents.entries()) {
      if (i > 0) json.raw(",");
      const rest = this.#writeDocument(document);
      if (rest !== undefined) runSteps(this.#writeRest(document, rest));
    }
    json.raw("]");
  }

  /** Writes a document as far as one step goes; returns the first attribute that is left. */
  #writeDocument(document: ResultDocument): number | undefined {
    const json = this.#json;
    json.raw('{"id":');
    writeId(json, document.id);
    if (document.dist !== undefined) {
      json.raw(',"$dist":');
      json.float32(document.dist);
    }
    return this.#writeMembers(document, 0);
  }

  /** Writes a document from the attribute `rest` to its end. */
  *#writeRest(document: ResultDocument, rest: number): Steps<void> {
    for (let next: number | undefined = rest; next !== undefined; ) {
      yield;
      const [name, type, value] = document.attributes[next];
      const isLong = isLongValue(value);
      if (isLong) {
        this.#keys.writeNext(this.#json, name);
        yield* writeLongValue(this.#json, type, value, this.#encoding);
        yield;
      }
      next = this.#writeMembers(document, isLong ? next + 1 : next);
    }
  }

  /**
   * Writes the attributes from one on and all that follows. Ends before a long value, and where the
   * step has written enough; returns the index of the attribute to go on with.
   */
  #writeMembers({ attributes, computed }: ResultDocument, from: number): number | undefined {
    const json = this.#json;
    const end = json.length + STEP_BYTES;
    for (let i = from; i < attributes.length; i++) {
      const [name, type, value] = attributes[i];
      // Null means absent, and `id` is there already. A computed member hides an attribute.
      if (value === null || name === "id") continue;
      if (computed.length > 0 && computed.some(([other]) => other === name)) continue;
      if (isLongValue(value) || json.length >= end) return i;
      this.#keys.writeNext(json, name);
      writeValue(json, type, value, this.#encoding);
    }
    for (const [name, value] of computed) {
      this.#keys.writeNext(json, name);
      this.#writeComputed(value);
    }
    json.raw("}");
    return undefined;
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

/** Writes members' names, each escaped only once: an answer repeats few of them very often. */
class MemberKeys {
  readonly #comma = new Map<string, Uint8Array>();

  /** Writes a comma, the name in quotes, and a colon. */
  writeNext(json: JsonWriter, name: string): void {
    let bytes = this.#comma.get(name);
    if (bytes === undefined) {
      const key = new JsonWriter();
      key.raw(",");
      key.key(name);
      bytes = key.bytes();
      this.#comma.set(name, bytes);
    }
    json.rawBytes(bytes);
  }
}
