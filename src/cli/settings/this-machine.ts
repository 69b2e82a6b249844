import { availableParallelism, totalmem } from "node:os";
import type { Machine } from "./server-config.ts";

/** This machine: its cores, the cgroup's memory limit or the physical memory, and its terminal. */
export function thisMachine(): Machine {
  const constrained = process.constrainedMemory();
  const limited = constrained > 0 && constrained < totalmem();
  return {
    coreCount: availableParallelism(),
    memoryBytes: limited ? constrained : totalmem(),
    isInteractive: process.stdin.isTTY === true,
  };
}
