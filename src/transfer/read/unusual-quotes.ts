/**
 * Whether a table has quotes of which the parser must be asked cell by cell: empty cells in quotes,
 * and blanks before a quote. They are looked for in its bytes, which is quick.
 */

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;

/** See the file's head. Inside of quoted cells and at the edges of chunks it may find too many. */
export class UnusualQuotes {
  readonly #delimiter: number;
  #wereFound = false;
  #lastByte: number | undefined;

  /** The delimiter is one letter of ASCII. */
  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** Looks at the chunk that comes next; true for the first that may have such a quote. */
  push(chunk: Uint8Array): boolean {
    if (this.#wereFound) return false;
    this.#wereFound = this.#mayHaveOne(chunk);
    this.#lastByte = chunk.at(-1);
    return this.#wereFound;
  }

  #mayHaveOne(chunk: Uint8Array): boolean {
    const isCut = this.#lastByte === QUOTE || this.#isBlank(this.#lastByte);
    if (isCut && chunk[0] === QUOTE) return true;
    for (let at = chunk.indexOf(QUOTE); at >= 0; at = chunk.indexOf(QUOTE, at + 1)) {
      if (this.#isBlank(chunk[at - 1]) && this.#isCellStart(chunk, at)) return true;
      if (chunk[at + 1] !== QUOTE) continue;
      if (this.#isEdge(chunk[at - 1]) && this.#isEdge(chunk[at + 2])) return true;
    }
    return false;
  }

  /** Whether there are only blanks between the start of a cell and the byte. */
  #isCellStart(chunk: Uint8Array, end: number): boolean {
    let at = end - 1;
    while (this.#isBlank(chunk[at])) at--;
    return this.#isEdge(chunk[at]);
  }

  #isBlank(byte: number | undefined): boolean {
    return (byte === SPACE || byte === TAB) && byte !== this.#delimiter;
  }

  /** Whether a cell may begin or end beside the byte; undefined is in another chunk. */
  #isEdge(byte: number | undefined): boolean {
    if (byte === undefined || byte === this.#delimiter) return true;
    return byte === LINE_FEED || byte === CARRIAGE_RETURN;
  }
}
