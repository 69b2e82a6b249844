/**
 * Layout of a directory or bucket of backups. Its objects are found by their content, so that one
 * that several backups have is there once:
 *
 *     objects/<first two hex digits of sha256>/<sha256>   bytes as the server stores them
 *     backups/<created, 15 digits>-<8 hex digits>         the index file of one backup
 *     unfinished                                          the same, of one that goes on
 *
 * An index file is a frame (codec/frame.ts) of kind "backup", whose payload is JSON in UTF-8:
 * `created_at_ms`, and `namespaces`, each with the members of a state (`namespace`, `generation`,
 * `manifest_version`, `sequence`, `has_import`) and `objects`: `key`, `bytes`, `sha256`; of a
 * partial backup also `lacks`. It is put when all objects that it names are there.
 */

import { DatabaseError } from "../../base/errors.ts";
import { FORMAT_VERSIONS } from "../../base/format-versions.ts";
import { decodeFrame, encodeFrame } from "../../codec/frame.ts";
import type { BackupObject } from "../../model/backup.ts";
import { type ObjectKey, objectKey } from "../../storage/object-store.ts";

/** Start of all index files. */
export const INDEXES_PREFIX = "backups/";
/** Start of all objects. */
export const OBJECTS_PREFIX = "objects/";
/** The index file of a backup that goes on. */
export const UNFINISHED_KEY = objectKey("unfinished");

/** A state of a namespace as the API names it, and its objects. */
export interface BackedUpNamespace {
  readonly namespace: string;
  readonly generation: number;
  readonly manifest_version: number;
  readonly sequence: number;
  readonly has_import: boolean;
  readonly objects: readonly BackupObject[];
}

/** What one backup has. */
export interface BackupIndex {
  readonly created_at_ms: number;
  readonly namespaces: readonly BackedUpNamespace[];
  /** Names of namespaces that could not be backed up: it is partial. Absent: it is whole. */
  readonly lacks?: readonly string[];
}

const INDEX_KEY = /^backups\/\d{15}-[0-9a-f]{8}$/;
const SHA256 = /^[0-9a-f]{64}$/;

/** Names a new index file; the order of names is that of times. */
export function indexKey(createdAtMs: number, nonce: string): ObjectKey {
  return objectKey(`${INDEXES_PREFIX}${String(createdAtMs).padStart(15, "0")}-${nonce}`);
}

/** The time that the name of an index file says. */
export function createdAtMsOf(key: ObjectKey): number {
  return Number(key.slice(INDEXES_PREFIX.length).split("-")[0]);
}

/** Tells whether a key is that of an index file. */
export function isIndexKey(key: string): key is ObjectKey {
  return INDEX_KEY.test(key);
}

/** Where an object lies. */
export function contentKey(sha256: string): ObjectKey {
  return objectKey(`${OBJECTS_PREFIX}${sha256.slice(0, 2)}/${sha256}`);
}

/** Encodes an index as the file at `key`. */
export function encodeIndex(index: BackupIndex, key: ObjectKey): Promise<Uint8Array> {
  return encodeFrame({
    kind: "backup",
    object: key,
    version: FORMAT_VERSIONS.backup.newest,
    parts: [new TextEncoder().encode(JSON.stringify(index))],
    compression: "if smaller",
  });
}

/** Decodes the file read at `key`. Throws `corrupt`, `too_new` or `too_old`, naming it. */
export async function decodeIndex(file: Uint8Array, key: ObjectKey): Promise<BackupIndex> {
  const expected = { kind: "backup", object: key, ...FORMAT_VERSIONS.backup } as const;
  const { payload } = await decodeFrame(file, expected);
  const index = parsed(payload);
  if (isIndex(index)) return index;
  throw new DatabaseError("corrupt", `cannot read backup ${key}: a member is missing or wrong`);
}

function parsed(payload: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(payload).toString("utf8"));
  } catch {
    return undefined;
  }
}

function isIndex(value: unknown): value is BackupIndex {
  return (
    isRecord(value) &&
    typeof value.created_at_ms === "number" &&
    Array.isArray(value.namespaces) &&
    value.namespaces.every(isNamespace) &&
    (value.lacks === undefined || isTexts(value.lacks))
  );
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((text) => typeof text === "string");
}

function isNamespace(value: unknown): boolean {
  if (!isRecord(value) || !Array.isArray(value.objects)) return false;
  const { namespace, generation, manifest_version: version, sequence, has_import: imports } = value;
  const isNumbered = [generation, version, sequence].every((number) => typeof number === "number");
  const isNamed = typeof namespace === "string" && typeof imports === "boolean";
  return isNamed && isNumbered && value.objects.every(isObject);
}

function isObject(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { key, bytes, sha256 } = value;
  const isSized = typeof bytes === "number" && typeof key === "string";
  return isSized && typeof sha256 === "string" && SHA256.test(sha256);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
