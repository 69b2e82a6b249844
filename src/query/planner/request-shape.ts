/**
 * What a request looks like without what it looks for: attributes, operators and limits, with the
 * kinds of literals in their places. Nothing that users have stored or typed is in it.
 */

import { Outline } from "../../base/outline.ts";
import type { Filter, FilterCondition } from "../../model/filter.ts";
import type { JsonValue } from "../../model/json-value.ts";
import type {
  Aggregate,
  AggregateQuery,
  ComputedAttribute,
  DocumentQuery,
  GroupKey,
  Query,
  QueryRequest,
  RankBy,
  ScoreExpression,
  VectorOperand,
} from "../../model/query.ts";
import type { Schema } from "../../model/schema.ts";

/** The shape of a request for a namespace with this schema, in one bounded line. */
export function requestShape(request: QueryRequest, schema: Pick<Schema, "attributes">): string {
  return new RequestShape(schema).of(request);
}

/** Names that need no attribute in the schema. */
const FIXED_NAMES: ReadonlySet<string> = new Set(["id", "$fragment"]);

class RequestShape {
  readonly #schema: Pick<Schema, "attributes">;
  readonly #outline = new Outline();

  constructor(schema: Pick<Schema, "attributes">) {
    this.#schema = schema;
  }

  of({ kind, queries, fusion, rerank, consistency }: QueryRequest): string {
    const all = this.#outline.join(queries, " | ", (query) => this.#query(query));
    return this.#outline.text(
      [
        kind === "multi" ? `queries [${all}]` : all,
        fusion && `rerank_by RRF; limit ${fusion.limit}`,
        rerank && `rerank_by ${this.#name(rerank.attribute)} Model <string>; limit ${rerank.limit}`,
        consistency === "eventual" && "consistency eventual",
      ]
        .filter(Boolean)
        .join("; "),
    );
  }

  /** What the schema does not know may be anything. */
  #name(attribute: string): string {
    const isKnown = FIXED_NAMES.has(attribute) || this.#schema.attributes.has(attribute);
    return isKnown ? attribute : "<unknown attribute>";
  }

  #names(attributes: Iterable<string>): string {
    return this.#outline.join(attributes, ", ", (attribute) => this.#name(attribute));
  }

  #query(query: Query): string {
    const parts = query.kind === "documents" ? this.#documents(query) : this.#aggregates(query);
    return parts.filter((part) => part !== "").join("; ");
  }

  #documents({ rankBy, filter, limit, limitPer, offset, selection, computed }: DocumentQuery) {
    return [
      `rank_by ${this.#rankBy(rankBy)}`,
      filter === undefined ? "" : `filters ${this.#filter(filter)}`,
      `limit ${limit}`,
      limitPer === undefined
        ? ""
        : `limit.per ${this.#names(limitPer.attributes)}: ${limitPer.limit}`,
      offset === 0 ? "" : `offset ${offset}`,
      this.#selection(selection),
      computed.size === 0 ? "" : `compute_attributes ${this.#computed(computed.values())}`,
    ];
  }

  #aggregates({ aggregates, filter, groupBy, groupLimit }: AggregateQuery): string[] {
    return [
      `aggregate_by ${this.#functions(aggregates.values())}`,
      filter === undefined ? "" : `filters ${this.#filter(filter)}`,
      groupBy.length === 0 ? "" : `group_by ${this.#groups(groupBy)}; limit ${groupLimit}`,
    ];
  }

  #selection(selection: DocumentQuery["selection"]): string {
    switch (selection.kind) {
      case "none":
        return "";
      case "all":
        return "include_attributes true";
      case "include":
        return `include_attributes ${this.#names(selection.names)}`;
      case "exclude":
        return `exclude_attributes ${this.#names(selection.names)}`;
    }
  }

  #functions(aggregates: Iterable<Aggregate>): string {
    return this.#outline.join(aggregates, ", ", (aggregate) =>
      aggregate.kind === "count" ? "Count" : `Sum ${this.#name(aggregate.attribute)}`,
    );
  }

  #groups(keys: readonly GroupKey[]): string {
    return this.#outline.join(keys, ", ", (key) => {
      const name = this.#name(key.attribute);
      return key.kind === "attribute" ? name : `ForEachUnique ${name}`;
    });
  }

  #computed(members: Iterable<ComputedAttribute>): string {
    return this.#outline.join(members, ", ", (member) => {
      switch (member.kind) {
        case "vector_dist":
          return `${this.#name(member.attribute)} VectorDist ${operandKind(member.operand)}`;
        case "score":
          return this.#score(member.expression);
        case "highlight":
          return `Highlight ${this.#name(member.attribute)}`;
      }
    });
  }

  #rankBy(rankBy: RankBy): string {
    switch (rankBy.kind) {
      case "vector":
        return `${this.#name(rankBy.attribute)} ${rankBy.method} ${operandKind(rankBy.operand)}`;
      case "order":
        return this.#outline.join(
          rankBy.keys,
          ", ",
          ({ attribute, direction }) => `${this.#name(attribute)} ${direction}`,
        );
      case "score":
        return this.#score(rankBy.expression);
    }
  }

  #score(expression: ScoreExpression): string {
    switch (expression.kind) {
      case "bm25":
        return `${this.#name(expression.attribute)} BM25 ${valueKind(expression.query)}`;
      case "sparse": {
        const { attribute, entries } = expression;
        return `${this.#name(attribute)} SparseKNN <${entries.size} entries>`;
      }
      case "sum":
        return `Sum(${this.#scores(expression.clauses)})`;
      case "max":
        return `Max(${this.#scores(expression.clauses)})`;
      case "floor":
        return `Max(<number>, ${this.#scores([expression.clause])})`;
      case "product":
        return `Product(<number>, ${this.#scores([expression.clause])})`;
      case "attribute":
        return `Attribute ${this.#name(expression.attribute)}`;
      case "dist":
        return `Dist(${this.#name(expression.attribute)}, ${valueKind(expression.origin)})`;
      case "saturate":
        return `Saturate(${this.#scores([expression.clause])})`;
      case "decay":
        return `Decay(${this.#scores([expression.clause])})`;
      case "filter":
        return this.#filter(expression.filter);
    }
  }

  #scores(clauses: readonly ScoreExpression[]): string {
    return this.#outline.join(clauses, ", ", (clause) => this.#score(clause));
  }

  #filter(filter: Filter): string {
    switch (filter.kind) {
      case "and":
        return `And(${this.#filters(filter.filters)})`;
      case "or":
        return `Or(${this.#filters(filter.filters)})`;
      case "not":
        return `Not(${this.#filters([filter.filter])})`;
      case "condition":
        return this.#condition(filter);
    }
  }

  #filters(filters: readonly Filter[]): string {
    return this.#outline.join(filters, ", ", (filter) => this.#filter(filter));
  }

  #condition({ attribute, operator, operand, options }: FilterCondition): string {
    const compared =
      operand.kind === "value" ? valueKind(operand.value) : `$ref_new ${this.#name(attribute)}`;
    const further = options === undefined ? "" : " <options>";
    return `${this.#name(attribute)} ${operator} ${compared}${further}`;
  }
}

function operandKind(operand: VectorOperand): string {
  switch (operand.kind) {
    case "vector":
      return `<vector of ${operand.values.length}>`;
    case "vectors": {
      const [first] = operand.values;
      return `<${operand.values.length} vectors of ${first?.length ?? 0}>`;
    }
    case "embed":
      return "<text to embed>";
  }
}

function valueKind(value: JsonValue): string {
  if (Array.isArray(value)) return `<${value.length} ${elementKind(value)}>`;
  if (typeof value === "object" && value !== null && "values" in value && !(value instanceof Map)) {
    return `<${value.values.length} numbers>`;
  }
  return `<${scalarKind(value)}>`;
}

/** By the first one: operands are arrays of one type. */
function elementKind(values: readonly JsonValue[]): string {
  return values.length === 0 ? "values" : `${scalarKind(values[0])}s`;
}

function scalarKind(value: JsonValue): string {
  if (value === null) return "null";
  if (typeof value === "bigint") return "integer";
  if (typeof value === "boolean") return "bool";
  return typeof value === "object" ? "object" : typeof value;
}
