/** Memory for segments without kernels: one shared buffer per arena; freed bytes are overwritten. */

import { assert } from "../../../src/base/assert.ts";
import type { ArenaBytes, ArenaRange } from "../../../src/kernel/arena.ts";
import type { SegmentMemory } from "../../../src/segment/format/segment-memory.ts";

/** Gives each block a buffer of its own, at an offset of 64. */
export class TestSegmentMemory implements SegmentMemory {
  readonly #arenas: (Uint8Array | undefined)[] = [];

  /** Blocks that were not freed. */
  get blockCount(): number {
    return this.#arenas.filter((arena) => arena !== undefined).length;
  }

  allocate(bytes: number): ArenaBytes {
    // What was in the memory before must not matter.
    const arena = new Uint8Array(new SharedArrayBuffer(64 + bytes)).fill(0xa5);
    this.#arenas.push(arena);
    return { arena: this.#arenas.length - 1, offset: 64, bytes: arena.subarray(64) };
  }

  free({ arena, bytes }: ArenaRange): void {
    const freed = this.#arenas[arena];
    assert(freed?.length === 64 + bytes, "freed what is not there");
    freed.fill(0xee);
    this.#arenas[arena] = undefined;
  }

  /** The bytes at a place, as another thread sees them. */
  blockAt({ arena, offset, bytes }: ArenaRange): Uint8Array {
    return new Uint8Array(this.buffer(arena), offset, bytes);
  }

  /** The memory of an arena. */
  buffer(arena: number): ArrayBufferLike {
    const found = this.#arenas[arena];
    assert(found !== undefined, "read what was freed");
    return found.buffer;
  }
}
