/**
 * Layout of a manifest: the payload of a frame (codec/frame.ts) of kind "manifest". Version 1:
 *
 *     offset  size  meaning
 *          0    16  nonce of the save that wrote it: tells one's own object from another's
 *         16    16  nonce of the version before; zeros in version 1
 *         32        the manifest as JSON in UTF-8, with the members of `Manifest`: `state` as
 *                  manifest-state.ts says, `segments` as codec/segment-entry-codec.ts says
 *
 * All its integers are safe ones.
 */

import { assert } from "../base/assert.ts";
import { type DatabaseError, isDatabaseError } from "../base/errors.ts";
import { FORMAT_VERSIONS } from "../base/format-versions.ts";
import { ByteReader } from "../codec/bytes.ts";
import { decodeFrame, encodeFrame } from "../codec/frame.ts";
import { isSegmentEntry } from "../codec/segment-entry-codec.ts";
import { NONCE_BYTES } from "../storage/create-object.ts";
import type { NumberedFamily } from "../storage/numbered-objects.ts";
import {
  manifestKey,
  manifestPrefix,
  type NamespaceGeneration,
  parseManifestKey,
} from "../storage/object-keys.ts";
import { type Manifest, manifestFault } from "./manifest.ts";
import { decodeManifestState, encodeManifestState, type ManifestState } from "./manifest-state.ts";

const VERSIONS = FORMAT_VERSIONS.manifest;

/** A manifest as stored. */
export interface StoredManifest {
  readonly manifest: Manifest;
  readonly nonce: Uint8Array;
  /** Nonce of the version that this one was made from. */
  readonly previousNonce: Uint8Array;
}

/** Encodes a manifest as the object at its key. What JSON cannot hold exactly is a bug. */
export function encodeManifest(
  stored: StoredManifest,
  generation: NamespaceGeneration,
): Promise<Uint8Array> {
  const { manifest, nonce, previousNonce } = stored;
  const fault = manifestFault(manifest);
  assert(fault === undefined, `manifest ${manifest.version}: ${fault}`);
  assert(nonce.length === NONCE_BYTES, `nonce of ${nonce.length} bytes`);
  assert(previousNonce.length === NONCE_BYTES, "no nonce of the version before");
  const plain = { ...manifest, state: encodeManifestState(manifest.state) };
  const json = new TextEncoder().encode(JSON.stringify(plain, exactValue));
  return encodeFrame({
    kind: "manifest",
    object: manifestKey(generation, manifest.version),
    version: VERSIONS.newest,
    parts: [nonce, previousNonce, json],
    compression: "if smaller",
  });
}

/**
 * Decodes the object read at `manifestKey(generation, version)`. Throws `corrupt`, `too_new` or
 * `too_old`, naming the key.
 */
export async function decodeManifest(
  object: Uint8Array,
  generation: NamespaceGeneration,
  version: number,
): Promise<StoredManifest> {
  const key = manifestKey(generation, version);
  const expected = { kind: "manifest", object: key, ...VERSIONS } as const;
  const { payload } = await decodeFrame(object, expected);
  const reader = new ByteReader(payload, key);
  const nonce = reader.raw(NONCE_BYTES);
  const previousNonce = reader.raw(NONCE_BYTES);
  const text = Buffer.from(reader.raw(reader.remaining)).toString("utf8");
  const manifest = parseManifest(text, (what) => reader.fault(what));
  if (manifest.version !== version || manifest.generation !== generation.generation) {
    const holds = `version ${manifest.version} of generation ${manifest.generation}`;
    throw reader.fault(`it holds ${holds}`);
  }
  return { manifest, nonce, previousNonce };
}

/** The manifests of one namespace, by their versions. */
export function manifestFamily(generation: NamespaceGeneration): NumberedFamily<StoredManifest> {
  return {
    prefix: manifestPrefix(generation),
    keyOf: (number) => manifestKey(generation, number),
    numberOf: (key) => parseManifestKey(generation, key),
    decode: (object, number) => decodeManifest(object, generation, number),
  };
}

function parseManifest(text: string, fault: (what: string) => DatabaseError): Manifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw fault("its payload is no JSON");
  }
  if (!isPlainManifest(value)) throw fault("a member is missing or of a wrong type");
  const manifest = { ...value, state: parseState(value.state, fault) };
  const broken = manifestFault(manifest);
  if (broken !== undefined) throw fault(broken);
  return manifest;
}

function parseState(stored: unknown, fault: (what: string) => DatabaseError): ManifestState {
  try {
    return decodeManifestState(stored);
  } catch (error) {
    throw isDatabaseError(error, "corrupt") ? fault(error.message) : error;
  }
}

/** A manifest as it comes from JSON. */
type PlainManifest = Omit<Manifest, "state"> & { readonly state: unknown };

const NUMBER_MEMBERS = [
  "version",
  "generation",
  "indexedUpTo",
  "createdAtMs",
  "updatedAtMs",
  "lastWriteAtMs",
];

function isPlainManifest(value: unknown): value is PlainManifest {
  if (!isRecord(value) || !("state" in value)) return false;
  const { segments } = value;
  const hasNumbers = NUMBER_MEMBERS.every((name) => typeof value[name] === "number");
  return hasNumbers && Array.isArray(segments) && segments.every(isSegmentEntry);
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
