import { MIB } from "../../base/byte-sizes.ts";

/** Minimum of `--memory-limit`. */
export const MEMORY_LIMIT_MIN = 256 * MIB;
/**
 * Memory of the code and heaps of a server and its indexer beyond their shares of the limit: with a
 * limit of 256 MiB they take 583 and 419 MiB at most (bench/README.md).
 */
const PROGRAM_BYTES = 640 * MIB;
/** Bytes to plan for each byte of the limit: the indexer may take a quarter, and heaps are not all counted. */
const USE_FACTOR = 1.5;

/** The default of `--memory-limit`, with which a server and its indexer fit into so many bytes. */
export function defaultMemoryLimit(memoryBytes: number): number {
  const limit = Math.floor((memoryBytes - PROGRAM_BYTES) / USE_FACTOR);
  return Math.max(MEMORY_LIMIT_MIN, limit);
}

/** Bytes to plan for a server and its indexer with such a limit. */
export function memoryUse(limitBytes: number): number {
  return PROGRAM_BYTES + USE_FACTOR * limitBytes;
}
