/**
 * Pages of documents in an order, each at the same cost: a page goes on behind the last document of
 * the one before, by its value and its id, and counts no documents from the beginning.
 */

import { parseAttributeType } from "../../../src/model/attribute-type.ts";
import type { DocumentRow } from "../../api/documents.ts";
import type { AttributeMetadata } from "../../api/namespaces.ts";
import { type Condition, filtersOf } from "./document-filters.ts";

/** Documents of one page, at most and, where vectors are long, at least. */
const PAGE_ROWS_MAX = 100;
const PAGE_ROWS_MIN = 20;
/** Bytes of vectors in one page. */
const PAGE_VECTOR_BYTES = 1024 * 1024;

type Schema = Readonly<Record<string, AttributeMetadata>>;

/** What the documents are ordered by. */
export interface DocumentOrder {
  /** `id`, or an attribute that is filterable. */
  readonly attribute: string;
  readonly direction: "asc" | "desc";
}

/** What is asked for. */
export interface PageOptions {
  readonly schema: Schema;
  /** Attributes that are shown. */
  readonly columns: readonly string[];
  readonly order: DocumentOrder;
  readonly conditions: readonly Condition[];
  /** The last document of the page before; undefined: this is the first. */
  readonly after: DocumentRow | undefined;
}

/** The order of an address, such as `-year`; by id where it names none that there is. */
export function parseOrder(text: string | null, schema: Schema): DocumentOrder {
  const [, sign, attribute] = /^(-?)(.*)$/s.exec(text ?? "") ?? [];
  const direction = sign === "-" ? "desc" : "asc";
  if (attribute === "id" || isSortable(schema[attribute ?? ""])) {
    return { attribute: attribute as string, direction };
  }
  return { attribute: "id", direction: "asc" };
}

/** The inverse of `parseOrder`; undefined for the order that is there by itself. */
export function formatOrder({ attribute, direction }: DocumentOrder): string | undefined {
  if (attribute === "id" && direction === "asc") return undefined;
  return direction === "desc" ? `-${attribute}` : attribute;
}

/** Whether documents can be ordered by an attribute, and paged in that order. */
export function isSortable(attribute: AttributeMetadata | undefined): boolean {
  if (attribute === undefined || attribute.filterable !== true) return false;
  return parseAttributeType(attribute.type)?.kind === "scalar";
}

/** The query of a page. A page of fewer documents than `limit` is the last one. */
export function pageQuery(options: PageOptions): Readonly<Record<string, unknown>> & {
  readonly limit: number;
} {
  const { schema, columns, order, conditions, after } = options;
  const { attribute, direction } = order;
  // The next page begins at the value of this one's last document.
  const included = [...new Set([...columns, attribute])].filter((name) => name !== "id");
  const behind = after === undefined ? [] : [conditionBehind(order, after)];
  return {
    rank_by: [attribute, direction],
    filters: filtersOf([...conditions, ...behind]),
    limit: pageRows(schema, columns),
    include_attributes: included,
    vector_encoding: "base64",
  };
}

/** Holds for the documents that follow one in the order; null is below all values. */
function conditionBehind({ attribute, direction }: DocumentOrder, after: DocumentRow): unknown {
  const isUp = direction === "asc";
  if (attribute === "id") return ["id", isUp ? "Gt" : "Lt", after.id];
  const value = after[attribute] ?? null;
  const sameValue = [
    "And",
    [
      [attribute, "Eq", value],
      ["id", "Gt", after.id],
    ],
  ];
  if (value === null) {
    return isUp ? ["Or", [sameValue, [attribute, "NotEq", null]]] : sameValue;
  }
  if (isUp) return ["Or", [sameValue, [attribute, "Gt", value]]];
  return ["Or", [sameValue, [attribute, "Lt", value], [attribute, "Eq", null]]];
}

function pageRows(schema: Schema, columns: readonly string[]): number {
  let bytes = 0;
  for (const name of columns) {
    const type = parseAttributeType(schema[name]?.type ?? "");
    if (type?.kind === "vector" || type?.kind === "multi_vector") bytes += 4 * type.dimensions;
  }
  if (bytes === 0) return PAGE_ROWS_MAX;
  const rows = Math.floor(PAGE_VECTOR_BYTES / bytes);
  return Math.min(PAGE_ROWS_MAX, Math.max(PAGE_ROWS_MIN, rows));
}
