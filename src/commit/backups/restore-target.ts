/** What a restore is asked for, checked: nothing is put but where the keys of a namespace lead. */

import { clip } from "../../base/bounded-text.ts";
import { OBJECT_BYTES_MAX } from "../../base/byte-sizes.ts";
import { type DatabaseError, invalid } from "../../base/errors.ts";
import {
  type NamespaceName,
  namespaceName,
  namespaceNameFault,
  sequenceNumber,
} from "../../base/ids.ts";
import type { BackupObject, RestoreRequest } from "../../model/backup.ts";
import type { Point } from "../../namespace/checkpoints/checkpoint.ts";
import {
  isSegmentObject,
  isTombstoneObject,
  type NamespaceGeneration,
  ownerOf,
  parseManifestKey,
  parseSegmentKey,
  parseWalKey,
} from "../../storage/object-keys.ts";
import { isObjectKey, type ObjectKey } from "../../storage/object-store.ts";

/**
 * Generations have ten digits in keys. An owner that does not exist is ended, and the next life of
 * its name counts on from there: a tenth of the numbers leaves enough for those.
 */
const GENERATION_MAX = 999_999_999;
/** Encryption makes an object larger by a quarter of this share, and by 1 KiB. */
const STORED_BYTES_MAX = OBJECT_BYTES_MAX + OBJECT_BYTES_MAX / 1024;

/** One object that is to come. */
export interface RestoredObject extends BackupObject {
  readonly key: ObjectKey;
  /** It lies under the key itself, and not where only the restore reads it. */
  readonly isSegment: boolean;
}

/** A request in which all names are keys of what it restores. */
export interface RestorePlan {
  readonly as: NamespaceName;
  readonly of: NamespaceGeneration;
  readonly point: Point;
  readonly objects: readonly RestoredObject[];
  /** Under whose prefixes the segments lie. */
  readonly owners: readonly NamespaceGeneration[];
}

/** Checks a request. Throws `invalid`, naming what is wrong. */
export function planRestore({ as, point, objects }: RestoreRequest): RestorePlan {
  const name = nameAt("as", as);
  const { generation, manifestVersion, sequence, hasImport } = point;
  if (!(generation >= 1 && generation <= GENERATION_MAX)) {
    throw invalid(`💔 generation must be 1 to ${GENERATION_MAX}, got ${generation}`);
  }
  for (const [member, value] of Object.entries({ manifestVersion, sequence })) {
    if (!Number.isSafeInteger(value)) throw invalid(`💔 ${member} ${value} is too large`);
  }
  const of = { name: nameAt("namespace", point.namespace), generation };
  const checked = objects.map((object, index) => checkedObject(object, index, of));
  const owners = new Map<string, NamespaceGeneration>();
  for (const { key, isSegment } of checked) {
    if (!isSegment) continue;
    const owner = ownerOf(key);
    owners.set(`${owner.name}/${owner.generation}`, owner);
  }
  return {
    as: name,
    of,
    point: { manifestVersion, sequence: sequenceNumber(sequence), hasImport },
    objects: checked,
    owners: [...owners.values()],
  };
}

function nameAt(member: string, text: string): NamespaceName {
  const fault = namespaceNameFault(text);
  if (fault !== undefined) throw invalid(`💔 ${member}: ${fault}`);
  return namespaceName(text);
}

function checkedObject(
  object: BackupObject,
  index: number,
  of: NamespaceGeneration,
): RestoredObject {
  const { key, bytes } = object;
  if (!isObjectKey(key)) throw foreign(index, key);
  if (!(bytes >= 1 && bytes <= STORED_BYTES_MAX)) {
    throw invalid(`💔 objects[${index}].bytes must be 1 to ${STORED_BYTES_MAX}, got ${bytes}`);
  }
  const isSegment = isSegmentObject(key) && !isTombstoneObject(key);
  const isOwn =
    parseManifestKey(of, key) !== undefined ||
    parseWalKey(of, key) !== undefined ||
    (isTombstoneObject(key) && parseSegmentKey(of, key) !== undefined);
  if (!isSegment && !isOwn) throw foreign(index, key);
  if (isSegment && !(ownerOf(key).generation <= GENERATION_MAX)) throw foreign(index, key);
  return { ...object, key, isSegment };
}

function foreign(index: number, key: string): DatabaseError {
  return invalid(
    `💔 objects[${index}].key: '${clip(key)}' is no object of the namespace that is restored`,
  );
}
