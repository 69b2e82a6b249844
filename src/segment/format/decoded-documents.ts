import { KIB } from "../../base/byte-sizes.ts";
import type { DocumentColumns } from "../../model/columns.ts";

/** What a decoded block counts at least: small ones cost what holds them. */
const DECODED_ENTRY_BYTES_MIN = 1 * KIB;

/** Numbers of blocks are below this, so that a reader and a block make one number. */
const BLOCKS_MAX = 2 ** 24;

interface DecodedBlock {
  readonly columns: DocumentColumns;
  readonly bytes: number;
}

/**
 * Blocks of documents that were decoded last, of all readers that share it. What was used longest
 * ago goes first, and so does what segments had that nobody reads any more.
 */
export class DecodedDocuments {
  readonly #bytesMax: number;
  /** In the order of their last use. */
  readonly #blocks = new Map<number, DecodedBlock>();
  #bytes = 0;
  #readerCount = 0;
  /** All attributes of a document are asked for one after the other. */
  #lastKey = -1;
  #last: DocumentColumns | undefined;

  /** Keeps so many bytes, or one block. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Bytes of all blocks; a small one counts as `DECODED_ENTRY_BYTES_MIN`. */
  get bytes(): number {
    return this.#bytes;
  }

  /** A number for one more reader. */
  addReader(): number {
    return this.#readerCount++;
  }

  /** A reader's block, if it is still there. */
  get(reader: number, block: number): DocumentColumns | undefined {
    const key = reader * BLOCKS_MAX + block;
    if (key === this.#lastKey) return this.#last;
    const known = this.#blocks.get(key);
    if (known === undefined) return undefined;
    this.#blocks.delete(key);
    this.#blocks.set(key, known);
    this.#lastKey = key;
    this.#last = known.columns;
    return known.columns;
  }

  /** Keeps a block that `get` does not find; `size` is that of its bytes. */
  add(reader: number, block: number, columns: DocumentColumns, size: number): void {
    if (block >= BLOCKS_MAX) return;
    const bytes = Math.max(size, DECODED_ENTRY_BYTES_MIN);
    for (const [oldest, { bytes: freed }] of this.#blocks) {
      if (this.#bytes + bytes <= this.#bytesMax) break;
      this.#blocks.delete(oldest);
      this.#bytes -= freed;
    }
    const key = reader * BLOCKS_MAX + block;
    this.#blocks.set(key, { columns, bytes });
    this.#bytes += bytes;
    this.#lastKey = key;
    this.#last = columns;
  }
}
