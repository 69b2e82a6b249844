import { availableParallelism, totalmem } from "node:os";
import { defaultMemoryLimit } from "./default-memory-limit.ts";
import type { Machine } from "./server-config.ts";

/** This machine: its cores, the cgroup's memory limit or the physical memory, and its terminal. */
export function thisMachine(): Machine {
  const constrained = process.constrainedMemory();
  const limited = constrained > 0 && constrained < totalmem();
  const memoryBytes = limited ? constrained : totalmem();
  return {
    coreCount: availableParallelism(),
    memoryBytes,
    memoryLimitBytes: defaultMemoryLimit(memoryBytes),
    isInteractive: process.stdin.isTTY === true,
  };
}
