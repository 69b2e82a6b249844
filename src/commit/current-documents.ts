/** The documents of a namespace as a write resolves against them. */

import type { Ordinal } from "../base/ids.ts";
import { buildDocuments, type TypedDocument } from "../codec/columns-builder.ts";
import type { AttributeType, IdType } from "../model/attribute-type.ts";
import type { Schema } from "../model/schema.ts";
import type { AttributeValue, DocumentId } from "../model/value.ts";
import type { NamespaceDocuments } from "../namespace/namespace-documents.ts";
import { bindCondition } from "../query/bind/bind-condition.ts";
import { matchIds } from "../query/executor/match-ids.ts";
import type { QueryOptions } from "../query/query-options.ts";
import { attemptAll } from "../segment/format/bytes-missing.ts";
import type { LiveSegment } from "../segment/memtable/live-segment.ts";
import { nameSegments, nameView } from "../segment/named-columns.ts";
import { DocumentsView } from "../write/resolve/documents-view.ts";
import type { CurrentDocument, CurrentDocuments } from "../write/resolve/resolve-batch.ts";

/**
 * Gives `resolveBatch` its reading functions. They may throw `BytesMissing`: then what is missing
 * is loaded and the batch is resolved again.
 */
export function currentDocuments(
  documents: NamespaceDocuments,
  schema: Schema,
  index: NonNullable<QueryOptions["indexState"]>,
): CurrentDocuments {
  const options = { indexState: index };
  const copies = new StoredCopies(documents, schema);
  return {
    expect: (ids) => copies.expect(ids),
    locate: (id) => {
      const found = documents.memtable.locate(id);
      if (found === undefined) return copies.locate(id);
      return { view: nameView(found.segment.view, schema), ordinal: found.ordinal };
    },
    matchIds: (filter, cap) =>
      matchIds(
        { schema, segments: nameSegments(documents.segments, schema) },
        filter,
        cap,
        options,
      ),
    condition: (filter) => bindCondition(filter, schema),
  };
}

/**
 * Copies of documents of stored segments. Patches gather whole columns of what they are laid over,
 * and those of a stored segment may not be in memory; so each document is read by itself, once.
 */
class StoredCopies {
  readonly #documents: NamespaceDocuments;
  readonly #schema: Schema;
  readonly #types: ReadonlyMap<string, AttributeType>;
  readonly #copies = new Map<DocumentId, CurrentDocument | undefined>();

  constructor(documents: NamespaceDocuments, schema: Schema) {
    this.#documents = documents;
    this.#schema = schema;
    this.#types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
  }

  /** Reads all documents with the ids that stored segments have, together. */
  expect(ids: readonly DocumentId[]): void {
    const { stored, memtable } = this.#documents;
    if (stored.length === 0) return;
    const wanted = ids.filter((id) => !this.#copies.has(id) && memtable.locate(id) === undefined);
    const places = attemptAll(wanted.map((id) => () => this.#documents.locate(id)));
    const found: TypedDocument[] = attemptAll(
      places.flatMap((place, i) => (place ? [() => this.#read(wanted[i], place)] : [])),
    );
    for (const id of wanted) this.#copies.set(id, undefined);
    if (found.length === 0) return;
    const idType = this.#schema.idType as IdType;
    const view = new DocumentsView(buildDocuments(idType, this.#types, found));
    found.forEach(({ id }, ordinal) => {
      this.#copies.set(id, { view, ordinal: ordinal as Ordinal });
    });
  }

  locate(id: DocumentId): CurrentDocument | undefined {
    if (!this.#copies.has(id)) this.expect([id]);
    return this.#copies.get(id);
  }

  #read(id: DocumentId, place: { segment: LiveSegment; ordinal: Ordinal }): TypedDocument {
    const view = nameView(place.segment.view, this.#schema);
    const values = attemptAll(
      view.attributes.map((name) => () => view.column(name)?.value(place.ordinal) ?? null),
    );
    const attributes = new Map<string, AttributeValue>();
    view.attributes.forEach((name, i) => {
      if (values[i] !== null && this.#types.has(name)) attributes.set(name, values[i]);
    });
    return { id, attributes };
  }
}
