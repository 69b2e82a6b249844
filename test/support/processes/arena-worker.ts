/** A thread that reads a block of another thread's arena through its own kernel. */

import { parentPort, workerData } from "node:worker_threads";
import type { ArenaRange } from "../../../src/kernel/arena.ts";
import { ArenaKernels } from "../../../src/kernel/arena-kernels.ts";

const { module, memories, block } = workerData as {
  module: WebAssembly.Module | undefined;
  memories: readonly WebAssembly.Memory[];
  block: ArenaRange;
};
const kernels = new ArenaKernels(module, 1);
memories.forEach((memory, arena) => {
  kernels.attach(arena, memory);
});

const matrix = { block, start: 0, format: "f32", dimensions: 2, strideBytes: 8 } as const;
kernels.setQuery(matrix, Float32Array.of(0, 1));
const scores = [...kernels.scoreRange("dot", matrix, 0, 2)];
const bytes = kernels.bytes(block);
new Float32Array(bytes.buffer, bytes.byteOffset, 1)[0] = -1;
parentPort?.postMessage({ scores, written: 1 });
