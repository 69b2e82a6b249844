/** Whether a table has empty cells in quotes: looked for in its bytes, which is quick. */

const QUOTE = 0x22;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** See the file's head. Inside of quoted cells and at the edges of chunks it may find too many. */
export class QuotedEmptyCells {
  readonly #delimiter: number;
  #wereFound = false;
  #endsWithQuote = false;

  /** The delimiter is one letter of ASCII. */
  constructor(delimiter: string) {
    this.#delimiter = delimiter.charCodeAt(0);
  }

  /** Looks at the chunk that comes next; true for the first that may have such a cell. */
  push(chunk: Uint8Array): boolean {
    if (this.#wereFound) return false;
    this.#wereFound = this.#mayHaveOne(chunk);
    this.#endsWithQuote = chunk.at(-1) === QUOTE;
    return this.#wereFound;
  }

  #mayHaveOne(chunk: Uint8Array): boolean {
    if (this.#endsWithQuote && chunk[0] === QUOTE) return true;
    for (let at = chunk.indexOf(QUOTE); at >= 0; at = chunk.indexOf(QUOTE, at + 1)) {
      if (chunk[at + 1] !== QUOTE) continue;
      if (this.#isEdge(chunk[at - 1]) && this.#isEdge(chunk[at + 2])) return true;
    }
    return false;
  }

  /** Whether a cell may begin or end beside the byte; undefined is in another chunk. */
  #isEdge(byte: number | undefined): boolean {
    if (byte === undefined || byte === this.#delimiter) return true;
    return byte === LINE_FEED || byte === CARRIAGE_RETURN;
  }
}
