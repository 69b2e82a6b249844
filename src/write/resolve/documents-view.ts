/** Documents that are not stored yet, seen as a segment, so that conditions can look at them. */

import type { Ordinal, SegmentId } from "../../base/ids.ts";
import { runSteps } from "../../base/steps.ts";
import { bytesOf } from "../../codec/columns-packing.ts";
import { documentsLogicalBytes } from "../../codec/columns-size.ts";
import { columnValue, hasValue, idAt } from "../../codec/columns-value.ts";
import type { ColumnData, DocumentColumns } from "../../model/columns.ts";
import type { DocumentId } from "../../model/value.ts";
import { fillSlots, IdTable } from "../../segment/ids/id-section.ts";
import { type HashedIds, hashIds, idKeys } from "../../segment/view/id-keys.ts";
import type { ColumnView, SegmentView } from "../../segment/view/segment-view.ts";

/** Values and ids of documents; there are no indexes, since conditions need none. */
export class DocumentsView implements SegmentView {
  readonly id = "unstored" as SegmentId;
  readonly documentCount: number;
  readonly ids: ColumnData;
  readonly #documents: DocumentColumns;
  /** Made for the first lookup. */
  #table: IdTable | undefined;

  constructor(documents: DocumentColumns) {
    this.#documents = documents;
    this.documentCount = documents.count;
    this.ids = documents.ids;
  }

  get bytes(): number {
    return documentsLogicalBytes(this.#documents);
  }

  get attributes(): readonly string[] {
    return [...this.#documents.attributes.keys()];
  }

  idOf(ordinal: Ordinal): DocumentId {
    return idAt(this.ids, ordinal);
  }

  ordinalOf(id: DocumentId): Ordinal | undefined {
    return this.ordinalAt(hashIds(this.#documents.idType, [id]), 0);
  }

  ordinalAt({ keys, hashes }: HashedIds, index: number): Ordinal | undefined {
    this.#table ??= tableOf(this.#documents);
    const ordinal = this.#table.find(keys, index, hashes[index]);
    return ordinal < 0 ? undefined : (ordinal as Ordinal);
  }

  column(attribute: string): ColumnView | undefined {
    const column = this.#documents.attributes.get(attribute);
    if (!column) return undefined;
    return {
      column,
      has: (ordinal) => hasValue(column, ordinal),
      value: (ordinal) => columnValue(column, ordinal),
      place: (ordinal) => (hasValue(column, ordinal) ? { column, ordinal } : undefined),
      dictionary: undefined,
      vectors: undefined,
    };
  }

  index(): undefined {
    return undefined;
  }

  hasIndex(): boolean {
    return false;
  }
}

function tableOf({ ids, count }: DocumentColumns): IdTable {
  const keys = idKeys(ids, count);
  return new IdTable(keys, bytesOf(runSteps(fillSlots(keys))));
}
