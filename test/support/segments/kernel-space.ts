/** Kernels of both kinds over memory of their own, for tests of what is computed through them. */

import { MIB } from "../../../src/base/byte-sizes.ts";
import { Arenas } from "../../../src/kernel/arena.ts";
import { ArenaKernels } from "../../../src/kernel/arena-kernels.ts";
import { compileKernel } from "../../../src/kernel/load-kernel.ts";
import { arenaSegmentMemory } from "../../../src/segment/format/arena-segment-memory.ts";
import type { KernelSpace } from "../../../src/vector/centroids.ts";

/** A space, and how many bytes of it are taken. */
export interface TestKernelSpace extends KernelSpace {
  readonly usedBytes: number;
}

/** Makes memory and a kernel that reads it; "auto" is the fastest. */
export async function openKernelSpace(choice: "auto" | "scalar"): Promise<TestKernelSpace> {
  const arenas = new Arenas({ totalBytes: 256 * MIB, threads: 1, arenaBytes: MIB });
  const kernels = new ArenaKernels(await compileKernel(choice), 0);
  arenas.onArena((memory, arena) => kernels.attach(arena, memory));
  const memory = arenaSegmentMemory(arenas);
  return {
    kernels,
    memory,
    get usedBytes() {
      return arenas.usedBytes;
    },
  };
}
