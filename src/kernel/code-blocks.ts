import { LISTED_WORDS, SCAN_BLOCKS_MAX } from "./code-scan.ts";

/** What is known of a block of codes that is to be scanned; see `CodeScan`. */
export interface ListedBlock {
  /** In its arena, in bytes. */
  readonly address: number;
  /** The rows that are looked at, row 0 in the lowest bit. */
  readonly mask: number;
  /** Number of row 0. */
  readonly firstRow: number;
  readonly base: number;
  readonly spread: number;
}

/** A list of blocks of codes of one arena, at most SCAN_BLOCKS_MAX, as kernels read it. */
export class CodeBlocks {
  readonly #words = new Uint32Array(SCAN_BLOCKS_MAX * LISTED_WORDS);
  readonly #floats = new Float32Array(this.#words.buffer);
  #count = 0;

  get count(): number {
    return this.#count;
  }

  get isFull(): boolean {
    return this.#count === SCAN_BLOCKS_MAX;
  }

  /** LISTED_WORDS words for each block. */
  get words(): Uint32Array {
    return this.#words.subarray(0, this.#count * LISTED_WORDS);
  }

  /** There is room for it. */
  add({ address, mask, firstRow, base, spread }: ListedBlock): void {
    const at = this.#count++ * LISTED_WORDS;
    this.#words[at] = address;
    this.#words[at + 1] = mask;
    this.#words[at + 2] = firstRow;
    this.#floats[at + 3] = base;
    this.#floats[at + 4] = spread;
  }

  clear(): void {
    this.#count = 0;
  }
}
