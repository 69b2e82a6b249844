/**
 * Layout of a manifest: the payload of a frame (codec/frame.ts) of kind "manifest". Version 1:
 *
 *     offset  size  meaning
 *          0    16  nonce of the save that wrote it: tells one's own object from another's
 *         16    16  nonce of the version before; zeros in version 1
 *         32        the manifest as JSON in UTF-8, with the members of `Manifest`
 *
 * All its numbers are safe integers; wider ones in `state` must be strings.
 */

import { assert } from "../base/assert.ts";
import type { DatabaseError } from "../base/errors.ts";
import { namespaceNameFault } from "../base/ids.ts";
import { ByteReader } from "../codec/bytes.ts";
import { decodeFrame, encodeFrame } from "../codec/frame.ts";
import { manifestKey, type NamespaceGeneration } from "../storage/object-keys.ts";
import {
  type Manifest,
  type ManifestSegment,
  manifestFault,
  type SegmentHome,
} from "./manifest.ts";

/** Length of the nonce of a save. */
export const MANIFEST_NONCE_BYTES = 16;

const VERSION = 1;

/** A manifest as stored. */
export interface StoredManifest {
  readonly manifest: Manifest;
  readonly nonce: Uint8Array;
  /** Nonce of the version that this one was made from. */
  readonly previousNonce: Uint8Array;
}

/** Encodes a manifest as the object at its key. A `state` that JSON cannot hold exactly is a bug. */
export function encodeManifest(
  stored: StoredManifest,
  at: NamespaceGeneration,
): Promise<Uint8Array> {
  const { manifest, nonce, previousNonce } = stored;
  const fault = manifestFault(manifest);
  assert(fault === undefined, `manifest ${manifest.version}: ${fault}`);
  assert(nonce.length === MANIFEST_NONCE_BYTES, `nonce of ${nonce.length} bytes`);
  assert(previousNonce.length === MANIFEST_NONCE_BYTES, "no nonce of the version before");
  const json = new TextEncoder().encode(JSON.stringify(manifest, exactValue));
  return encodeFrame({
    kind: "manifest",
    object: manifestKey(at, manifest.version),
    version: VERSION,
    parts: [nonce, previousNonce, json],
    compression: "if smaller",
  });
}

/**
 * Decodes the object read at `manifestKey(at, version)`. Throws `corrupt`, `too_new` or `too_old`,
 * naming the key.
 */
export async function decodeManifest(
  object: Uint8Array,
  at: NamespaceGeneration,
  version: number,
): Promise<StoredManifest> {
  const key = manifestKey(at, version);
  const expected = { kind: "manifest", object: key, oldest: VERSION, newest: VERSION } as const;
  const { payload } = await decodeFrame(object, expected);
  const reader = new ByteReader(payload, key);
  const nonce = reader.raw(MANIFEST_NONCE_BYTES);
  const previousNonce = reader.raw(MANIFEST_NONCE_BYTES);
  const text = Buffer.from(reader.raw(reader.remaining)).toString("utf8");
  const manifest = parseManifest(text, (what) => reader.fault(what));
  if (manifest.version !== version || manifest.generation !== at.generation) {
    const holds = `version ${manifest.version} of generation ${manifest.generation}`;
    throw reader.fault(`it holds ${holds}`);
  }
  return { manifest, nonce, previousNonce };
}

function parseManifest(text: string, fault: (what: string) => DatabaseError): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw fault("its payload is no JSON");
  }
  if (!isManifest(value)) throw fault("a member is missing or of a wrong type");
  const broken = manifestFault(value);
  if (broken !== undefined) throw fault(broken);
  return value;
}

const NUMBER_MEMBERS = [
  "version",
  "generation",
  "indexedUpTo",
  "createdAtMs",
  "updatedAtMs",
  "lastWriteAtMs",
];

function isManifest(value: unknown): value is Manifest {
  if (!isRecord(value) || !("state" in value)) return false;
  const { segments } = value;
  const hasNumbers = NUMBER_MEMBERS.every((name) => typeof value[name] === "number");
  return hasNumbers && Array.isArray(segments) && segments.every(isManifestSegment);
}

/** Tells whether a value that came from JSON has the members of a segment of a manifest. */
export function isManifestSegment(value: unknown): value is ManifestSegment {
  if (!isRecord(value)) return false;
  const { id, tombstoneObject, head, home, indexMark } = value;
  const counts = ["documentCount", "bytes", "deletedCount"];
  return (
    typeof id === "string" &&
    typeof head === "string" &&
    (indexMark === undefined || typeof indexMark === "string") &&
    (tombstoneObject === undefined || typeof tombstoneObject === "string") &&
    (home === undefined || isHome(home)) &&
    counts.every((name) => typeof value[name] === "number")
  );
}

function isHome(value: unknown): value is SegmentHome {
  if (!isRecord(value)) return false;
  const { name, generation } = value;
  const isNamed = typeof name === "string" && namespaceNameFault(name) === undefined;
  return isNamed && Number.isSafeInteger(generation);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Refuses what JSON would change in silence. */
function exactValue(name: string, value: unknown): unknown {
  const lost =
    value === undefined ||
    typeof value === "bigint" ||
    typeof value === "function" ||
    (typeof value === "number" && !isExact(value));
  assert(!lost, `manifest member ${name} cannot be kept in JSON: ${String(value)}`);
  return value;
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}
