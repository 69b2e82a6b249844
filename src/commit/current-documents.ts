/** The documents of a namespace as a write resolves against them. */

import type { Ordinal } from "../base/ids.ts";
import { runSteps, type Steps } from "../base/steps.ts";
import { ScalarMap } from "../base/tables/scalar-map.ts";
import { buildDocuments, type TypedDocument } from "../codec/columns-builder.ts";
import type { AttributeType, IdType } from "../model/attribute-type.ts";
import type { Schema } from "../model/schema.ts";
import type { AttributeValue, DocumentId } from "../model/value.ts";
import type { NamespaceDocuments } from "../namespace/namespace-documents.ts";
import { bindCondition } from "../query/bind/bind-condition.ts";
import { matchIds } from "../query/executor/match-ids.ts";
import type { QueryOptions } from "../query/operator/query-options.ts";
import { attemptAll, attemptAllInSteps } from "../segment/format/bytes-missing.ts";
import type { LiveSegment } from "../segment/memtable/live-segment.ts";
import { nameSegments, nameView } from "../segment/view/named-columns.ts";
import { DocumentsView } from "../write/resolve/documents-view.ts";
import type { CurrentDocument, CurrentDocuments } from "../write/resolve/resolve-batch.ts";

/** Ids that one step looks for. */
const STEP_IDS = 256;
/** Documents that one step makes columns of. */
const STEP_READS = 512;

/** A document of a stored segment. */
interface Place {
  readonly id: DocumentId;
  readonly segment: LiveSegment;
  readonly ordinal: Ordinal;
}

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
  readonly #copies = new ScalarMap<DocumentId, CurrentDocument | undefined>();

  constructor(documents: NamespaceDocuments, schema: Schema) {
    this.#documents = documents;
    this.#schema = schema;
    this.#types = new Map([...schema.attributes].map(([name, { type }]) => [name, type]));
  }

  /** Reads all documents with the ids that stored segments have, together. */
  *expect(ids: readonly DocumentId[]): Steps<void> {
    const { stored, memtable } = this.#documents;
    if (stored.length === 0) return;
    const wanted: DocumentId[] = [];
    for (let i = 0; i < ids.length; i++) {
      if (i % STEP_IDS === 0) yield;
      if (!this.#copies.has(ids[i]) && memtable.locate(ids[i]) === undefined) wanted.push(ids[i]);
    }
    const runs: DocumentId[][] = [];
    for (let i = 0; i < wanted.length; i += STEP_IDS) runs.push(wanted.slice(i, i + STEP_IDS));
    const places = (yield* attemptAllInSteps(runs, (run) => this.#locateAll(run))).flat();
    const found = yield* attemptAllInSteps(
      places.filter((place) => place !== undefined),
      (place) => this.#readOne(place),
    );
    for (const id of wanted) this.#copies.set(id, undefined);
    // Each run is a view of its own, since building it takes time.
    for (let i = 0; i < found.length; i += STEP_READS) {
      this.#keep(found.slice(i, i + STEP_READS));
      yield;
    }
  }

  locate(id: DocumentId): CurrentDocument | undefined {
    if (!this.#copies.has(id)) runSteps(this.expect([id]));
    return this.#copies.get(id);
  }

  #keep(found: readonly TypedDocument[]): void {
    const idType = this.#schema.idType as IdType;
    const view = new DocumentsView(buildDocuments(idType, this.#types, found));
    found.forEach(({ id }, ordinal) => {
      this.#copies.set(id, { view, ordinal: ordinal as Ordinal });
    });
  }

  *#locateAll(ids: readonly DocumentId[]): Steps<(Place | undefined)[]> {
    yield;
    return attemptAll(
      ids.map((id) => () => {
        const found = this.#documents.locate(id);
        return found && { ...found, id };
      }),
    );
  }

  *#readOne({ id, ...place }: Place): Steps<TypedDocument> {
    yield;
    return this.#read(id, place);
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
