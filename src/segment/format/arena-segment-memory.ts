/** The arenas as memory for segments. */

import { DatabaseError, MEMORY_RETRY_MS } from "../../base/errors.ts";
import type { Arenas } from "../../kernel/arena.ts";
import type { SegmentMemory } from "./segment-memory.ts";

/** Gives segments blocks of `arenas`; where there is no room it throws `out_of_memory`. */
export function arenaSegmentMemory(arenas: Arenas): SegmentMemory {
  return {
    allocate: (bytes) => {
      const block = arenas.alloc(bytes);
      if (block === undefined) {
        throw new DatabaseError(
          "out_of_memory",
          `💔 out of memory for documents: no room for ${bytes} bytes, ${arenas.freeBytes} are ` +
            "free; delete documents or namespaces, or start the server with a larger " +
            "--memory-limit",
          { retryAfterMs: MEMORY_RETRY_MS },
        );
      }
      return { arena: block.arena, offset: block.offset, bytes: arenas.bytes(block) };
    },
    free: (place) => arenas.free(place),
  };
}
