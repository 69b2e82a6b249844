/**
 * The slow twin of the whole query engine: documents in a map, loops over all of them, sorts of
 * everything. What it answers is right by inspection; highlights have a twin of their own.
 */

import type { TypedDocument } from "../../../src/codec/columns-builder.ts";
import type {
  AggregateQuery,
  ComputedAttribute,
  DocumentQuery,
  Query,
  QueryRequest,
  RankBy,
  VectorOperand,
} from "../../../src/model/query.ts";
import type {
  AggregateValue,
  ComputedValue,
  QueryResult,
  ResultDocument,
} from "../../../src/model/query-result.ts";
import type { Schema } from "../../../src/model/schema.ts";
import type { AttributeValue, DocumentId } from "../../../src/model/value.ts";
import { vectorDistance } from "../../../src/vector/metric.ts";
import { naiveGroups } from "./naive-aggregate.ts";
import { naiveCompare, naiveMatches, naiveValue } from "./naive-filter.ts";
import { naiveOtherwise, naiveScore } from "./naive-score.ts";

/** Whole documents to write and ids to delete; later entries win over earlier ones. */
export interface NaiveWrite {
  readonly upserts?: readonly TypedDocument[];
  readonly deletes?: readonly DocumentId[];
}

/** A document with its place in a ranking. */
interface Ranked {
  readonly document: TypedDocument;
  /** Undefined when ordered by attribute. */
  readonly dist: number | undefined;
}

/** A namespace as a map. */
export class NaiveDatabase {
  readonly schema: Schema;
  readonly #documents = new Map<DocumentId, TypedDocument>();

  constructor(schema: Schema) {
    this.schema = schema;
  }

  /** Deletes, then upserts. */
  apply({ upserts = [], deletes = [] }: NaiveWrite): void {
    for (const id of deletes) this.#documents.delete(id);
    for (const document of upserts) this.#documents.set(document.id, document);
  }

  /** All documents by ascending id. */
  documents(): TypedDocument[] {
    return [...this.#documents.values()].sort((a, b) => naiveCompare(a.id, b.id));
  }

  /** Answers like the engine; distances between vectors may differ in the last bits. */
  query(request: QueryRequest): QueryResult[] {
    const results = request.queries.map((query) => this.#run(query));
    const { fusion } = request;
    if (fusion === undefined) return results;
    const lists = results.map((result) => (result.kind === "documents" ? result.documents : []));
    const ids = new Set(lists.flatMap((list) => list.map(({ id }) => id)));
    const documents = [...ids].map((id): ResultDocument => {
      let score = 0;
      lists.forEach((list, i) => {
        const rank = list.findIndex((document) => document.id === id);
        if (rank >= 0) score += fusion.weights[i] / (fusion.rankConstant + rank + 1);
      });
      const found = lists.flat().filter((document) => document.id === id);
      // The first subquery that has a member wins.
      const byName = <T extends readonly [string, ...unknown[]]>(members: readonly T[]): T[] => {
        const names = [...new Set(members.map(([name]) => name))];
        return names.map((name) => members.find((member) => member[0] === name) as T);
      };
      const attributes = byName(found.flatMap((document) => document.attributes));
      const computed = byName(found.flatMap((document) => document.computed));
      const dist = Math.fround(score);
      return { id, dist, attributes, computed };
    });
    documents.sort((a, b) => (b.dist ?? 0) - (a.dist ?? 0) || naiveCompare(a.id, b.id));
    const { offset, limit } = fusion;
    return [{ kind: "documents", documents: documents.slice(offset, offset + limit) }];
  }

  /** The distance that a document has from a query vector; undefined if it has no vector. */
  distance(document: TypedDocument, attribute: string, operand: VectorOperand): number | undefined {
    const value = naiveValue(document, attribute);
    const metric =
      this.schema.attributes.get(attribute)?.ann?.distanceMetric ?? this.schema.distanceMetric;
    if (value === null || metric === undefined || operand.kind === "embed") return undefined;
    if (operand.kind === "vector") {
      return vectorDistance(metric, operand.values, value as Float32Array);
    }
    const vectors = value as Float32Array[];
    if (vectors.length === 0) return undefined;
    const sum = operand.values.reduce(
      (total, query) =>
        total + Math.min(...vectors.map((vector) => vectorDistance(metric, query, vector))),
      0,
    );
    return Math.fround(sum);
  }

  #run(query: Query): QueryResult {
    const { filter } = query;
    const matching = this.documents().filter(
      (document) => filter === undefined || naiveMatches(filter, document, this.schema),
    );
    return query.kind === "documents"
      ? this.#rank(query, matching)
      : this.#aggregate(query, matching);
  }

  #rank(query: DocumentQuery, matching: readonly TypedDocument[]): QueryResult {
    const ranked = this.#ranking(query.rankBy, matching);
    const counts = new Map<string, number>();
    const allowed = ranked.filter(({ document }) => {
      if (query.limitPer === undefined) return true;
      const values = query.limitPer.attributes.map((name) => naiveValue(document, name));
      const key = values.map((value) => `${typeof value}${String(value)}`).join("|");
      counts.set(key, (counts.get(key) ?? 0) + 1);
      return (counts.get(key) ?? 0) <= query.limitPer.limit;
    });
    const window = allowed.slice(query.offset, query.offset + query.limit);
    return { kind: "documents", documents: window.map((entry) => this.#project(query, entry)) };
  }

  /** Sorts everything; ties by id, since `matching` ascends and sorts are stable. */
  #ranking(rankBy: RankBy, matching: readonly TypedDocument[]): Ranked[] {
    switch (rankBy.kind) {
      case "order":
        return matching
          .map((document) => ({ document, dist: undefined }))
          .sort((a, b) => {
            for (const { attribute, direction } of rankBy.keys) {
              const [x, y] = [a, b].map(({ document }) => naiveValue(document, attribute));
              const order = naiveCompare(x, y);
              if (order !== 0) return direction === "asc" ? order : -order;
            }
            return 0;
          });
      case "vector":
        return matching
          .map((document) => ({
            document,
            dist: this.distance(document, rankBy.attribute, rankBy.operand),
          }))
          .filter(({ dist }) => dist !== undefined)
          .sort((a, b) => Number(a.dist) - Number(b.dist));
      case "score": {
        const corpus = { documents: this.documents(), schema: this.schema };
        return matching
          .map((document) => ({
            document,
            dist: Math.fround(naiveScore(rankBy.expression, document, corpus) ?? 0),
          }))
          .filter(({ dist }) => dist !== 0)
          .sort((a, b) => b.dist - a.dist);
      }
    }
  }

  #project(query: DocumentQuery, { document, dist }: Ranked): ResultDocument {
    const { selection } = query;
    const all = [...this.schema.attributes.keys()];
    const names =
      selection.kind === "none"
        ? []
        : selection.kind === "include"
          ? [...selection.names]
          : all.filter((name) => selection.kind === "all" || !selection.names.has(name));
    const attributes = names.flatMap((name): ResultDocument["attributes"] => {
      const type = this.schema.attributes.get(name)?.type;
      const value: AttributeValue = document.attributes.get(name) ?? null;
      return type === undefined || value === null ? [] : [[name, type, value]];
    });
    const computed = [...query.computed].map(
      ([name, member]) => [name, this.#compute(member, document)] as const,
    );
    return { id: document.id, dist, attributes, computed };
  }

  #compute(member: ComputedAttribute, document: TypedDocument): ComputedValue {
    if (member.kind === "vector_dist") {
      return this.distance(document, member.attribute, member.operand) ?? null;
    }
    if (member.kind === "highlight") throw new Error("highlights have no slow twin");
    const corpus = { documents: this.documents(), schema: this.schema };
    return Math.fround(
      naiveScore(member.expression, document, corpus) ?? naiveOtherwise(member.expression) ?? 0,
    );
  }

  #aggregate(query: AggregateQuery, matching: readonly TypedDocument[]): QueryResult {
    const groups = naiveGroups(query, matching, this.schema);
    if (query.groupBy.length > 0) return { kind: "groups", groups };
    const aggregates = groups[0].aggregates as (readonly [string, AggregateValue])[];
    return { kind: "aggregates", aggregates };
  }
}
