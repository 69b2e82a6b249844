/**
 * Reads ahead what a cold query shows to be in use: its namespace's ids, columns, dictionaries and
 * one-bit codes, then postings, byte codes and vectors, piece by piece behind the queries, so that
 * those which follow wait for less. A cold query is followed by a part of a large namespace,
 * several by all of it. Nothing in memory is forgotten for what is read ahead.
 */

import { MIB } from "../../base/byte-sizes.ts";
import type { ResidentRanges } from "../../cache/resident-ranges.ts";
import { ATTRIBUTE_INDEXES } from "../../segment/attribute-indexes.ts";
import type { WantedRange } from "../../segment/format/bytes-missing.ts";
import type { OpenSegment } from "../../segment/segment-reader.ts";
import { touchParts, touchSegment } from "../../segment/touch-segment.ts";
import { BYTE_CODE_INDEX } from "../../segment/vectors/byte-code-index.ts";
import { VECTOR_INDEX } from "../../segment/vectors/vector-index.ts";

/** Bytes that are loaded at once, about. */
const PIECE_BYTES = 4 * MIB;
/**
 * What is looked for at once. A longer range is one read, for which others would wait: the query
 * that needs it loads it. More ranges, of vectors in some 10 µs each, are looked for afterwards.
 */
const LOOK = { rangeBytesMax: 16 * MIB, bytesMax: 16 * MIB };
/** Bytes that are read ahead of a namespace before the next one has its turn. */
const TURN_BYTES = 64 * MIB;
/** Namespaces that wait for their turn; queries of more are not read ahead for. */
const WAITING_MAX = 1_000;

/** What most queries look at as a whole. */
const FIRST_INDEXES = ATTRIBUTE_INDEXES.filter((index) => {
  return index !== VECTOR_INDEX && index !== BYTE_CODE_INDEX;
});
/**
 * A search looks at all one-bit codes and some vectors, an exact one at all byte codes and some; by
 * terms at the postings of a few, which are others for each query.
 */
const STAGES: readonly ((segment: OpenSegment) => void)[] = [
  (segment) => touchSegment(segment, FIRST_INDEXES),
  touchParts,
  (segment) => touchSegment(segment, [BYTE_CODE_INDEX]),
  (segment) => touchSegment(segment, [VECTOR_INDEX]),
];

/** A namespace as queries see it. */
export interface AheadSource {
  /** Now; none if nobody will ask any more. */
  readonly storedSegments: readonly OpenSegment[];
}

/** What it reads with. */
export interface ReadAheadOptions {
  readonly reads: Pick<ResidentRanges, "missingOf" | "prefetch">;
  /** Resolves when messages that have arrived were heard. */
  nextTurn(): Promise<void>;
}

/** Of one query thread. */
export class ReadAhead {
  /** Turns that have ended, and bytes of ranges that were asked for in all turns. */
  readonly stats = { turns: 0, bytes: 0 };
  readonly #options: ReadAheadOptions;
  readonly #waiting = new Set<AheadSource>();
  #isRunning = false;

  constructor(options: ReadAheadOptions) {
    this.#options = options;
  }

  /** Bytes of this namespace had to be loaded for a query. */
  add(source: AheadSource): void {
    if (this.#waiting.size >= WAITING_MAX) return;
    this.#waiting.add(source);
    if (!this.#isRunning) void this.#run();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    for (const source of this.#waiting) {
      // A query that is cold during the turn asks for another one.
      this.#waiting.delete(source);
      await this.#takeTurn({ source, leftBytes: TURN_BYTES });
      this.stats.turns++;
    }
    this.#isRunning = false;
  }

  async #takeTurn(turn: Turn): Promise<void> {
    for (const touch of STAGES) {
      for (const segment of turn.source.storedSegments) {
        if (turn.leftBytes <= 0) return;
        await this.#options.nextTurn();
        // What cannot be read is told to the query that needs it.
        await this.#read(turn, segment, () => touch(segment)).catch(() => {});
      }
    }
  }

  async #read(turn: Turn, segment: OpenSegment, touch: () => void): Promise<void> {
    const { nextTurn, reads } = this.#options;
    const isWanted = () => turn.leftBytes > 0 && turn.source.storedSegments.includes(segment);
    while (isWanted()) {
      // What is loaded tells of more, such as a description of where vectors are.
      const missing = reads.missingOf(touch, LOOK);
      if (missing.length === 0) return;
      for (const piece of piecesOf(missing)) {
        if (!isWanted()) return;
        const bytes = bytesOf(piece);
        turn.leftBytes -= bytes;
        this.stats.bytes += bytes;
        const isRoomy = await reads.prefetch(piece);
        if (!isRoomy) turn.leftBytes = 0;
        await nextTurn();
      }
    }
  }
}

/** What is read of one namespace before the next one. */
interface Turn {
  readonly source: AheadSource;
  leftBytes: number;
}

function bytesOf(ranges: readonly WantedRange[]): number {
  return ranges.reduce((bytes, { start, end }) => bytes + end - start, 0);
}

function* piecesOf(wanted: readonly WantedRange[]): Iterable<WantedRange[]> {
  let piece: WantedRange[] = [];
  let bytes = 0;
  for (const range of wanted) {
    piece.push(range);
    bytes += range.end - range.start;
    if (bytes < PIECE_BYTES) continue;
    yield piece;
    piece = [];
    bytes = 0;
  }
  if (piece.length > 0) yield piece;
}
