/** A cache of stored segments for a process with one thread. */

import { nextTurn } from "../base/next-turn.ts";
import { Arenas } from "../kernel/arena.ts";
import type { ObjectStore } from "../storage/object-store.ts";
import type { FromCache } from "./cache-messages.ts";
import { type CachePort, connectCache } from "./cache-reader.ts";
import { CacheService } from "./cache-service.ts";
import type { ResidentRanges } from "./resident-ranges.ts";

/** Makes a cache of its own over `store` and connects the thread to it. */
export function localCache(store: ObjectStore, bytesMax: number): ResidentRanges {
  const arenas = new Arenas({ totalBytes: bytesMax, threads: 1 });
  return connectCache(localCachePort(new CacheService({ store, arenas, nextTurn })));
}

/** A port to a cache in the same thread. Messages arrive in a turn of their own. */
export function localCachePort(service: CacheService): CachePort {
  let onMessage: (message: FromCache) => void = () => {};
  const waiting: FromCache[] = [];
  const client = {
    post: (message: FromCache) => {
      waiting.push(message);
      queueMicrotask(() => {
        const next = waiting.shift();
        if (next !== undefined) onMessage(next);
      });
    },
  };
  return {
    post: (message) => service.onMessage(client, message),
    listen: (listener) => {
      onMessage = listener;
      service.connect(client);
    },
  };
}
