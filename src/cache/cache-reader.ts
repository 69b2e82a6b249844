/** Connects a thread's ranges to the cache. */

import { must } from "../base/assert.ts";
import { type ArenaRange, sharedBuffer } from "../kernel/arena.ts";
import type { FromCache, ToCache } from "./cache-messages.ts";
import { ResidentRanges } from "./resident-ranges.ts";

/** The thread's end of its talk with the cache. */
export interface CachePort {
  post(message: ToCache): void;
  listen(listener: (message: FromCache) => void): void;
}

/** Makes the ranges of a thread; `onArena` hears of the cache's memories before they are used. */
export function connectCache(
  port: CachePort,
  onArena: (arena: number, memory: WebAssembly.Memory) => void = () => {},
): ResidentRanges {
  const buffers = new Map<number, SharedArrayBuffer>();
  const ranges = new ResidentRanges({
    post: (message) => port.post(message),
    bytesAt: ({ arena, offset, bytes }: ArenaRange) => {
      const buffer = must(buffers.get(arena), `the cache's arena ${arena} is not known`);
      return new Uint8Array(buffer, offset, bytes);
    },
  });
  port.listen((message) => {
    if (message.kind !== "arena") return ranges.onMessage(message);
    buffers.set(message.index, sharedBuffer(message.memory));
    onArena(message.index, message.memory);
  });
  return ranges;
}
