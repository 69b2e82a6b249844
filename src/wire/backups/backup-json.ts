/** Bodies of requests about backups and checkpoints. */

import { invalid } from "../../base/errors.ts";
import { oneStep, type Steps } from "../../base/steps.ts";
import {
  BACKUP_OBJECTS_MAX,
  type BackupObject,
  type BackupPoint,
  type RestoreRequest,
} from "../../model/backup.ts";
import type { JsonObject, JsonValue } from "../../model/json-value.ts";
import { readJsonBody } from "../json/json-body.ts";
import { ANY_FORM, objectForm } from "../json/json-form.ts";
import {
  arrayAt,
  booleanAt,
  countAt,
  missingMember,
  objectAt,
  present,
  stringAt,
} from "../json/json-shape.ts";
import { UnknownMembers } from "../json/unknown-members.ts";

/** The body that begins a backup. */
export const BACKUP_FORM = objectForm({ namespace: ANY_FORM });
const OBJECT_FORM = objectForm({ key: ANY_FORM, bytes: ANY_FORM, sha256: ANY_FORM });
/** The body that begins a restore. */
export const RESTORE_FORM = objectForm({
  as: ANY_FORM,
  namespace: ANY_FORM,
  generation: ANY_FORM,
  manifest_version: ANY_FORM,
  sequence: ANY_FORM,
  has_import: ANY_FORM,
  objects: { isList: true, next: () => OBJECT_FORM },
});
/** The body that makes a checkpoint. */
export const CHECKPOINT_FORM = objectForm({ name: ANY_FORM, expires_in_seconds: ANY_FORM });
/** The body that restores one. */
export const CHECKPOINT_RESTORE_FORM = objectForm({ as: ANY_FORM });
const SHA256 = /^[0-9a-f]{64}$/;

/** Reads the body that begins a backup, in steps: the name of a namespace. */
export function parseBackupBody(body: Uint8Array, unknown = new UnknownMembers()): Steps<string> {
  const read = (root: JsonValue) => stringOf(objectAt("", root), "namespace");
  return readJsonBody(body, { form: BACKUP_FORM, unknown }, read);
}

/** Reads the body that begins a restore, in steps. */
export function parseRestoreBody(
  body: Uint8Array,
  unknown = new UnknownMembers(),
): Steps<RestoreRequest> {
  return readJsonBody(body, { form: RESTORE_FORM, unknown }, restoreOf);
}

/**
 * Reads, in steps, the body that makes a checkpoint: its name, and when it expires, if either is
 * given.
 */
export function parseCheckpointBody(
  body: Uint8Array,
  unknown = new UnknownMembers(),
): Steps<{ readonly name: string | undefined; readonly expiresInMs: number | undefined }> {
  const read = (value: JsonValue) => {
    const root = objectAt("", value);
    const name = present(root, "name");
    const seconds = present(root, "expires_in_seconds");
    const expiresIn = seconds === undefined ? undefined : countAt("expires_in_seconds", seconds);
    if (expiresIn === 0) throw invalid("💔 expires_in_seconds must be at least 1, got 0");
    return {
      name: name === undefined ? undefined : stringAt("name", name),
      expiresInMs: expiresIn === undefined ? undefined : expiresIn * 1000,
    };
  };
  if (body.length === 0) return oneStep(() => read(new Map<string, JsonValue>()));
  return readJsonBody(body, { form: CHECKPOINT_FORM, unknown }, read);
}

/** Reads, in steps, the body that restores a checkpoint: the name of the new namespace. */
export function parseCheckpointRestoreBody(
  body: Uint8Array,
  unknown = new UnknownMembers(),
): Steps<string> {
  const read = (root: JsonValue) => stringOf(objectAt("", root), "as");
  return readJsonBody(body, { form: CHECKPOINT_RESTORE_FORM, unknown }, read);
}

/** The members of a state, as answers and the index files of backups have them. */
export function pointJson(point: BackupPoint): Record<string, string | number | boolean> {
  return {
    namespace: point.namespace,
    generation: point.generation,
    manifest_version: point.manifestVersion,
    sequence: point.sequence,
    has_import: point.hasImport,
  };
}

function restoreOf(value: JsonValue): RestoreRequest {
  const root = objectAt("", value);
  const objects = arrayAt("objects", member(root, "objects"));
  if (objects.length > BACKUP_OBJECTS_MAX) {
    throw invalid(`💔 objects: ${objects.length} are given, at most ${BACKUP_OBJECTS_MAX} may be`);
  }
  const point = {
    namespace: stringOf(root, "namespace"),
    generation: countAt("generation", member(root, "generation")),
    manifestVersion: countAt("manifest_version", member(root, "manifest_version")),
    sequence: countAt("sequence", member(root, "sequence")),
    hasImport: booleanAt("has_import", member(root, "has_import")),
  };
  return { as: stringOf(root, "as"), point, objects: objects.map(objectOf) };
}

function objectOf(value: JsonValue, index: number): BackupObject {
  const path = `objects[${index}]`;
  const object = objectAt(path, value);
  const sha256 = stringOf(object, "sha256", path);
  if (!SHA256.test(sha256)) throw invalid(`💔 ${path}.sha256 must be 64 lower-case hex digits`);
  return {
    key: stringOf(object, "key", path),
    bytes: countAt(`${path}.bytes`, member(object, "bytes", path)),
    sha256,
  };
}

function stringOf(object: JsonObject, name: string, path = ""): string {
  return stringAt(path === "" ? name : `${path}.${name}`, member(object, name, path));
}

function member(object: JsonObject, name: string, path = ""): JsonValue {
  const value = object.get(name);
  if (value === undefined) throw missingMember(path, name);
  return value;
}
