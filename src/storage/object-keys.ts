/**
 * Every key in the store, in one place:
 *
 *     namespaces/<name>-table/<generation>/wal/<sequence number>     log/wal-entry.ts
 *     namespaces/<name>-table/<generation>/covered/<sequence number> log/coverage-marks.ts
 *     namespaces/<name>-table/<generation>/manifest/<version>        manifest/manifest-codec.ts
 *     namespaces/<name>-table/<generation>/segments/<segment id>     segment/format/segment-id.ts
 *     namespaces/<name>-table/<generation>/pins/<by>-table/<generation of by>/<16 hex digits>
 *                                                     namespace/segments/segment-pins.ts
 *     namespaces/<name>-table/<generation>/waiting/<writer id>       commit/races/wait-marks.ts
 *     deleting/<name>-table/<generation>                             a deletion has been decided
 *     deleted/<name>-table/<generation>                              ... and is done
 *     dirty/<name>-table/<generation>                                a hint: its log is long
 *     checkpoints/<name>-table/<generation>/<name>/<point>           namespace/checkpoints/
 *     checkpoints/<name>-table/names/<name>/<number>                 the name is being given away
 *     namespaces/<name>-table/<generation>/restore/<number>          for a restore under way
 *     format/v<version>                                              storage/store-format.ts
 *     keys/<key id>/key, keys/<key id>/revoked, keys/changes, keys/uses
 *                                                                    access/key-codec.ts
 *
 * A generation is one life of a namespace: deleting and creating it again begins the next, so that
 * nothing of the old life can be taken for the new one's. Generations have 10 digits, sequence
 * numbers and versions 20, so that byte order is numeric order. The suffix `-table` keeps a
 * namespace called `.` or `..` from being one of these as a directory.
 */

import { assert } from "../base/assert.ts";
import {
  type NamespaceName,
  namespaceName,
  namespaceNameFault,
  type SegmentId,
  type SequenceNumber,
  sequenceNumber,
} from "../base/ids.ts";
import { type ObjectKey, objectKey } from "./object-store.ts";

/** One life of a namespace; the first generation is 1. */
export interface NamespaceGeneration {
  readonly name: NamespaceName;
  readonly generation: number;
}

/** Start of all keys that belong to living namespaces. */
export const NAMESPACES_PREFIX = "namespaces/";
/** Start of all deletion intents. */
export const DELETING_PREFIX = "deleting/";
/** Start of all hints that a log is long enough to be indexed. */
export const DIRTY_PREFIX = "dirty/";
/** Start of the marks of a store's format. */
export const FORMAT_PREFIX = "format/";
/** Start of all API keys, and of what is known of them. */
export const API_KEYS_PREFIX = "keys/";
/** Start of all marks of finished deletions. */
export const DELETED_PREFIX = "deleted/";
/** Start of all checkpoints. */
export const CHECKPOINTS_PREFIX = "checkpoints/";

const SUFFIX = "-table";
const TOMBSTONES = /\.live-[^/]*$/;
const WRITER_ID = /^[0-9a-f]{16}$/;
const SEGMENT_OBJECT = /^namespaces\/[^/]+-table\/\d{10}\/segments\/[^/]+$/;
const GENERATION_DIGITS = 10;
const NUMBER_DIGITS = 20;

/** Start of all keys of all generations of a namespace. Ends in `/`. */
export function namespacePrefix(name: NamespaceName): string {
  return `${NAMESPACES_PREFIX}${name}${SUFFIX}/`;
}

/** Start of all keys of one generation. Ends in `/`. */
export function generationPrefix(generation: NamespaceGeneration): string {
  return `${namespacePrefix(generation.name)}${digits(generation.generation, GENERATION_DIGITS)}/`;
}

/** Start of the keys of a generation's WAL entries. */
export function walPrefix(generation: NamespaceGeneration): string {
  return `${generationPrefix(generation)}wal/`;
}

/** Key of one WAL entry. */
export function walKey(generation: NamespaceGeneration, sequence: SequenceNumber): ObjectKey {
  return objectKey(walPrefix(generation) + digits(sequence, NUMBER_DIGITS));
}

/** Key of the mark that a manifest covers the log up to an entry; see `log/coverage-marks.ts`. */
export function coverageKey(generation: NamespaceGeneration, upTo: SequenceNumber): ObjectKey {
  return objectKey(coveragePrefix(generation) + digits(upTo, NUMBER_DIGITS));
}

function coveragePrefix(generation: NamespaceGeneration): string {
  return `${generationPrefix(generation)}covered/`;
}

/** Start of the keys of a generation's manifest versions. */
export function manifestPrefix(generation: NamespaceGeneration): string {
  return `${generationPrefix(generation)}manifest/`;
}

/** Key of one manifest version. */
export function manifestKey(generation: NamespaceGeneration, version: number): ObjectKey {
  return objectKey(manifestPrefix(generation) + digits(version, NUMBER_DIGITS));
}

/** Start of the keys of a generation's segments. */
export function segmentPrefix(generation: NamespaceGeneration): string {
  return `${generationPrefix(generation)}segments/`;
}

/** Key of one segment. */
export function segmentKey(generation: NamespaceGeneration, id: SegmentId): ObjectKey {
  return objectKey(segmentPrefix(generation) + id);
}

/** Start of the keys of the pins on a generation's segments. */
export function pinPrefix(owner: NamespaceGeneration): string {
  return `${generationPrefix(owner)}pins/`;
}

/** Key of a pin on segments of `owner` that `by` shares; `nonce` tells it from others of `by`. */
export function pinKey(
  owner: NamespaceGeneration,
  by: NamespaceGeneration,
  nonce: string,
): ObjectKey {
  const number = digits(by.generation, GENERATION_DIGITS);
  return objectKey(`${pinPrefix(owner)}${by.name}${SUFFIX}/${number}/${nonce}`);
}

/** Reads who shares from a key that lies under `pinPrefix(owner)`; undefined for other names. */
export function parsePinKey(
  owner: NamespaceGeneration,
  key: string,
): NamespaceGeneration | undefined {
  const prefix = pinPrefix(owner);
  const parts = key.slice(prefix.length).split("/");
  return key.startsWith(prefix) && parts.length === 3
    ? parseGeneration(parts[0], parts[1])
    : undefined;
}

/** Start of the wait marks of a generation's log. */
export function waitMarkPrefix(generation: NamespaceGeneration): string {
  return `${generationPrefix(generation)}waiting/`;
}

/** Key of the mark that a writer of a generation's log waits for its turn. */
export function waitMarkKey(generation: NamespaceGeneration, writer: string): ObjectKey {
  return objectKey(waitMarkPrefix(generation) + writer);
}

/** Reads the writer from a key that lies under `waitMarkPrefix(generation)`; undefined for others. */
export function parseWaitMark(generation: NamespaceGeneration, key: string): string | undefined {
  const prefix = waitMarkPrefix(generation);
  const writer = key.slice(prefix.length);
  return key.startsWith(prefix) && WRITER_ID.test(writer) ? writer : undefined;
}

/** Start of the checkpoints of all generations of a namespace. Ends in `/`. */
export function checkpointsPrefix(name: NamespaceName): string {
  return `${CHECKPOINTS_PREFIX}${name}${SUFFIX}/`;
}

/** Start of the checkpoints of one generation. Ends in `/`. */
export function generationCheckpointsPrefix(of: NamespaceGeneration): string {
  return `${checkpointsPrefix(of.name)}${digits(of.generation, GENERATION_DIGITS)}/`;
}

/** Key of a checkpoint; `point` says of what and for how long. */
export function checkpointKey(of: NamespaceGeneration, name: string, point: string): ObjectKey {
  return objectKey(`${generationCheckpointsPrefix(of)}${name}/${point}`);
}

/** The parts of a checkpoint's key; undefined for anything else. */
export function parseCheckpointKey(
  key: string,
): { readonly of: NamespaceGeneration; readonly name: string; readonly point: string } | undefined {
  const [space, directory, number, name, point, ...more] = key.split("/");
  const of = parseGeneration(directory, number);
  if (`${space}/` !== CHECKPOINTS_PREFIX || of === undefined || more.length > 0) return undefined;
  return name === undefined || point === undefined ? undefined : { of, name, point };
}

/** Start of the claims of a checkpoint's name. Ends in `/`. */
export function checkpointClaimsPrefix(name: NamespaceName, checkpoint: string): string {
  return `${checkpointsPrefix(name)}names/${checkpoint}/`;
}

/** Key of a claim of a checkpoint's name. */
export function checkpointClaimKey(
  name: NamespaceName,
  checkpoint: string,
  number: number,
): ObjectKey {
  const digitsOfNumber = digits(number, NUMBER_DIGITS);
  return objectKey(`${checkpointClaimsPrefix(name, checkpoint)}${digitsOfNumber}`);
}

/** The number of a claim's key; undefined for anything else. */
export function parseCheckpointClaim(
  name: NamespaceName,
  checkpoint: string,
  key: string,
): number | undefined {
  return parseBelow(checkpointClaimsPrefix(name, checkpoint), key);
}

/** Start of the keys of what a restore has put to read it itself. */
export function restorePrefix(generation: NamespaceGeneration): string {
  return `${generationPrefix(generation)}restore/`;
}

/** Key of the object with this number in a restore's list. */
export function restoreKey(generation: NamespaceGeneration, number: number): ObjectKey {
  return objectKey(restorePrefix(generation) + digits(number, NUMBER_DIGITS));
}

/**
 * Tells whether a key is that of a segment or of a segment's tombstones. Their names are drawn at
 * random, so that no such object is ever put twice with different bytes.
 */
export function isSegmentObject(key: ObjectKey): boolean {
  return SEGMENT_OBJECT.test(key);
}

/** Tells whether a key is that of a segment's tombstones. */
export function isTombstoneObject(key: ObjectKey): boolean {
  return isSegmentObject(key) && TOMBSTONES.test(key);
}

/** The generation under whose prefix a segment's object lies; of a key that `segmentKey` made. */
export function ownerOf(key: ObjectKey): NamespaceGeneration {
  const [space, directory, number, kind] = key.split("/");
  const owner = parseGeneration(directory, number);
  assert(`${space}/` === NAMESPACES_PREFIX && kind === "segments", `${key} is no segment`);
  assert(owner !== undefined, `${key} is no segment`);
  return owner;
}

/** Tells whether a segment belongs to another generation than the one that has it. */
export function isShared(key: ObjectKey, by: NamespaceGeneration): boolean {
  const { name, generation } = ownerOf(key);
  return name !== by.name || generation !== by.generation;
}

/** Key of the mark that a generation is to be deleted: written first, so no crash undoes it. */
export function deletingKey(generation: NamespaceGeneration): ObjectKey {
  return objectKey(marker(DELETING_PREFIX, generation));
}

/**
 * Key of the mark that a generation is deleted; it stays, and so its number is never used again.
 */
export function deletedKey(generation: NamespaceGeneration): ObjectKey {
  return objectKey(marker(DELETED_PREFIX, generation));
}

/** Key of the hint that a generation's log is long enough to be indexed; it may be lost. */
export function dirtyKey(generation: NamespaceGeneration): ObjectKey {
  return objectKey(marker(DIRTY_PREFIX, generation));
}

/** Reads the key of a hint that a log is long; undefined for anything else. */
export function parseDirtyKey(key: string): NamespaceGeneration | undefined {
  return parseMarker(DIRTY_PREFIX, key);
}

/** Key of the mark of a store's format. */
export function formatKey(version: number): ObjectKey {
  return objectKey(`${FORMAT_PREFIX}v${version}`);
}

/** Reads the version of a format's mark; undefined for anything else. */
export function parseFormatKey(key: string): number | undefined {
  const parts = /^format\/v([1-9]\d{0,8})$/.exec(key);
  return parts === null ? undefined : Number(parts[1]);
}

/** Key of an API key. */
export function apiKeyKey(id: string): ObjectKey {
  return objectKey(`${API_KEYS_PREFIX}${id}/key`);
}

/** Key of the mark that an API key is revoked. */
export function keyRevocationKey(id: string): ObjectKey {
  return objectKey(`${API_KEYS_PREFIX}${id}/revoked`);
}

/** Key of the object that is put anew after each change of API keys. */
export const KEY_CHANGES_KEY = objectKey(`${API_KEYS_PREFIX}changes`);

/** Key of the object that says when API keys were last used. */
export const KEY_USES_KEY = objectKey(`${API_KEYS_PREFIX}uses`);

/** Which API key a key is of, and whether it is that key's revocation; undefined for others. */
export function parseApiKeyKey(
  key: string,
): { readonly id: string; readonly isRevocation: boolean } | undefined {
  const parts = /^keys\/([0-9a-f]{16})\/(key|revoked)$/.exec(key);
  return parts === null ? undefined : { id: parts[1], isRevocation: parts[2] === "revoked" };
}

/** Start of the marks of finished deletions of one namespace. Ends in `/`. */
export function deletedPrefix(name: NamespaceName): string {
  return `${DELETED_PREFIX}${name}${SUFFIX}/`;
}

/** Start of the deletion intents of one namespace. Ends in `/`. */
export function deletingPrefix(name: NamespaceName): string {
  return `${DELETING_PREFIX}${name}${SUFFIX}/`;
}

/** Reads `namespaces/<name>-table/`; undefined for anything else. */
export function parseNamespacePrefix(prefix: string): NamespaceName | undefined {
  const parts = prefix.split("/");
  if (parts.length !== 3 || parts[2] !== "") return undefined;
  return `${parts[0]}/` === NAMESPACES_PREFIX ? parseDirectory(parts[1]) : undefined;
}

/** Reads `namespaces/<name>-table/<generation>/`; undefined for anything else. */
export function parseGenerationPrefix(prefix: string): NamespaceGeneration | undefined {
  const parts = prefix.split("/");
  if (parts.length !== 4 || parts[3] !== "") return undefined;
  return `${parts[0]}/` === NAMESPACES_PREFIX ? parseGeneration(parts[1], parts[2]) : undefined;
}

/**
 * Reads the sequence number of a key that lies under `walPrefix(generation)`; undefined for other
 * names.
 */
export function parseWalKey(
  generation: NamespaceGeneration,
  key: string,
): SequenceNumber | undefined {
  const number = parseBelow(walPrefix(generation), key);
  return number === undefined ? undefined : sequenceNumber(number);
}

/** Reads the last entry that a coverage mark is about; undefined for other names. */
export function parseCoverageKey(
  generation: NamespaceGeneration,
  key: string,
): SequenceNumber | undefined {
  const number = parseBelow(coveragePrefix(generation), key);
  return number === undefined ? undefined : sequenceNumber(number);
}

/**
 * Reads the version of a key that lies under `manifestPrefix(generation)`; undefined for other
 * names.
 */
export function parseManifestKey(generation: NamespaceGeneration, key: string): number | undefined {
  return parseBelow(manifestPrefix(generation), key);
}

/** Reads the id of a key that lies under `segmentPrefix(generation)`; undefined for other names. */
export function parseSegmentKey(
  generation: NamespaceGeneration,
  key: string,
): SegmentId | undefined {
  const prefix = segmentPrefix(generation);
  const id = key.slice(prefix.length);
  return key.startsWith(prefix) && !id.includes("/") ? (id as SegmentId) : undefined;
}

/** Reads a deletion intent's key; undefined for anything else. */
export function parseDeletingKey(key: string): NamespaceGeneration | undefined {
  return parseMarker(DELETING_PREFIX, key);
}

/** Reads the key of the mark of a finished deletion; undefined for anything else. */
export function parseDeletedKey(key: string): NamespaceGeneration | undefined {
  return parseMarker(DELETED_PREFIX, key);
}

function marker(prefix: string, generation: NamespaceGeneration): string {
  return `${prefix}${generation.name}${SUFFIX}/${digits(generation.generation, GENERATION_DIGITS)}`;
}

function parseMarker(prefix: string, key: string): NamespaceGeneration | undefined {
  const parts = key.split("/");
  if (parts.length !== 3 || `${parts[0]}/` !== prefix) return undefined;
  return parseGeneration(parts[1], parts[2]);
}

function parseGeneration(
  directory: string | undefined,
  number: string | undefined,
): NamespaceGeneration | undefined {
  const name = parseDirectory(directory);
  const generationNumber = parseDigits(number, GENERATION_DIGITS);
  return name === undefined || generationNumber === undefined
    ? undefined
    : { name, generation: generationNumber };
}

function parseDirectory(directory: string | undefined): NamespaceName | undefined {
  if (!directory?.endsWith(SUFFIX)) return undefined;
  const name = directory.slice(0, -SUFFIX.length);
  return namespaceNameFault(name) === undefined ? namespaceName(name) : undefined;
}

function parseBelow(prefix: string, key: string): number | undefined {
  return key.startsWith(prefix) ? parseDigits(key.slice(prefix.length), NUMBER_DIGITS) : undefined;
}

function digits(value: number, count: number): string {
  const text = String(value).padStart(count, "0");
  const fits = Number.isSafeInteger(value) && value >= 0 && text.length === count;
  assert(fits, `${value} is no number of ${count} digits`);
  return text;
}

function parseDigits(text: string | undefined, count: number): number | undefined {
  if (text?.length !== count || !/^\d+$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
