import type { ByteCodeScan } from "./byte-code-scan.ts";
import type { CodeEncoding } from "./code-encoding.ts";
import type { CodeBounds, CodeScan } from "./code-scan.ts";
import {
  type ElementEncoding,
  type EstimateScan,
  paddedElements,
  ROW_CODE_MAX,
  ROW_CODE_SHIFT,
  VECTOR_CODE_MAX,
} from "./estimate-scan.ts";
import type { Kernel, Measure, RowFormat, RowScan } from "./kernel.ts";
import type { NearestLists, NearestScan } from "./nearest-scan.ts";
import type { RateScan } from "./rate-scan.ts";
import { type Rotation, transformedCount, transformScale } from "./rotation.ts";

/**
 * A routine of kernel.wasm. All of its arguments are addresses, counts and factors, in the order
 * of `assembly/index.ts`; `test/conformance/kernel.ts` compares each with its scalar twin.
 */
type Routine = (...values: number[]) => number;

/** Kernel over kernel.wasm; SIMD with 128-bit registers. */
export class WasmKernel implements Kernel {
  readonly name = "wasm";
  readonly #scanCodes: Routine;
  readonly #boundCodes: Routine;
  readonly #scanByteCodes: Routine;
  readonly #scanRates: Routine;
  readonly #rotate: Routine;
  readonly #encodeCode: Routine;
  readonly #nearest: Readonly<Record<Measure, Routine>>;
  readonly #nearestCodes: Routine;
  readonly #encodeElements: Routine;
  readonly #routines: Readonly<Record<Measure, Readonly<Record<RowFormat, Routine>>>>;

  /** `memory` is shared; the instance keeps it alive. Cost: under a millisecond. */
  constructor(module: WebAssembly.Module, memory: WebAssembly.Memory) {
    const { exports } = new WebAssembly.Instance(module, { env: { memory } });
    const routine = (name: string) => exports[name] as Routine;
    this.#rotate = routine("rotate");
    this.#scanCodes = routine("scanCodes");
    this.#boundCodes = routine("boundCodes");
    this.#scanByteCodes = routine("scanByteCodes");
    this.#scanRates = routine("scanRates");
    this.#encodeCode = routine("encodeCode");
    this.#nearest = {
      dot: routine("nearestByDot"),
      squaredDistance: routine("nearestByDistance"),
    };
    this.#nearestCodes = routine("nearestCodes");
    this.#encodeElements = routine("encodeElements");
    this.#routines = {
      dot: { f32: routine("dotF32"), f16: routine("dotF16"), i8: routine("dotI8") },
      squaredDistance: {
        f32: routine("squaredDistanceF32"),
        f16: routine("squaredDistanceF16"),
        i8: routine("squaredDistanceI8"),
      },
    };
  }

  scanRows(scan: RowScan): void {
    this.#routines[scan.measure][scan.format](
      scan.query,
      scan.rows,
      scan.stride,
      // No list lies at address 0: arenas keep their first bytes unused.
      scan.gather ?? 0,
      scan.count,
      scan.dimensions,
      scan.scores,
    );
  }

  scanCodes(scan: CodeScan): number {
    return this.#scanCodes(
      scan.list,
      scan.count,
      scan.blockBytes,
      scan.nibbles,
      scan.table,
      scan.scale,
      scan.offset,
      scan.worst,
      scan.scratch,
      scan.found,
    );
  }

  boundCodes(bounds: CodeBounds): void {
    this.#boundCodes(
      bounds.blocks,
      bounds.blockBytes,
      bounds.count,
      bounds.nibbles,
      bounds.table,
      bounds.queries,
      bounds.scale,
      bounds.offset,
      bounds.scratch,
      bounds.lower,
      bounds.upper,
    );
  }

  scanByteCodes(scan: ByteCodeScan): number {
    return this.#scanByteCodes(
      scan.gather,
      scan.count,
      scan.codes,
      scan.query,
      scan.base,
      scan.scale,
      scan.error,
      scan.worst,
      scan.found,
    );
  }

  scanRates(scan: RateScan): void {
    this.#scanRates(
      scan.count,
      scan.lower,
      scan.upper,
      scan.inverseRadii,
      scan.counts,
      scan.rates,
      scan.worst,
      scan.nearPoint,
      scan.nearWeight,
      scan.expected,
      scan.sums,
      scan.mosts,
    );
  }

  nearestRows(measure: Measure, scan: NearestScan): void {
    addNearest(this.#nearest[measure], scan, scan.dimensions);
  }

  nearestCodes(scan: EstimateScan): void {
    addNearest(this.#nearestCodes, scan, scan.codes);
  }

  encodeElements(encoding: ElementEncoding): void {
    const isRow = encoding.kind === "row";
    this.#encodeElements(
      encoding.elements,
      encoding.weights,
      encoding.count,
      encoding.origin,
      encoding.dimensions,
      paddedElements(encoding.dimensions),
      isRow ? ROW_CODE_MAX : VECTOR_CODE_MAX,
      isRow ? ROW_CODE_SHIFT : 0,
      encoding.coded,
    );
  }

  encodeCode(encoding: CodeEncoding): void {
    const { dimensions } = encoding;
    const count = transformedCount(dimensions);
    this.#encodeCode(
      encoding.row,
      encoding.weight,
      encoding.origin,
      encoding.signs,
      dimensions,
      count,
      transformScale(count),
      encoding.rounds,
      encoding.centroid,
      encoding.residual,
      encoding.codes,
      encoding.half === "lower" ? 0 : 4,
      encoding.sums,
    );
  }

  rotate({ vector, dimensions, signs, rounds }: Rotation): void {
    const count = transformedCount(dimensions);
    this.#rotate(vector, dimensions, count, transformScale(count), signs, rounds);
  }
}

/** `width`: elements or codes of each vector and row. */
function addNearest(routine: Routine, lists: NearestLists, width: number): void {
  routine(
    lists.vectors,
    lists.gather,
    lists.count,
    lists.rows,
    lists.rowCount,
    lists.firstRow,
    width,
    lists.few,
    lists.closenesses,
    lists.found,
  );
}
