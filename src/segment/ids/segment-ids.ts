/** The ids of one segment: by ordinal, and ordinals by id. */

import type { Ordinal } from "../../base/ids.ts";
import type { IdType } from "../../model/attribute-type.ts";
import type { ColumnData } from "../../model/columns.ts";
import type { ByteSource } from "../format/byte-source.ts";
import { attemptAll } from "../format/bytes-missing.ts";
import type { SectionSpan } from "../format/segment-layout.ts";
import { type HashedIds, idKeys } from "../view/id-keys.ts";
import { mayHaveId, openIdFilter } from "./id-filter-section.ts";
import { IdTable, openIds } from "./id-section.ts";

/** Where the sections are. */
export interface IdSections {
  readonly ids: SectionSpan;
  /** The hash table; undefined where there are too few ids for one. */
  readonly slots: SectionSpan | undefined;
  /** The filter, looked up when it is needed first: segments in memory have none. */
  filter(): SectionSpan | undefined;
}

/** Opened when they are asked for. All but the constructor may throw `BytesMissing`. */
export class SegmentIds {
  readonly #of: { readonly idType: IdType; readonly count: number; readonly source: ByteSource };
  readonly #sections: IdSections;
  #data: ColumnData | undefined;
  #table: IdTable | undefined;
  #filter: Uint32Array | undefined;
  /** Until it is known. */
  #hasFilter = true;

  constructor(
    of: { readonly idType: IdType; readonly count: number; readonly source: ByteSource },
    sections: IdSections,
  ) {
    this.#of = of;
    this.#sections = sections;
  }

  /** All ids, by ordinal. */
  get data(): ColumnData {
    this.#data ??= openIds(this.#bytes(this.#sections.ids), this.#of.idType);
    return this.#data;
  }

  /** The hash table, which works also where there is no section for it. */
  get table(): IdTable {
    this.#table ??= this.#openTable();
    return this.#table;
  }

  /** The section of the hash table. */
  get slots(): Uint8Array | undefined {
    const { slots } = this.#sections;
    return slots && this.#bytes(slots);
  }

  /** The ordinal of the id at `index`, which is of the segment's type; undefined if it is not here. */
  ordinalAt({ keys, hashes }: HashedIds, index: number): Ordinal | undefined {
    const filter = this.#openFilter();
    if (filter !== undefined && !mayHaveId(filter, hashes[index])) return undefined;
    const ordinal = this.table.find(keys, index, hashes[index]);
    return ordinal < 0 ? undefined : (ordinal as Ordinal);
  }

  /** Forgets what was made of bytes that the source has dropped. */
  forget(): void {
    this.#data = undefined;
    this.#table = undefined;
    this.#filter = undefined;
  }

  #openTable(): IdTable {
    // Both sections are wanted at once.
    attemptAll<unknown>([() => this.data, () => this.slots]);
    return new IdTable(idKeys(this.data, this.#of.count), this.slots);
  }

  #openFilter(): Uint32Array | undefined {
    if (this.#filter === undefined && this.#hasFilter) {
      const span = this.#sections.filter();
      this.#hasFilter = span !== undefined;
      this.#filter = span && openIdFilter(this.#bytes(span));
    }
    return this.#filter;
  }

  #bytes({ offset, bytes }: SectionSpan): Uint8Array {
    return this.#of.source.place(offset, offset + bytes).bytes;
  }
}
