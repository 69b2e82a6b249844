import { TurnQueue } from "../base/turn-queue.ts";
import {
  type ByteRange,
  PAGE_BYTES,
  PAGE_CONTENT_BYTES,
  pageSpan,
  readPages,
} from "../segment/format/segment-pages.ts";

/** Pages that are checked and copied at once, in about a millisecond. */
const PAGES_AT_ONCE = 8;
/** Reads of more bytes are long. */
const LONG_READ_BYTES = PAGES_AT_ONCE * PAGE_BYTES;

/** Pages that were read, of which the first is that of `pageSpan(range)`. */
export interface ReadPages {
  readonly pages: Uint8Array;
  /** Of the content of the object under `key`. */
  readonly range: ByteRange;
  readonly key: string;
  /** As long as the range. */
  readonly target: Uint8Array;
  /** Bytes of the read that the pages are a part of. */
  readonly readBytes: number;
}

/**
 * Checks pages and copies their content to where it stays. What a long read has brought is
 * taken page by page, one such read after the other, and messages are heard in between: so a query
 * that waits for few bytes does not wait for all of another's, or for what is read ahead.
 */
export class PageFills {
  readonly #nextTurn: () => Promise<void>;
  readonly #long = new TurnQueue(1);
  /** Of long reads, since messages were heard. */
  #pages = 0;

  /** `nextTurn` resolves when messages that have arrived were heard. */
  constructor(nextTurn: () => Promise<void>) {
    this.#nextTurn = nextTurn;
  }

  /** Resolves when `target` is full. Throws `corrupt`; the caller adds the object's name. */
  async fill(read: ReadPages): Promise<void> {
    if (read.readBytes > LONG_READ_BYTES) await this.#long.run(() => this.#fillInTurns(read));
    else readPages(read.pages, read.range, read);
  }

  async #fillInTurns({ pages, range, key, target }: ReadPages): Promise<void> {
    const first = pageSpan(range).start;
    for (let start = range.start; start < range.end; ) {
      const page = Math.floor(start / PAGE_CONTENT_BYTES);
      const end = Math.min((page + 1) * PAGE_CONTENT_BYTES, range.end);
      const part = target.subarray(start - range.start, end - range.start);
      const own = pages.subarray(pageSpan({ start, end }).start - first);
      readPages(own, { start, end }, { key, target: part });
      if (++this.#pages % PAGES_AT_ONCE === 0) await this.#nextTurn();
      start = end;
    }
  }
}
