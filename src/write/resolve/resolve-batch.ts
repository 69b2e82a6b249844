/**
 * A bound batch against the state of its namespace, to plain upserts of whole documents and
 * deletes: conditions, patches and by-filter operations are gone afterwards, so that replaying the
 * WAL reads nothing. Applied in this order: delete_by_filter, patch_by_filter, then upserts,
 * patches and deletes by id. Pure; the batches of a namespace are resolved one after the other.
 */

import { assert } from "../../base/assert.ts";
import { invalid } from "../../base/errors.ts";
import type { Ordinal } from "../../base/ids.ts";
import type { Steps } from "../../base/steps.ts";
import { ScalarMap, ScalarSet } from "../../base/tables/scalar-map.ts";
import { buildIdsInSteps } from "../../codec/columns-builder.ts";
import { concatDocuments, gatherDocuments } from "../../codec/columns-gather.ts";
import { idAt, type ValuePlace } from "../../codec/columns-value.ts";
import type { WriteBatch } from "../../log/wal-records.ts";
import type { IdType } from "../../model/attribute-type.ts";
import type { DocumentColumns, DocumentIds } from "../../model/columns.ts";
import { DELETE_BY_FILTER_MAX, PATCH_BY_FILTER_MAX } from "../../model/contract-limits.ts";
import type { Filter } from "../../model/filter.ts";
import type { WriteCounts } from "../../model/request-stats.ts";
import type { Schema } from "../../model/schema.ts";
import { columnOf } from "../../model/stored-columns.ts";
import { compareScalars, type DocumentId } from "../../model/value.ts";
import type { SegmentView } from "../../segment/view/segment-view.ts";
import type { BoundBatch } from "../bind/bind-batch.ts";
import { DocumentsView } from "./documents-view.ts";
import { mergePatches, type PatchTarget, patchedPlace } from "./merge-patches.ts";
import { billedWriteBytes, queriesOf } from "./write-billing.ts";

/** Documents that one step looks at. */
const STEP_DOCUMENTS = 256;

/** A live document where it is stored. */
export interface CurrentDocument {
  readonly view: SegmentView;
  readonly ordinal: Ordinal;
}

/** Tells whether a write applies, given the stored document and the values being written. */
export type WriteCondition = (
  current: CurrentDocument,
  next: (attribute: string) => ValuePlace | DocumentId | undefined,
) => boolean | Steps<boolean>;

/** What resolving reads, bound to the batch's schema; all of one state of the namespace. */
export interface CurrentDocuments {
  /** Says which ids `locate` will be asked for, so that far documents are read together. */
  expect(ids: readonly DocumentId[]): Steps<void>;
  /** The live document with an id. */
  locate(id: DocumentId): CurrentDocument | undefined;
  /** The first `cap` ids that match, ascending, and whether there are more. */
  matchIds(
    filter: Filter,
    cap: number,
  ): Steps<{ readonly ids: readonly DocumentId[]; readonly more: boolean }>;
  /** Binds a condition; throws if it does not fit the schema. It reads values and ids only. */
  condition(filter: Filter): Steps<WriteCondition>;
}

/** What became of the operations, for the answer. */
export interface WriteOutcome extends WriteCounts {
  /** Queries to bill: those that conditions, patches and filters cost. */
  readonly queries: number;
  /** Logical bytes to bill. */
  readonly billedBytes: number;
}

/** Plain changes: no id is in both, none is twice in one. */
export interface ResolvedBatch {
  /** To store, replacing what has the same id; absent if there are none. */
  readonly documents?: DocumentColumns;
  /** To delete; absent ids included, so that they say nothing about the state. */
  readonly deletes?: DocumentIds;
  /** If the batch changed it. */
  readonly schema?: Schema;
  readonly outcome: WriteOutcome;
}

/** Resolves a batch. Throws (400) if a filter matches too much or a condition does not fit. */
export function resolveBatch(batch: BoundBatch, current: CurrentDocuments): Steps<ResolvedBatch> {
  return new Resolution(batch, current).run();
}

/**
 * The changes that a resolved batch makes, with documents by stored columns as the schema `after`
 * it says; none if it turned out to change nothing.
 */
export function changesOf(resolved: ResolvedBatch, after: Schema): WriteBatch {
  const { schema, documents, deletes } = resolved;
  return [
    ...(schema ? [{ kind: "schema" as const, schema }] : []),
    ...(documents ? [{ kind: "documents" as const, documents: byColumn(documents, after) }] : []),
    ...(deletes ? [{ kind: "deletes" as const, deletes }] : []),
  ];
}

function byColumn(documents: DocumentColumns, schema: Schema): DocumentColumns {
  if (schema.dropCount === undefined) return documents;
  const attributes = new Map(
    [...documents.attributes].map(([name, column]) => [columnOf(schema, name), column]),
  );
  return { ...documents, attributes };
}

class Resolution {
  readonly #batch: BoundBatch;
  readonly #current: CurrentDocuments;
  /** Ids that delete_by_filter took, ascending: a set of millions grows too slowly. */
  #removed: readonly DocumentId[] = [];
  /** Documents that patches change, by id, in the order of the answer. */
  readonly #targets = new ScalarMap<DocumentId, PatchTarget>();
  #remaining = false;
  /** The documents after patch_by_filter, for conditions that look at them. */
  #filterPatched: DocumentsView | undefined;

  constructor(batch: BoundBatch, current: CurrentDocuments) {
    this.#batch = batch;
    this.#current = current;
  }

  *run(): Steps<ResolvedBatch> {
    const batch = this.#batch;
    yield* this.#deleteByFilter();
    yield* this.#patchByFilter();
    yield* this.#expectDocuments();
    // Conditions see the documents as the filters left them, so they come before any of the three.
    const upserts = yield* this.#keepUpserts();
    const patches = yield* this.#keepPatches();
    const whole = this.#wholeDeletes(patches);
    const deletes = whole ? [] : yield* this.#keepDeletes();
    const filterPatchedCount = this.#targets.size;
    for (let i = 0; i < patches.length; i++) {
      if (i > 0 && i % STEP_DOCUMENTS === 0) yield;
      this.#addPatch(patches[i]);
    }
    const patchedIds = this.#targets.keys;
    const deletedIds = yield* this.#deletedIds(deletes);
    yield;
    const documents = yield* this.#documents(upserts, deletes);
    const hasReplaced = this.#removed.length > 0 && upserts !== undefined;
    const deletions = hasReplaced ? yield* without(deletedIds, upserts) : deletedIds;
    const deleteColumn = whole ?? (yield* this.#deleteColumn(deletions));
    const deletedCount = whole?.count ?? deletedIds.length;
    const upserted = upserts?.count ?? 0;
    return {
      ...(documents && { documents }),
      ...(deleteColumn && { deletes: deleteColumn }),
      ...(batch.schemaChanged && { schema: batch.schema }),
      outcome: {
        upserted: batch.upserts && upserted,
        patched: batch.patches || batch.patchByFilter ? patchedIds.length : undefined,
        deleted: batch.deletes || batch.deleteByFilter ? deletedCount : undefined,
        remaining: this.#remaining,
        affected: batch.returnAffectedIds
          ? {
              upserted: upserts ? yield* idsOf(upserts) : [],
              patched: patchedIds,
              deleted: deletedIds,
            }
          : undefined,
        queries: queriesOf(batch),
        billedBytes: yield* billedWriteBytes(batch, {
          upserts,
          patches,
          filterPatched: filterPatchedCount,
          deletedIds,
          deletes: whole,
        }),
      },
    };
  }

  *#deleteByFilter(): Steps<void> {
    const operation = this.#batch.deleteByFilter;
    if (!operation) return;
    const { ids, more } = yield* this.#current.matchIds(operation.filter, DELETE_BY_FILTER_MAX);
    if (more && !operation.allowPartial) throw tooMany("delete", DELETE_BY_FILTER_MAX);
    if (more) this.#remaining = true;
    this.#removed = ids;
  }

  *#patchByFilter(): Steps<void> {
    const operation = this.#batch.patchByFilter;
    if (!operation) return;
    // What delete_by_filter took does not count, wherever it stands among the matches.
    const cap = PATCH_BY_FILTER_MAX + this.#removed.length;
    const { ids, more } = yield* this.#current.matchIds(operation.filter, cap);
    const all = yield* this.#notRemoved(ids);
    if (more || all.length > PATCH_BY_FILTER_MAX) {
      if (!operation.allowPartial) throw tooMany("patch", PATCH_BY_FILTER_MAX);
      this.#remaining = true;
    }
    const kept = all.slice(0, PATCH_BY_FILTER_MAX);
    yield* this.#current.expect(kept);
    for (let i = 0; i < kept.length; i++) {
      if (i > 0 && i % STEP_DOCUMENTS === 0) yield;
      const id = kept[i];
      const base = this.#current.locate(id);
      assert(base !== undefined, `a document matched but is not there: ${id}`);
      this.#targets.set(id, { id, base, byFilter: true, patchIndex: undefined });
    }
  }

  /** Conditions and patches look at the documents with the ids that they come with. */
  *#expectDocuments(): Steps<void> {
    const { upserts, upsertCondition, patches, deletes, deleteCondition } = this.#batch;
    const looked: DocumentId[][] = [];
    const sources = [upsertCondition && upserts, patches?.documents, deleteCondition && deletes];
    for (const source of sources) {
      if (source !== undefined) looked.push(yield* idsOf(source));
    }
    const [first, ...others] = looked;
    const ids = first?.concat(...others);
    if (ids !== undefined && ids.length > 0) yield* this.#current.expect(ids);
  }

  /** Upserts that apply: those of absent documents, and those whose condition holds. */
  *#keepUpserts(): Steps<DocumentColumns | undefined> {
    const { upserts, upsertCondition } = this.#batch;
    const condition = upsertCondition && (yield* this.#current.condition(upsertCondition));
    if (!upserts || upserts.count === 0) return undefined;
    if (!condition) return upserts;
    const kept: number[] = [];
    for (let i = 0; i < upserts.count; i++) {
      if (i > 0 && i % STEP_DOCUMENTS === 0) yield;
      const id = idAt(upserts.ids, i);
      const current = yield* this.#currentOf(id);
      const next = (attribute: string) => writtenPlace(upserts, id, i, attribute);
      if (!current || (yield* settled(condition(current, next)))) kept.push(i);
    }
    if (kept.length === upserts.count) return upserts;
    return kept.length === 0 ? undefined : yield* gatherDocuments(upserts, Uint32Array.from(kept));
  }

  /** Indexes of patches that apply: absent documents have none. */
  *#keepPatches(): Steps<number[]> {
    const { patches, patchCondition } = this.#batch;
    const condition = patchCondition && (yield* this.#current.condition(patchCondition));
    const kept: number[] = [];
    for (let i = 0; i < (patches?.documents.count ?? 0); i++) {
      assert(patches !== undefined, "patches were counted");
      if (i > 0 && i % STEP_DOCUMENTS === 0) yield;
      const id = idAt(patches.documents.ids, i);
      const current = condition ? yield* this.#currentOf(id) : this.#storedOf(id);
      if (!current) continue;
      if (condition) {
        const next = (attribute: string) =>
          attribute === "id" ? id : patchedPlace(patches, i, current, attribute);
        if (!(yield* settled(condition(current, next)))) continue;
      }
      kept.push(i);
    }
    return kept;
  }

  /** The deletes as they came, if nothing looks at single ones: there may be millions. */
  #wholeDeletes(patches: readonly number[]): DocumentIds | undefined {
    const { deletes, deleteCondition, returnAffectedIds } = this.#batch;
    if (deletes === undefined || deletes.count === 0 || deleteCondition) return undefined;
    const isAlone = this.#removed.length + this.#targets.size + patches.length === 0;
    return isAlone && !returnAffectedIds ? deletes : undefined;
  }

  /** Ids of deletes that apply. Without a condition all do, also those of absent documents. */
  *#keepDeletes(): Steps<DocumentId[]> {
    const { deletes, deleteCondition } = this.#batch;
    const condition = deleteCondition && (yield* this.#current.condition(deleteCondition));
    if (!deletes) return [];
    const kept: DocumentId[] = [];
    for (let i = 0; i < deletes.count; i++) {
      if (i > 0 && i % STEP_DOCUMENTS === 0) yield;
      const id = idAt(deletes.ids, i);
      if (condition) {
        const current = yield* this.#currentOf(id);
        if (!current || !(yield* settled(condition(current, () => undefined)))) continue;
      }
      kept.push(id);
    }
    return kept;
  }

  #addPatch(index: number): void {
    const { patches } = this.#batch;
    assert(patches !== undefined, "a patch was kept");
    const id = idAt(patches.documents.ids, index);
    const known = this.#targets.get(id);
    const base = known?.base ?? this.#current.locate(id);
    assert(base !== undefined, `a patch was kept of a document that is not there: ${id}`);
    const byFilter = known !== undefined;
    this.#targets.set(id, { id, base, byFilter, patchIndex: index });
  }

  #isRemoved(id: DocumentId): boolean {
    let low = 0;
    let high = this.#removed.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareScalars(this.#removed[middle], id) < 0) low = middle + 1;
      else high = middle;
    }
    return this.#removed[low] === id;
  }

  /** The stored document, unless delete_by_filter took it. */
  #storedOf(id: DocumentId): CurrentDocument | undefined {
    return this.#isRemoved(id) ? undefined : this.#current.locate(id);
  }

  /** The document as conditions see it: after the by-filter operations. */
  *#currentOf(id: DocumentId): Steps<CurrentDocument | undefined> {
    if (this.#isRemoved(id)) return undefined;
    if (!this.#targets.has(id)) return this.#current.locate(id);
    this.#filterPatched ??= new DocumentsView(yield* this.#merge(this.#targets.values));
    const ordinal = this.#filterPatched.ordinalOf(id);
    assert(ordinal !== undefined, "conditions are evaluated before patches by id are added");
    return { view: this.#filterPatched, ordinal };
  }

  /** Upserts and patched documents together, without those that a later operation overrides. */
  *#documents(
    upserts: DocumentColumns | undefined,
    deletes: readonly DocumentId[],
  ): Steps<DocumentColumns | undefined> {
    const targets = this.#targets;
    if (targets.size === 0) return upserts;
    const overridden = new ScalarSet<DocumentId>();
    for (let i = 0; i < (upserts?.count ?? 0); i++) {
      assert(upserts !== undefined, "upserts were counted");
      if (i > 0 && i % STEP_DOCUMENTS === 0) yield;
      const id = idAt(upserts.ids, i);
      if (targets.has(id)) overridden.add(id);
    }
    for (let i = 0; i < deletes.length; i++) {
      if (i > 0 && i % STEP_DOCUMENTS === 0) yield;
      if (targets.has(deletes[i])) overridden.add(deletes[i]);
    }
    const left = yield* withoutIds(targets.values, overridden);
    if (left.length === 0) return upserts;
    const patched = yield* this.#merge(left);
    return upserts ? yield* concatDocuments([upserts, patched]) : patched;
  }

  #merge(targets: readonly PatchTarget[]): Steps<DocumentColumns> {
    const { schema, patches, patchByFilter } = this.#batch;
    return mergePatches(targets, {
      schema,
      idType: this.#idType(),
      patches,
      filterPatch: patchByFilter?.patch,
    });
  }

  /** By-filter ids ascending, then those by id in the order sent; each once. */
  *#deletedIds(deletes: readonly DocumentId[]): Steps<readonly DocumentId[]> {
    if (this.#removed.length === 0) return deletes;
    if (deletes.length === 0) return this.#removed;
    const others = yield* this.#notRemoved(deletes);
    return this.#removed.concat(others);
  }

  /** Those of `ids` that delete_by_filter did not take. */
  *#notRemoved(ids: readonly DocumentId[]): Steps<readonly DocumentId[]> {
    if (this.#removed.length === 0) return ids;
    const others: DocumentId[] = [];
    for (let i = 0; i < ids.length; i++) {
      if (i > 0 && i % STEP_DOCUMENTS === 0) yield;
      if (!this.#isRemoved(ids[i])) others.push(ids[i]);
    }
    return others;
  }

  *#deleteColumn(ids: readonly DocumentId[]): Steps<DocumentIds | undefined> {
    if (ids.length === 0) return undefined;
    const { deletes } = this.#batch;
    if (deletes && deletes.count === ids.length && this.#removed.length === 0) return deletes;
    const idType = this.#idType();
    return { idType, count: ids.length, ids: yield* buildIdsInSteps(idType, ids) };
  }

  #idType(): IdType {
    const { schema, deletes } = this.#batch;
    const idType = schema.idType ?? deletes?.idType;
    assert(idType !== undefined, "documents were found, so the namespace has a type of ids");
    return idType;
  }
}

/** The value being written; null where there is none. */
function writtenPlace(
  documents: DocumentColumns,
  id: DocumentId,
  index: number,
  attribute: string,
): ValuePlace | DocumentId | undefined {
  if (attribute === "id") return id;
  const column = documents.attributes.get(attribute);
  return column && { column, ordinal: index };
}

function* idsOf({ ids, count }: Pick<DocumentColumns, "ids" | "count">): Steps<DocumentId[]> {
  const listed: DocumentId[] = [];
  for (let i = 0; i < count; i++) {
    if (i > 0 && i % STEP_DOCUMENTS === 0) yield;
    listed.push(idAt(ids, i));
  }
  return listed;
}

/** The targets whose ids are not among `ids`. */
function* withoutIds(
  targets: readonly PatchTarget[],
  ids: ScalarSet<DocumentId>,
): Steps<readonly PatchTarget[]> {
  const others: PatchTarget[] = [];
  for (let i = 0; i < targets.length; i++) {
    if (i > 0 && i % STEP_DOCUMENTS === 0) yield;
    if (!ids.has(targets[i].id)) others.push(targets[i]);
  }
  return others;
}

/** Those of `ids` that no document of `documents` has. */
function* without(ids: readonly DocumentId[], documents: DocumentColumns): Steps<DocumentId[]> {
  const written = new ScalarSet<DocumentId>();
  for (let i = 0; i < documents.count; i++) {
    if (i > 0 && i % STEP_DOCUMENTS === 0) yield;
    written.add(idAt(documents.ids, i));
  }
  const others: DocumentId[] = [];
  for (let i = 0; i < ids.length; i++) {
    if (i > 0 && i % STEP_DOCUMENTS === 0) yield;
    if (!written.has(ids[i])) others.push(ids[i]);
  }
  return others;
}

function tooMany(operation: "delete" | "patch", max: number): Error {
  return invalid(
    `💔 ${operation}_by_filter matches more documents than allowed, at most ${max} per request; ` +
      `set ${operation}_by_filter_allow_partial to ${operation} that many, then repeat the request`,
  );
}

function* settled(found: boolean | Steps<boolean>): Steps<boolean> {
  return typeof found === "boolean" ? found : yield* found;
}
