import { assert } from "../base/assert.ts";
import { GIB, KIB } from "../base/byte-sizes.ts";
import { DatabaseError } from "../base/errors.ts";
import { FreeList } from "./free-list.ts";

/** One arena of shared memory; address space, not memory, so larger than most machines need. */
const ARENA_BYTES = 1 * GIB;
/** Greatest arena: what 32-bit addresses reach. */
const ARENA_BYTES_MAX = 4 * GIB;
/** A thread's scratch memory per arena: what one kernel call reads and writes beside rows. */
export const SCRATCH_BYTES = 192 * KIB;

/** WebAssembly's page. */
const PAGE_BYTES = 64 * 1024;
/** Blocks start at multiples of a cache line. */
const BLOCK_ALIGN = 64;
/** Address 0 means "none" to kernels, so nothing lies in the first cache line. */
const UNUSED_BYTES = 64;

/**
 * A piece of shared memory that one thread owns and all threads read. A block lies in one arena
 * and never moves. Plain data: it may be posted to other threads.
 */
export interface ArenaRange {
  /** Number of the arena, from 0. */
  readonly arena: number;
  /** Address in the arena's memory; a multiple of 64. */
  readonly offset: number;
  /** As asked for. */
  readonly bytes: number;
}

/** A piece of shared memory as its owner fills it: where it lies, and its bytes. */
export interface ArenaBytes {
  readonly arena: number;
  /** Address in the arena's memory; a multiple of 64. */
  readonly offset: number;
  /** Exactly as many as were asked for; what they hold at first is undefined. */
  readonly bytes: Uint8Array;
}

/** Bounds of the arenas of one process. */
export interface ArenaOptions {
  /** Bytes that all blocks may take together, rounded up to 64 each. */
  readonly totalBytes: number;
  /** Threads that run kernels; each has scratch memory in every arena. */
  readonly threads: number;
  /** Size of an arena; larger blocks get an arena of their own. */
  readonly arenaBytes?: number;
}

/**
 * Shared WebAssembly memories and the allocator over them. Lives in the thread that owns the data;
 * other threads get the memories (`onArena`) and blocks by message, and read through
 * `ArenaKernels`. Whoever owns a block frees it only when no other thread reads it any more.
 *
 * Each arena is a memory of fixed size, whose pages the operating system provides when they are
 * first touched: an arena costs address space, not memory. Pages stay once touched, also when
 * their blocks are freed; the next blocks take the lowest free ones, and others only where none of
 * those have room.
 */
export class Arenas {
  readonly #options: Required<ArenaOptions>;
  readonly #memories: WebAssembly.Memory[] = [];
  readonly #free: FreeList[] = [];
  readonly #taken: Map<number, number>[] = [];
  /** Where the pages end that blocks of each arena have reached. */
  readonly #touchedEnds: number[] = [];
  readonly #listeners: ((memory: WebAssembly.Memory, arena: number) => void)[] = [];
  #usedBytes = 0;

  constructor(options: ArenaOptions) {
    this.#options = { arenaBytes: ARENA_BYTES, ...options };
    assert(this.#options.arenaBytes <= ARENA_BYTES_MAX, "an arena beyond 32-bit addresses");
  }

  /** Bytes in blocks that were not freed, with their alignment. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Bytes that blocks may still take. */
  get freeBytes(): number {
    return this.#options.totalBytes - this.#usedBytes;
  }

  /** Calls `listener` for each arena there is, and at once for each that is added. */
  onArena(listener: (memory: WebAssembly.Memory, arena: number) => void): void {
    this.#listeners.push(listener);
    this.#memories.forEach(listener);
  }

  /**
   * Takes a block, or returns undefined if that would exceed the total. Its bytes are whatever was
   * there before. Blocks of zero bytes are legal. Throws `out_of_memory` if the system has no room
   * for another arena.
   */
  alloc(bytes: number): ArenaRange | undefined {
    const padded = Math.max(Math.ceil(bytes / BLOCK_ALIGN), 1) * BLOCK_ALIGN;
    if (padded > this.freeBytes || padded > ARENA_BYTES_MAX - this.#reservedBytes()) {
      return undefined;
    }
    for (const ends of [this.#touchedEnds, undefined]) {
      for (let arena = 0; arena < this.#free.length; arena++) {
        const offset = this.#free[arena].take(padded, ends?.[arena]);
        if (offset !== undefined) return this.#note({ arena, offset, bytes }, padded);
      }
    }
    const arena = this.#addArena(padded);
    const offset = this.#free[arena].take(padded);
    assert(offset !== undefined, "a new arena has no room");
    return this.#note({ arena, offset, bytes }, padded);
  }

  /** Gives a block back. */
  free(block: ArenaRange): void {
    const taken = this.#taken[block.arena];
    const padded = taken.get(block.offset);
    assert(padded !== undefined, `no block at ${block.offset} of arena ${block.arena}`);
    taken.delete(block.offset);
    this.#free[block.arena].give(block.offset, padded);
    this.#usedBytes -= padded;
  }

  /** The bytes of a block, shared with all threads. */
  bytes(block: ArenaRange): Uint8Array<SharedArrayBuffer> {
    return new Uint8Array(sharedBuffer(this.#memories[block.arena]), block.offset, block.bytes);
  }

  #note(block: ArenaRange, padded: number): ArenaRange {
    this.#taken[block.arena].set(block.offset, padded);
    this.#usedBytes += padded;
    const touchedEnd = this.#touchedEnds[block.arena];
    this.#touchedEnds[block.arena] = Math.max(touchedEnd, block.offset + padded);
    return block;
  }

  #addArena(blockBytes: number): number {
    const wanted = Math.max(this.#options.arenaBytes, blockBytes + this.#reservedBytes());
    const pages = Math.ceil(wanted / PAGE_BYTES);
    const memory = reserveMemory(pages);
    const arena = this.#memories.push(memory) - 1;
    this.#free.push(new FreeList(this.#reservedBytes(), pages * PAGE_BYTES));
    this.#taken.push(new Map());
    this.#touchedEnds.push(0);
    for (const listener of this.#listeners) listener(memory, arena);
    return arena;
  }

  /** Start of an arena's blocks: the unused line and every thread's scratch lie before it. */
  #reservedBytes(): number {
    return scratchOffset(this.#options.threads);
  }
}

/** Address space can be bounded too, by `ulimit -v` or strict overcommit. */
function reserveMemory(pages: number): WebAssembly.Memory {
  try {
    return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true });
  } catch (cause) {
    const bytes = pages * PAGE_BYTES;
    throw new DatabaseError(
      "out_of_memory",
      `cannot reserve ${bytes} bytes of address space: the system allows no more; ` +
        "lower the memory limit of the server or raise the system's (ulimit -v)",
      { cause },
    );
  }
}

/** Address of the scratch memory of a thread, the same in every arena: SCRATCH_BYTES long. */
export function scratchOffset(thread: number): number {
  return UNUSED_BYTES + thread * SCRATCH_BYTES;
}

/** The buffer of a shared memory; it never grows, so views of it stay valid. */
export function sharedBuffer(memory: WebAssembly.Memory): SharedArrayBuffer {
  const { buffer } = memory;
  assert(buffer instanceof SharedArrayBuffer, "a memory that is not shared");
  return buffer;
}

/** A shared memory that holds segments; its index is its position among all arenas. */
export interface ArenaMessage {
  readonly kind: "arena";
  readonly index: number;
  readonly memory: WebAssembly.Memory;
}
