import type { Steps } from "../../base/steps.ts";
import type { CollectedLists } from "../postings/posting-section.ts";
import {
  type ListPositions,
  MORE,
  numberBytes,
  placeBytes,
  RUN_POSTINGS,
  writePlace,
} from "./position-section.ts";

/** Tokens of a chunk, of two words each; one chunk is kept between two uses. */
const CHUNK_TOKENS = 8192;
/** Tokens, or lists, that one step takes. */
const STEP_TOKENS = 16_384;
/** Codes that a collector keeps room for: as many as a table of terms gives again. */
const CODES_KEPT = 1 << 18;

/** A record of a collector, of four words for each code. */
const RECORD = 4;
/**
 * Words of a record while bytes are counted: the number of the last document with the code, and its
 * last position there; the bytes of all its runs. The first and the last are 0 between two uses.
 */
const DOCUMENT = 0;
const LAST = 1;
const BYTES = 2;
/**
 * Words of a record while runs are written: how many there are; where the place of the next 64
 * goes; where the next number goes; where the first run begins.
 */
const POSTING = 0;
const PLACE = 1;
const NEXT = 2;
const RUNS = 3;

/**
 * Collects the tokens of documents in their order, and makes of them the positions of posting
 * lists. Ready for the next ones after `finish`.
 */
export class PositionCollector {
  /**
   * By token: its code; and twice its position, and 1 if it is its document's first. Later twice
   * the number that its run has for it, and 1 if that is the first.
   */
  #chunks: Uint32Array[] = [];
  #chunk = new Uint32Array(2 * CHUNK_TOKENS);
  /** Words in use in the last chunk. */
  #used = 0;
  #isNew = 1;
  #records = new Uint32Array(0);

  /** Begins the next document. */
  startDocument(): void {
    this.#isNew = 1;
  }

  /** Adds a token; positions rise within a document. */
  add(code: number, position: number): void {
    if (this.#used === 2 * CHUNK_TOKENS) {
      this.#chunks.push(this.#chunk);
      this.#chunk = new Uint32Array(2 * CHUNK_TOKENS);
      this.#used = 0;
    }
    this.#chunk[this.#used++] = code;
    this.#chunk[this.#used++] = 2 * position + this.#isNew;
    this.#isNew = 0;
  }

  /** The positions of the lists that were collected of the same tokens. */
  *finish({ starts: lists, codes }: CollectedLists): Steps<ListPositions> {
    this.#chunks.push(this.#chunk.subarray(0, this.#used));
    yield* this.#openRecords(codes);
    let document = 0;
    for (const chunk of this.#chunks) {
      document = countBytes(chunk, this.#records, document);
      yield;
    }
    const records = this.#records;
    const starts = new Uint32Array(codes.length + 1);
    for (let rank = 0; rank < codes.length; rank++) {
      if (rank % STEP_TOKENS === STEP_TOKENS - 1) yield;
      const record = RECORD * codes[rank];
      const start = starts[rank];
      const places = start + records[record + BYTES];
      starts[rank + 1] = places + placeBytes(lists[rank + 1] - lists[rank]);
      records[record + POSTING] = 0;
      records[record + PLACE] = places;
      records[record + NEXT] = start;
      records[record + RUNS] = start;
    }
    const bytes = new Uint8Array(starts[codes.length]);
    for (const chunk of this.#chunks) {
      writeRuns(chunk, records, bytes);
      yield;
    }
    yield* this.#reset(codes);
    return { starts, bytes };
  }

  /** Makes room for records of all codes. */
  *#openRecords(codes: Uint32Array): Steps<void> {
    let end = 0;
    for (let i = 0; i < codes.length; i++) {
      if (i % STEP_TOKENS === STEP_TOKENS - 1) yield;
      if (codes[i] >= end) end = codes[i] + 1;
    }
    // Nothing is in them between two uses.
    if (RECORD * end > this.#records.length) this.#records = new Uint32Array(2 * RECORD * end);
  }

  *#reset(codes: Uint32Array): Steps<void> {
    this.#chunks = [];
    this.#used = 0;
    this.#isNew = 1;
    if (this.#records.length > RECORD * CODES_KEPT) {
      this.#records = new Uint32Array(0);
      return;
    }
    for (let i = 0; i < codes.length; i++) {
      if (i % STEP_TOKENS === STEP_TOKENS - 1) yield;
      this.#records[RECORD * codes[i] + DOCUMENT] = 0;
      this.#records[RECORD * codes[i] + BYTES] = 0;
    }
  }
}

/** Turns positions into numbers of runs; returns the number of the last document. */
function countBytes(chunk: Uint32Array, records: Uint32Array, before: number): number {
  let document = before;
  for (let i = 0; i < chunk.length; i += 2) {
    const record = RECORD * chunk[i];
    const position = chunk[i + 1] >>> 1;
    document += chunk[i + 1] & 1;
    const isFirst = records[record + DOCUMENT] !== document;
    const number = isFirst ? position : position - records[record + LAST];
    records[record + DOCUMENT] = document;
    records[record + LAST] = position;
    records[record + BYTES] += numberBytes(number);
    chunk[i + 1] = 2 * number + (isFirst ? 1 : 0);
  }
  return document;
}

function writeRuns(chunk: Uint32Array, records: Uint32Array, bytes: Uint8Array): void {
  for (let i = 0; i < chunk.length; i += 2) {
    const record = RECORD * chunk[i];
    let at = records[record + NEXT];
    if ((chunk[i + 1] & 1) === 1) {
      const posting = records[record + POSTING]++;
      if (posting % RUN_POSTINGS === 0 && posting > 0) {
        writePlace(bytes, records[record + PLACE], at - records[record + RUNS]);
        records[record + PLACE] += 4;
      }
    }
    let number = chunk[i + 1] >>> 1;
    for (; number >= MORE; number >>>= 7) bytes[at++] = number | MORE;
    bytes[at++] = number;
    records[record + NEXT] = at;
  }
}
