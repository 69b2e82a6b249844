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

/** The ABI of kernel.wasm (assembly/index.ts): all arguments are addresses and counts. */
type RowRoutine = (
  query: number,
  rows: number,
  stride: number,
  gather: number,
  count: number,
  dimensions: number,
  scores: number,
) => void;

type CodeRoutine = (
  list: number,
  count: number,
  blockBytes: number,
  nibbles: number,
  table: number,
  scale: number,
  offset: number,
  worst: number,
  scratch: number,
  found: number,
) => number;

type BoundRoutine = (
  blocks: number,
  blockBytes: number,
  count: number,
  nibbles: number,
  table: number,
  queries: number,
  scale: number,
  offset: number,
  scratch: number,
  lower: number,
  upper: number,
) => void;

type ByteCodeRoutine = (
  gather: number,
  count: number,
  codes: number,
  query: number,
  base: number,
  scale: number,
  error: number,
  worst: number,
  found: number,
) => number;

type RateRoutine = (
  count: number,
  lower: number,
  upper: number,
  inverseRadii: number,
  counts: number,
  rates: number,
  worst: number,
  nearPoint: number,
  nearWeight: number,
  expected: number,
  sums: number,
  mosts: number,
) => void;

type EncodingRoutine = (
  row: number,
  weight: number,
  origin: number,
  signs: number,
  dimensions: number,
  count: number,
  scale: number,
  rounds: number,
  centroid: number,
  residual: number,
  codes: number,
  shift: number,
  sums: number,
) => void;

/** Of rows of so many elements, or codes with their padding. */
type NearestRoutine = (
  vectors: number,
  gather: number,
  count: number,
  rows: number,
  rowCount: number,
  firstRow: number,
  width: number,
  few: number,
  closenesses: number,
  found: number,
) => void;

type ElementRoutine = (
  elements: number,
  weights: number,
  count: number,
  origin: number,
  dimensions: number,
  codes: number,
  top: number,
  shift: number,
  to: number,
) => void;

type RotationRoutine = (
  vector: number,
  dimensions: number,
  count: number,
  scale: number,
  signs: number,
  rounds: number,
) => void;

/** Kernel over kernel.wasm; SIMD with 128-bit registers. */
export class WasmKernel implements Kernel {
  readonly name = "wasm";
  readonly #scanCodes: CodeRoutine;
  readonly #boundCodes: BoundRoutine;
  readonly #scanByteCodes: ByteCodeRoutine;
  readonly #scanRates: RateRoutine;
  readonly #rotate: RotationRoutine;
  readonly #encodeCode: EncodingRoutine;
  readonly #nearest: Readonly<Record<Measure, NearestRoutine>>;
  readonly #nearestCodes: NearestRoutine;
  readonly #encodeElements: ElementRoutine;
  readonly #routines: Readonly<Record<Measure, Readonly<Record<RowFormat, RowRoutine>>>>;

  /** `memory` is shared; the instance keeps it alive. Cost: under a millisecond. */
  constructor(module: WebAssembly.Module, memory: WebAssembly.Memory) {
    const instance = new WebAssembly.Instance(module, { env: { memory } });
    const routine = (name: string) => instance.exports[name] as RowRoutine;
    this.#rotate = instance.exports.rotate as RotationRoutine;
    this.#scanCodes = instance.exports.scanCodes as CodeRoutine;
    this.#boundCodes = instance.exports.boundCodes as BoundRoutine;
    this.#scanByteCodes = instance.exports.scanByteCodes as ByteCodeRoutine;
    this.#scanRates = instance.exports.scanRates as RateRoutine;
    this.#encodeCode = instance.exports.encodeCode as EncodingRoutine;
    this.#nearest = {
      dot: instance.exports.nearestByDot as NearestRoutine,
      squaredDistance: instance.exports.nearestByDistance as NearestRoutine,
    };
    this.#nearestCodes = instance.exports.nearestCodes as NearestRoutine;
    this.#encodeElements = instance.exports.encodeElements as ElementRoutine;
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
function addNearest(routine: NearestRoutine, lists: NearestLists, width: number): void {
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
