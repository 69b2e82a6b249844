/** What a namespace holds at one moment, and what a write makes of it: the plain reading. */

import { runSteps } from "../../src/base/steps.ts";
import type { TypedDocument } from "../../src/codec/columns-builder.ts";
import type { Filter } from "../../src/model/filter.ts";
import type { QueryRequest } from "../../src/model/query.ts";
import type { QueryResult } from "../../src/model/query-result.ts";
import type { Schema } from "../../src/model/schema.ts";
import type { AttributeValue } from "../../src/model/value.ts";
import { ResultWriter } from "../../src/wire/answers/result-json.ts";
import { jsonBytes } from "../../src/wire/json/json-writer.ts";
import { wireRow, wireText } from "../support/documents/wire-text.ts";
import { NaiveDatabase } from "../support/queries/naive-database.ts";
import { naiveMatches } from "../support/queries/naive-filter.ts";

/** Documents by id; ids of simulations are numbers. */
export type Documents = ReadonlyMap<bigint, TypedDocument>;

/** A namespace that exists. */
export interface NamespaceState {
  readonly schema: Schema;
  readonly documents: Documents;
}

/** One write request, as plain changes. */
export interface SimulatedWrite {
  readonly schema: object;
  /** Attributes that it drops before anything else, and then uses anew. */
  readonly drops?: readonly string[];
  readonly deleteFilter?: Filter;
  readonly patchFilter?: Filter;
  readonly patch?: ReadonlyMap<string, AttributeValue>;
  readonly upserts: readonly TypedDocument[];
  readonly patches: readonly TypedDocument[];
  readonly deletes: readonly bigint[];
  /** Of all upserts. */
  readonly upsertCondition?: Filter;
  readonly patchCondition?: Filter;
  readonly deleteCondition?: Filter;
}

/** Documents that a write changed, as its answer tells. */
export interface WriteCounts {
  readonly upserted: number;
  readonly patched: number;
  readonly deleted: number;
}

/** What a write makes of a namespace, in the documented order of its operations. */
export function applyWrite(
  state: NamespaceState | undefined,
  write: SimulatedWrite,
): { readonly documents: Documents | undefined; readonly counts: WriteCounts } {
  const { upserts, patches, deletes } = write;
  if (state === undefined && upserts.length === 0) {
    // Nothing is there to change, which is no error.
    const counts = { upserted: 0, patched: 0, deleted: deletes.length };
    return { documents: undefined, counts };
  }
  const documents = new Map(withoutAttributes(state?.documents, write.drops));
  const counts = { upserted: 0, patched: 0, deleted: 0 };
  const matches = (filter: Filter, document: TypedDocument) =>
    state !== undefined && naiveMatches(filter, document, state.schema);
  for (const [id, document] of [...documents]) {
    if (write.deleteFilter === undefined || !matches(write.deleteFilter, document)) continue;
    documents.delete(id);
    counts.deleted++;
  }
  for (const [id, document] of [...documents]) {
    if (write.patchFilter === undefined || !matches(write.patchFilter, document)) continue;
    documents.set(id, merged(document, write.patch ?? new Map()));
    counts.patched++;
  }
  const current = new Map(documents);
  const holds = (condition: Filter | undefined, old: TypedDocument) =>
    condition === undefined || matches(condition, old);
  for (const document of upserts) {
    const old = current.get(document.id as bigint);
    if (old !== undefined && !holds(write.upsertCondition, old)) continue;
    documents.set(document.id as bigint, document);
    counts.upserted++;
  }
  for (const { id, attributes } of patches) {
    const old = current.get(id as bigint);
    if (old === undefined || !holds(write.patchCondition, old)) continue;
    documents.set(id as bigint, merged(old, attributes));
    counts.patched++;
  }
  for (const id of deletes) {
    const old = current.get(id);
    // Without a condition, ids that are not there count as deleted, too.
    const isAbsent = old === undefined;
    if (write.deleteCondition && (isAbsent || !holds(write.deleteCondition, old))) continue;
    documents.delete(id);
    counts.deleted++;
  }
  return { documents, counts };
}

/** Documents without some attributes. */
export function withoutAttributes(
  documents: Documents = new Map(),
  names: readonly string[] = [],
): Documents {
  if (names.length === 0) return documents;
  return new Map(
    [...documents].map(([id, document]) => {
      const attributes = new Map(
        [...document.attributes].filter(([name]) => !names.includes(name)),
      );
      return [id, { id: document.id, attributes }];
    }),
  );
}

/** The body of a write request. */
export function writeBody(write: SimulatedWrite, base: Schema): string {
  const { upserts, patches, deletes, schema, drops = [] } = write;
  const condition = (filter: Filter | undefined) => filter && wireFilterText(filter);
  return wireText({
    schema: { ...schema, ...Object.fromEntries(drops.map((name) => [name, { drop: true }])) },
    distance_metric: base.distanceMetric,
    ...(upserts.length > 0 && { upsert_rows: upserts.map((row) => wireRow(row, base)) }),
    ...(patches.length > 0 && { patch_rows: patches.map((row) => wireRow(row, base)) }),
    ...(deletes.length > 0 && { deletes }),
    delete_by_filter: condition(write.deleteFilter),
    ...(write.patchFilter && {
      patch_by_filter: {
        filters: condition(write.patchFilter),
        patch: Object.fromEntries(write.patch ?? []),
      },
    }),
    upsert_condition: condition(write.upsertCondition),
    patch_condition: condition(write.patchCondition),
    delete_condition: condition(write.deleteCondition),
  });
}

/** The members of a query's answer that tell of documents, as text. */
export function queryText(state: NamespaceState, request: QueryRequest): string {
  const database = new NaiveDatabase(state.schema);
  database.apply({ upserts: [...state.documents.values()] });
  return canonicalAnswer(JSON.parse(encodeResults(request, database.query(request))));
}

/** The same members of an answer as it came. */
export function canonicalAnswer(json: object): string {
  const { billing: _, performance: __, ...rest } = json as Record<string, unknown>;
  return JSON.stringify(rest);
}

/** Everything about the documents, as text that is the same for the same documents. */
export function documentsText(documents: Documents | undefined): string {
  if (documents === undefined) return "absent";
  const ids = [...documents.keys()].sort((a, b) => (a < b ? -1 : 1));
  return ids.map((id) => documentText(documents.get(id) as TypedDocument)).join("\n");
}

const texts = new WeakMap<TypedDocument, string>();

function documentText(document: TypedDocument): string {
  let text = texts.get(document);
  if (text === undefined) {
    const values = [...document.attributes].filter(([, value]) => value !== null);
    values.sort(([a], [b]) => (a < b ? -1 : 1));
    text = wireText([document.id, values]);
    texts.set(document, text);
  }
  return text;
}

function merged(old: TypedDocument, changes: ReadonlyMap<string, AttributeValue>): TypedDocument {
  return { id: old.id, attributes: new Map([...old.attributes, ...changes]) };
}

function wireFilterText(filter: Filter): unknown {
  if (filter.kind !== "condition") throw new Error("simulations use plain conditions");
  const { attribute, operator, operand } = filter;
  return [attribute, operator, operand.kind === "value" ? operand.value : null];
}

function encodeResults({ kind, vectorEncoding }: QueryRequest, results: QueryResult[]): string {
  const bytes = jsonBytes((json) => {
    const writer = new ResultWriter(json, vectorEncoding);
    if (kind === "multi") json.raw('{"results":[');
    for (const [i, result] of results.entries()) {
      json.raw(i > 0 ? ",{" : "{");
      runSteps(writer.memberRows(result));
      json.raw("}");
    }
    if (kind === "multi") json.raw("]}");
  });
  return Buffer.from(bytes).toString("utf8");
}
