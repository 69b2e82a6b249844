/** What the cache thread and the threads that read stored segments say to each other. */

import type { ArenaMessage, ArenaRange } from "../kernel/arena.ts";
import type { WantedRange } from "../segment/format/bytes-missing.ts";
import type { ObjectKey } from "../storage/object-store.ts";

/** Reading thread → cache thread. */
export type ToCache =
  /** Put these ranges into memory; they stay until the reader drops them. */
  | {
      readonly kind: "load";
      readonly call: number;
      readonly wanted: readonly WantedRange[];
      /** Nobody needs them yet: only as long as half of the cache is free. */
      readonly isAhead: boolean;
    }
  /** Make every reader forget these objects; `purged` answers when all have. */
  | { readonly kind: "purge"; readonly call: number; readonly objects: readonly ObjectKey[] }
  /** The reader has forgotten these ranges. `shrink` answers the message with that number. */
  | {
      readonly kind: "dropped";
      readonly ranges: readonly WantedRange[];
      readonly shrink: number | undefined;
    };

/** Cache thread → reading thread. */
export type FromCache =
  | ArenaMessage
  /** One place for each range of the call, in its order; ahead, for the first that had room. */
  | {
      readonly kind: "loaded";
      readonly call: number;
      readonly places: readonly ArenaRange[];
      readonly stats: LoadStats;
    }
  | {
      readonly kind: "failed";
      readonly call: number;
      readonly code: string;
      readonly message: string;
      /** The message for clients, if `message` is for operators alone. */
      readonly clientMessage?: string | undefined;
      /** An object is not in the store: perhaps it was collected. */
      readonly isMissing: boolean;
    }
  | { readonly kind: "purged"; readonly call: number }
  /** Forget all ranges of these objects; answer with `dropped`. */
  | {
      readonly kind: "forget";
      readonly shrink: number;
      readonly objects: readonly ObjectKey[];
    }
  /** Forget what was not used for the longest time, about so many bytes; answer with `dropped`. */
  | { readonly kind: "shrink"; readonly shrink: number; readonly bytes: number };

/** Where bytes come from: the memory of this machine, a disk of it that keeps copies, the store. */
export type ByteOrigin = "memory" | "disk" | "store";

/** The farther one of two places. */
export function farther(a: ByteOrigin, b: ByteOrigin): ByteOrigin {
  if (a === "store" || b === "store") return "store";
  return a === "disk" || b === "disk" ? "disk" : "memory";
}

/** What one load cost. */
export interface LoadStats {
  /** The farthest place that bytes came from, also where another reader had asked for them. */
  readonly origin: ByteOrigin;
  /** Bytes of reads for which the store was asked. */
  readonly storeBytes: number;
  /** At most half of the cache is in use, and nothing was refused: more may be loaded ahead. */
  readonly isRoomy: boolean;
}
