/**
 * How the C library keeps memory for the server. It reads these settings when a process starts, and
 * others know nothing of them. By itself, glibc takes a heap for each thread, learns from large
 * buffers that were freed to put the next ones there, too, and gives a heap back only from its end:
 * after bodies of 256 MB, some 150 MiB stayed.
 */
export const MEMORY_ENVIRONMENT = {
  // The main thread's heap, and one for all others: V8 has its own.
  MALLOC_ARENA_MAX: "2",
  // Buffers from this size on are pages of their own, which are given back at once. It is where
  // glibc begins, but fixed: the buffers of short requests stay below it.
  MALLOC_MMAP_THRESHOLD_: "131072",
  // A heap keeps so much at its end for what comes next.
  MALLOC_TRIM_THRESHOLD_: "1048576",
};

/**
 * Has the server collect its garbage sooner: Node 24 would let each thread keep 128 MiB of new
 * objects and 256 of old ones before it looks, which buys nothing that was measured. But not where
 * it idles, with which compiled code goes (ADR 52).
 */
export const MEMORY_FLAGS = [
  "--max-semi-space-size=8",
  "--initial-old-space-size=32",
  "--heap-growing-percent=50",
  "--no-memory-reducer",
];
