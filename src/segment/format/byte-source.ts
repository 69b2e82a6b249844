/**
 * Where a segment's bytes come from: a block in shared memory that holds all of them, or ranges of
 * an object that are in memory only while they are used.
 */

import { assert } from "../../base/assert.ts";
import type { ArenaBytes } from "../../kernel/arena.ts";
import type { DecodedDocuments } from "./decoded-documents.ts";

/** The content of one segment, some of which may not be in memory. */
export interface ByteSource {
  /**
   * Another number whenever bytes that were there have been dropped, and never again one that it
   * was: what was made of them must be forgotten. Changes only between two runs.
   */
  readonly epoch: number;
  /** How many bytes of a large section are best asked for at once; infinite where all are here. */
  readonly chunkBytes: number;
  /** What lies within one window of so many bytes is loaded together; infinite where all are here. */
  readonly windowBytes: number;
  /** Where decoded documents are kept that share a bound with those of other sources. */
  readonly decoded?: DecodedDocuments | undefined;

  /**
   * Contiguous bytes from `start` to before `end` of the content and where they lie for kernels.
   * The address is congruent to `start` modulo 64, so that arrays keep their alignment. They stay
   * until the running query or write ends. Throws `BytesMissing` if some are missing.
   */
  place(start: number, end: number): ArenaBytes;

  /** The same, or undefined where `place` would throw; never makes anybody load them. */
  peek(start: number, end: number): ArenaBytes | undefined;
}

/** All of a segment in one block. */
export class BlockSource implements ByteSource {
  readonly epoch = 0;
  readonly chunkBytes = Number.POSITIVE_INFINITY;
  readonly windowBytes = Number.POSITIVE_INFINITY;
  readonly #block: ArenaBytes;

  constructor(block: ArenaBytes) {
    this.#block = block;
  }

  place(start: number, end: number): ArenaBytes {
    const { arena, offset, bytes } = this.#block;
    assert(start >= 0 && end <= bytes.length, `bytes ${start} to ${end} of ${bytes.length}`);
    return { arena, offset: offset + start, bytes: bytes.subarray(start, end) };
  }

  peek(start: number, end: number): ArenaBytes {
    return this.place(start, end);
  }
}
