/**
 * How a posting list is laid out, in units of two bytes. The ordinals of a segment are divided into
 * pages of 65,536, so that a posting has the low half of its ordinal only. A list of k postings, in
 * a segment of P pages:
 *
 * | units              | meaning                                                               |
 * |--------------------|-----------------------------------------------------------------------|
 * | none if P < 2;     | which page each posting is in:                                        |
 * | k if k < 2·P;      | the page of each (the high half of its ordinal),                      |
 * | else 2·P           | or, u32, for each page how many postings are in it or before it       |
 * | k                  | the low halves of the ordinals                                        |
 * | ⌈k·N / 2⌉          | a number of N bytes for each posting; then a 0 if a byte is left over |
 *
 * A longer list takes more units, so the units of a list tell how many postings it has.
 */

/** Ordinals of a page: what two bytes tell apart. */
export const PAGE_ORDINALS = 65_536;
/** Bytes of a unit. */
export const UNIT_BYTES = 2;

/** Where the parts of a list begin, in units from its start. */
export interface ListParts {
  /** Whether each posting has its page, instead of each page where it ends. */
  readonly hasPages: boolean;
  readonly lows: number;
  readonly numbers: number;
}

/** The layout of all lists of an attribute in a segment. */
export class ListLayout {
  readonly pageCount: number;
  /** Of the number of a posting: 1 or 2. */
  readonly numberBytes: number;
  /** Postings from which on a list has its pages' ends. */
  readonly #endsFrom: number;
  /** Units of a list of so many. */
  readonly #endsFromUnits: number;

  constructor(documentCount: number, numberBytes: number) {
    this.pageCount = Math.ceil(documentCount / PAGE_ORDINALS);
    this.numberBytes = numberBytes;
    this.#endsFrom = this.pageCount < 2 ? 0 : 2 * this.pageCount;
    this.#endsFromUnits = this.units(this.#endsFrom);
  }

  /** Where the parts of a list of so many postings begin. */
  parts(count: number): ListParts {
    const hasPages = count < this.#endsFrom;
    const lows = hasPages ? count : this.#endsFrom;
    return { hasPages, lows, numbers: lows + count };
  }

  /** Units of a list of so many postings. */
  units(count: number): number {
    return this.parts(count).numbers + Math.ceil((count * this.numberBytes) / UNIT_BYTES);
  }

  /** How many postings are in a list of so many units; that of the next shorter one if none is. */
  count(units: number): number {
    const hasPages = units < this.#endsFromUnits;
    const bytes = UNIT_BYTES * (units - (hasPages ? 0 : this.#endsFrom));
    return Math.floor(bytes / ((hasPages ? 2 : 1) * UNIT_BYTES + this.numberBytes));
  }
}
