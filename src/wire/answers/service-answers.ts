/** Small answers: explain, recall, warming, deletion, export. */

import type { AttributeType } from "../../model/attribute-type.ts";
import type { ResultDocument } from "../../model/query-result.ts";
import type { RecallResult } from "../../model/recall.ts";
import type { QueryAnalysis } from "../../model/request-stats.ts";
import type { AttributeValue } from "../../model/value.ts";
import { type JsonWriter, jsonBytes } from "../json/json-writer.ts";
import { ResultWriter } from "./result-json.ts";
import { writeQueryAnalysis } from "./stats-json.ts";
import { writeFloat, writeId, writeValue } from "./value-json.ts";

/** Encodes the answer to an explain request; `analysis` if the request was run. */
export function encodeExplainAnswer(
  plan: string,
  analysis?: QueryAnalysis,
): Uint8Array<ArrayBuffer> {
  return jsonBytes((json) => {
    json.raw('{"plan_text":');
    json.string(plan);
    if (analysis !== undefined) {
      json.raw(',"analysis":');
      writeQueryAnalysis(json, analysis);
    }
    json.raw("}");
  });
}

/** Encodes the answer to the deletion of a namespace. */
export function encodeDeleteAnswer(): Uint8Array<ArrayBuffer> {
  return jsonBytes((json) => json.raw('{"status":"OK"}'));
}

/** Encodes the answer to a hint to warm the cache; its status is 202. */
export function encodeWarmAnswer(): Uint8Array<ArrayBuffer> {
  return jsonBytes((json) =>
    json.raw('{"status":"ACCEPTED","message":"cache warm hint accepted"}'),
  );
}

/** Encodes the answer to a recall measurement. */
export function encodeRecallAnswer(result: RecallResult): Uint8Array<ArrayBuffer> {
  return jsonBytes((json) => {
    json.raw('{"avg_recall":');
    writeFloat(json, result.recall);
    json.raw(',"avg_exhaustive_count":');
    writeFloat(json, result.exhaustiveCount);
    json.raw(',"avg_ann_count":');
    writeFloat(json, result.annCount);
    if (result.groundTruth) writeGroundTruth(json, result.groundTruth);
    json.raw("}");
  });
}

function writeGroundTruth(
  json: JsonWriter,
  groundTruth: NonNullable<RecallResult["groundTruth"]>,
): void {
  const results = new ResultWriter(json, "float");
  json.raw(',"ground_truth":[');
  for (const [i, { query, neighbours }] of groundTruth.entries()) {
    json.raw(i > 0 ? ',{"query_vector":' : '{"query_vector":');
    json.float32Array(query);
    json.raw(',"nearest_neighbors":');
    results.writeDocuments(neighbours);
    json.raw("}");
  }
  json.raw("]");
}

/**
 * Encodes a page of the deprecated export, which is by column: `vectors` holds the attribute
 * `vector`, and every other attribute of any document has an array, null where it is missing.
 */
export function encodeExportAnswer(
  documents: readonly ResultDocument[],
  nextCursor: string | undefined,
): Uint8Array<ArrayBuffer> {
  const columns = columnsOf(documents);
  const vectors = columns.get("vector");
  columns.delete("vector");
  return jsonBytes((json) => {
    json.raw('{"ids":[');
    for (const [i, { id }] of documents.entries()) {
      if (i > 0) json.raw(",");
      writeId(json, id);
    }
    json.raw('],"vectors":');
    writeColumn(json, vectors, documents.length);
    json.raw(',"attributes":{');
    let separator = "";
    for (const [name, column] of columns) {
      json.raw(separator);
      json.key(name);
      writeColumn(json, column, documents.length);
      separator = ",";
    }
    json.raw('},"next_cursor":');
    if (nextCursor === undefined) json.null();
    else json.string(nextCursor);
    json.raw("}");
  });
}

/** Values by document position; holes where a document has none. */
interface ExportColumn {
  readonly type: AttributeType;
  readonly values: Map<number, AttributeValue>;
}

function columnsOf(documents: readonly ResultDocument[]): Map<string, ExportColumn> {
  const columns = new Map<string, ExportColumn>();
  for (const [i, document] of documents.entries()) {
    for (const [name, type, value] of document.attributes) {
      let column = columns.get(name);
      if (column === undefined) {
        column = { type, values: new Map() };
        columns.set(name, column);
      }
      column.values.set(i, value);
    }
  }
  return columns;
}

function writeColumn(json: JsonWriter, column: ExportColumn | undefined, count: number): void {
  json.raw("[");
  for (let i = 0; i < count; i++) {
    if (i > 0) json.raw(",");
    const value = column?.values.get(i) ?? null;
    if (column === undefined || value === null) json.null();
    else writeValue(json, column.type, value, "float");
  }
  json.raw("]");
}
