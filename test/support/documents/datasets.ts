/**
 * Public datasets, where they are on this machine: in the folder that `TRAWL_DATASETS`
 * names, else in `shared/data` beside the project. Tests that need them are skipped without.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import type { DistanceMetric } from "../../../src/model/schema.ts";

const FOLDER =
  process.env.TRAWL_DATASETS ?? fileURLToPath(new URL("../../../../shared/data", import.meta.url));

/** Vectors of one dataset. */
export interface VectorDataset {
  readonly count: number;
  readonly dimensions: number;
  readonly metric: DistanceMetric;
  readonly values: Float32Array | Float16Array;
}

interface DatasetFile extends Omit<VectorDataset, "values"> {
  readonly path: string;
  readonly element: "f32" | "f16" | "u8";
  /** Bytes before the first vector. */
  readonly headBytes?: number;
}

const FILES = {
  "fashion-mnist-784": {
    path: "fashion-mnist-784/train-images-idx3-ubyte.gz",
    count: 60_000,
    dimensions: 784,
    metric: "euclidean_squared",
    element: "u8",
    headBytes: 16,
  },
  "lex-cohere-1536": {
    path: "lex-cohere-1536/vectors.9300x1536.f16le.gz",
    count: 9300,
    dimensions: 1536,
    metric: "cosine_distance",
    element: "f16",
  },
  "bible-bge-large-1024": {
    path: "bible-bge-large-1024/vectors.3124x1024.f32le.gz",
    count: 3124,
    dimensions: 1024,
    metric: "cosine_distance",
    element: "f32",
  },
  "sift-5k-128": {
    path: "sift-5k-128/base.5000x128.u8.gz",
    count: 5000,
    dimensions: 128,
    metric: "euclidean_squared",
    element: "u8",
  },
} as const satisfies Record<string, DatasetFile>;

/** Names of datasets. */
export type DatasetName = keyof typeof FILES;

/** Tells whether a dataset is here, and tells people if it is not. */
export function hasDataset(name: DatasetName): boolean {
  return isDatasetHere(FILES[name].path);
}

/** The same of any file of the datasets, by its path in their folder. */
export function isDatasetHere(name: string): boolean {
  const path = datasetFile(name);
  if (existsSync(path)) return true;
  console.warn(`skipped: ${path} is not there; set TRAWL_DATASETS`);
  return false;
}

/** Path of a file of the datasets. */
export function datasetFile(name: string): string {
  return join(FOLDER, name);
}

/** Reads a dataset. */
export function readDataset(name: DatasetName): VectorDataset {
  const { path, element, headBytes = 0, ...rest }: DatasetFile = FILES[name];
  const { count, dimensions } = rest;
  const unpacked = gunzipSync(readFileSync(datasetFile(path)));
  const bytes = Uint8Array.from(unpacked.subarray(headBytes));
  const { buffer } = bytes;
  const length = count * dimensions;
  switch (element) {
    case "f32":
      return { ...rest, values: new Float32Array(buffer, 0, length) };
    case "f16":
      return { ...rest, values: new Float16Array(buffer, 0, length) };
    case "u8":
      // Float16 holds them exactly.
      return { ...rest, values: Float16Array.from(bytes.subarray(0, length)) };
  }
}
