/** What a backup says of a namespace and its objects. Plain immutable data. */

/** A state of a namespace, as the store that it is of names it. */
export interface BackupPoint {
  readonly namespace: string;
  readonly generation: number;
  /** 0: there was no manifest. */
  readonly manifestVersion: number;
  /** The last entry of the log that belongs to it. */
  readonly sequence: number;
  /** The log after the manifest imports segments. */
  readonly hasImport: boolean;
}

/** An object of a state, as it is stored: encrypted ones stay so. */
export interface BackupObject {
  /** Its key in the store that it is of. */
  readonly key: string;
  readonly bytes: number;
  /** SHA-256 of the stored bytes, in hexadecimal digits. */
  readonly sha256: string;
}

/** A namespace to be made of a backup. */
export interface RestoreRequest {
  /** The name of the new namespace. */
  readonly as: string;
  readonly point: BackupPoint;
  readonly objects: readonly BackupObject[];
}

/** Bytes of an object that are sent at once, in either direction; our choice. */
export const BACKUP_PART_BYTES_MAX = 8 * 1024 * 1024;
/** Objects of one namespace in a backup: far above what the largest manifest names; our choice. */
export const BACKUP_OBJECTS_MAX = 100_000;
