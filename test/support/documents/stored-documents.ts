/** A namespace's documents for tests of writes: views as they were written, searched one by one. */

import type { Ordinal } from "../../../src/base/ids.ts";
import { oneStep, type Steps } from "../../../src/base/steps.ts";
import { columnValue, idAt } from "../../../src/codec/columns-value.ts";
import type { Filter, FilterCondition } from "../../../src/model/filter.ts";
import {
  type AttributeValue,
  compareScalars,
  type DocumentId,
  type ScalarValue,
} from "../../../src/model/value.ts";
import { DocumentsView } from "../../../src/write/resolve/documents-view.ts";
import type {
  CurrentDocument,
  CurrentDocuments,
  ResolvedBatch,
  WriteCondition,
} from "../../../src/write/resolve/resolve-batch.ts";

/** Reads an attribute of a document. */
type Reader = (attribute: string) => AttributeValue;

/** Applies resolved batches and answers reads, slowly and plainly. */
export class StoredDocuments implements CurrentDocuments {
  readonly #places = new Map<DocumentId, CurrentDocument>();

  /** Applies a batch as the memtable would. */
  apply({ documents, deletes }: ResolvedBatch): void {
    for (let i = 0; i < (deletes?.count ?? 0); i++) {
      if (deletes) this.#places.delete(idAt(deletes.ids, i));
    }
    if (!documents) return;
    const view = new DocumentsView(documents);
    for (let i = 0; i < documents.count; i++) {
      this.#places.set(idAt(documents.ids, i), { view, ordinal: i as Ordinal });
    }
  }

  /** All documents, attributes without a value left out. */
  contents(attributes: readonly string[]): Map<DocumentId, Map<string, AttributeValue>> {
    const contents = new Map<DocumentId, Map<string, AttributeValue>>();
    for (const [id, place] of this.#places) {
      const values = attributes.map((name) => [name, readerOf(place)(name)] as const);
      contents.set(id, new Map(values.filter(([, value]) => value !== null)));
    }
    return contents;
  }

  locate(id: DocumentId): CurrentDocument | undefined {
    return this.#places.get(id);
  }

  expect(): Steps<void> {
    return oneStep(() => {});
  }

  *matchIds(filter: Filter, cap: number): Steps<{ ids: DocumentId[]; more: boolean }> {
    yield;
    const matches = [...this.#places].filter(([, place]) =>
      matchesFilter(filter, readerOf(place), () => null),
    );
    const ids = matches.map(([id]) => id).sort(compareScalars);
    return { ids: ids.slice(0, cap), more: ids.length > cap };
  }

  condition(filter: Filter): Steps<WriteCondition> {
    return oneStep(() => (current, next) => {
      const nextValue: Reader = (attribute) => {
        const place = next(attribute);
        if (typeof place !== "object") return place ?? null;
        return columnValue(place.column, place.ordinal);
      };
      return matchesFilter(filter, readerOf(current), nextValue);
    });
  }
}

/** Evaluates And, Or, Not, Eq, NotEq, Lt and Gt; null sorts below everything. */
export function matchesFilter(filter: Filter, current: Reader, next: Reader): boolean {
  switch (filter.kind) {
    case "and":
      return filter.filters.every((part) => matchesFilter(part, current, next));
    case "or":
      return filter.filters.some((part) => matchesFilter(part, current, next));
    case "not":
      return !matchesFilter(filter.filter, current, next);
    case "condition":
      return matchesCondition(filter, current, next);
  }
}

/** Builds a condition on one attribute; an operand `{ ref }` stands for the new value. */
export function where(
  attribute: string,
  operator: "Eq" | "NotEq" | "Lt" | "Gt",
  operand: bigint | string | null | { readonly ref: string },
): FilterCondition {
  const isReference = typeof operand === "object" && operand !== null;
  return {
    kind: "condition",
    attribute,
    operator,
    operand: isReference
      ? { kind: "ref_new", attribute: operand.ref }
      : { kind: "value", value: operand },
  };
}

function matchesCondition(filter: FilterCondition, current: Reader, next: Reader): boolean {
  const { operand, operator } = filter;
  const value = current(filter.attribute) as ScalarValue | null;
  const other =
    operand.kind === "ref_new" ? next(operand.attribute) : (operand.value as ScalarValue | null);
  if (operator === "Eq") return value === other;
  if (operator === "NotEq") return value !== other;
  if (other === null) return operator === "Gt" && value !== null;
  if (value === null) return operator === "Lt";
  const order = compareScalars(value, other as ScalarValue);
  return operator === "Lt" ? order < 0 : order > 0;
}

function readerOf({ view, ordinal }: CurrentDocument): Reader {
  return (attribute) =>
    attribute === "id" ? view.idOf(ordinal) : (view.column(attribute)?.value(ordinal) ?? null);
}
