import { existsSync, readFileSync } from "node:fs";
import { builtFile } from "../base/program-files.ts";
import { codeBlockBytes } from "./code-scan.ts";
import type { Kernel } from "./kernel.ts";
import { RATED_BLOCK } from "./rate-scan.ts";
import { ScalarKernel } from "./scalar-kernel.ts";
import { WasmKernel } from "./wasm-kernel.ts";

/** "auto" takes the fastest kernel that this machine runs; "scalar" is plain TypeScript. */
export type KernelChoice = "auto" | "scalar";

const KERNEL_FILE = builtFile("kernel.wasm");

/** Rows and rounds of the warm-up: enough calls for the optimizing compiler to take over. */
const WARM_UP_ROUNDS = 200;

/**
 * Compiles kernel.wasm, or returns undefined where it is not wanted, not built, or not supported
 * by this Node. A module can be posted to other threads, so one thread compiles for all.
 */
export async function compileKernel(choice: KernelChoice): Promise<WebAssembly.Module | undefined> {
  if (choice === "scalar" || !existsSync(KERNEL_FILE)) return undefined;
  const bytes = readFileSync(KERNEL_FILE);
  return WebAssembly.validate(bytes) ? await WebAssembly.compile(bytes) : undefined;
}

/** The kernel of one thread over one memory; `module` is what `compileKernel` gave. */
export function loadKernel(
  module: WebAssembly.Module | undefined,
  memory: WebAssembly.Memory,
): Kernel {
  return module === undefined ? new ScalarKernel(memory) : new WasmKernel(module, memory);
}

/**
 * Runs every routine on a few rows until its code is optimized: WebAssembly starts in code that is
 * two to four times slower and changes over between calls, never within one. Writes to 2 KiB at
 * `scratch`. Cost: about a millisecond.
 */
export function warmUpKernel(kernel: Kernel, memory: WebAssembly.Memory, scratch: number): void {
  const masks = scratch + 640;
  const places = scratch + 1664;
  new Uint32Array(memory.buffer, masks, 3).set([0xffffffff, 0, 1]);
  new Uint32Array(memory.buffer, places, 2).fill(scratch / 16);
  for (let round = 0; round < WARM_UP_ROUNDS; round++) {
    for (const measure of ["dot", "squaredDistance"] as const) {
      for (const format of ["f32", "f16", "i8"] as const) {
        kernel.scanRows({
          measure,
          format,
          dimensions: 32,
          query: scratch,
          rows: scratch,
          stride: 128,
          count: 4,
          scores: scratch + 512,
        });
      }
      kernel.nearestRows(measure, {
        ...{ dimensions: 32, vectors: scratch, gather: masks + 4, count: 2 },
        ...{ rows: scratch, rowCount: 4, firstRow: 0, few: 1 },
        ...{ closenesses: scratch + 512, found: scratch + 576 },
      });
    }
    kernel.encodeElements({
      ...{ kind: "row", elements: scratch, weights: scratch, count: 2, origin: scratch + 256 },
      ...{ dimensions: 32, coded: scratch + 512 },
    });
    kernel.nearestCodes({
      ...{ codes: 32, vectors: scratch, gather: masks + 4, count: 2 },
      ...{ rows: scratch, rowCount: 4, firstRow: 0, few: 1 },
      ...{ closenesses: scratch + 512, found: scratch + 576 },
    });
    kernel.encodeCode({
      ...{ row: scratch, weight: 1, origin: scratch, centroid: scratch, residual: scratch + 512 },
      ...{ signs: scratch, dimensions: 64, rounds: 1 },
      ...{ codes: scratch + 1024, half: "lower", sums: scratch + 1536 },
    });
    new Uint32Array(memory.buffer, masks, 3).set([scratch, 1, 0]);
    kernel.scanCodes({
      ...{ list: masks, count: 1, blockBytes: codeBlockBytes(8), nibbles: 8 },
      ...{ table: scratch + 512, scale: 1, offset: 0, worst: 0 },
      ...{ scratch: scratch + 1024, found: scratch + 1536 },
    });
    kernel.boundCodes({
      ...{ blocks: scratch, blockBytes: codeBlockBytes(8), count: 1, nibbles: 8 },
      ...{ table: scratch + 512, queries: masks, scale: 1, offset: 0 },
      ...{ scratch: scratch + 1024, lower: scratch + 1536, upper: scratch + 1792 },
    });
    kernel.scanRates({
      ...{ count: RATED_BLOCK, lower: scratch, upper: scratch, inverseRadii: scratch },
      ...{ counts: places, rates: scratch, worst: 1, nearPoint: 0, nearWeight: 0.5 },
      ...{ expected: scratch + 1024, sums: scratch + 1536, mosts: scratch + 1552 },
    });
    kernel.scanByteCodes({
      ...{ gather: places, count: 2, codes: 32, query: scratch },
      ...{ base: 1, scale: 1, error: 1, worst: 0, found: scratch + 1536 },
    });
  }
}
