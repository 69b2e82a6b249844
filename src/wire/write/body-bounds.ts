/** What the documents of one body may add up to; the server must be able to hold them. */

import { KIB, MIB } from "../../base/byte-sizes.ts";
import { DatabaseError, invalid } from "../../base/errors.ts";
import { VECTOR_DIMENSIONS_MAX } from "../../kernel/kernel.ts";
import {
  ARRAY_ELEMENTS_MAX,
  ATTRIBUTE_COUNT_MAX,
  ATTRIBUTE_VALUE_BYTES_MAX,
  SPARSE_ENTRIES_MAX,
} from "../../model/contract-limits.ts";
import type { PartsBound } from "../json/json-tokens.ts";

/** Documents times attributes of one write; our choice: bounds what sparse documents cost. */
const WRITE_CELLS_MAX = 100_000_000;
/** Bytes of a body that one step of its parser takes at least; above what a step costs. */
export const PARSE_STEP_BYTES = 4 * KIB;
/**
 * JSON of one value, or of one member that is no list of documents; our choice: 8 MiB of characters
 * that are all escaped, and as long as any body that is no write.
 */
export const VALUE_JSON_BYTES_MAX = 64 * MIB;
/** Refuses (413) a value of which so many bytes of JSON were read, and that goes on. */
export function checkValueBytes(bytes: number, path: () => string): void {
  if (bytes < VALUE_JSON_BYTES_MAX) return;
  const message = `${path()}: a value of more than ${VALUE_JSON_BYTES_MAX} bytes of JSON`;
  throw new DatabaseError("too_large", message);
}

/** Documents or ids of one write; no body of legal size has more ids that differ. */
const WRITE_DOCUMENTS_MAX = 64 * 1024 * 1024;

/** Refuses (413) more documents, or ids, than one write may have. */
export function checkDocumentCount(count: number): void {
  if (count <= WRITE_DOCUMENTS_MAX) return;
  throw new DatabaseError(
    "too_large",
    `💔 a write may have at most ${WRITE_DOCUMENTS_MAX} documents; send them in several writes`,
  );
}

/** Refuses (413) more values than one write may have. */
export function checkCellCount(count: number): void {
  if (count <= WRITE_CELLS_MAX) return;
  throw new DatabaseError(
    "too_large",
    `💔 a write may have at most ${WRITE_CELLS_MAX} values, counting the attributes that a ` +
      "document leaves out; send the documents in several writes",
  );
}

/** The error for a body with more attribute names than a namespace may have. */
export function tooManyAttributes(): DatabaseError {
  return invalid(`💔 a namespace may have at most ${ATTRIBUTE_COUNT_MAX} attributes`);
}

/** Fields of one body that are not known; our choice: each is remembered until its end. */
export const UNKNOWN_MEMBERS_MAX = 4096;

/** The error for more of them. */
export function tooManyUnknown(): DatabaseError {
  return invalid(
    `💔 the write has more than ${UNKNOWN_MEMBERS_MAX} fields that are not known: attributes of ` +
      "documents belong into upsert_rows or upsert_columns",
  );
}

/** Elements of an array, in whatever arrays they are. */
export const ARRAY_PARTS: PartsBound = {
  countMax: ARRAY_ELEMENTS_MAX,
  // Arrays of strings are read one by one.
  stringBytes: 1,
  refuse: (path) =>
    invalid(`💔 ${path}: an array has at most ${ARRAY_ELEMENTS_MAX} elements in all`),
};

/** Vectors of one document, and their numbers: as many as 8 MiB hold, of one dimension each. */
export const VECTORS_PARTS_MAX = ATTRIBUTE_VALUE_BYTES_MAX / 2;
/** Numbers that a vector counts as in addition to its own. */
export const VECTOR_PARTS = 5;

/** The error for more of them. */
export function vectorsTooLarge(path: string): DatabaseError {
  return invalid(
    `💔 ${path}: vectors of a document have at most ${ATTRIBUTE_VALUE_BYTES_MAX} bytes`,
  );
}

/** Numbers of one vector that are read; our choice, far more than any vector has. */
const VECTOR_NUMBERS_MAX = 65_536;

/** Numbers of a vector, read in one step. */
export const VECTOR_NUMBERS = {
  countMax: VECTOR_NUMBERS_MAX,
  refuse: (path: string): DatabaseError =>
    invalid(`💔 ${path}: vectors have at most ${VECTOR_DIMENSIONS_MAX} dimensions`),
};

/** The error for a vector without numbers among those of a document. */
export function emptyVector(path: string): DatabaseError {
  return invalid(`💔 ${path}: a vector must have numbers`);
}

/** An object is a sparse vector, or wrong; the binding counts what is not far beyond its limit. */
export const OBJECT_PARTS: PartsBound = {
  countMax: 8 * SPARSE_ENTRIES_MAX,
  stringBytes: 64,
  refuse: (path) =>
    invalid(
      `💔 ${path}: a sparse vector has at most ${SPARSE_ENTRIES_MAX} entries, with names of ` +
        "512 KiB in all",
    ),
};
