/**
 * The versions of everything that is stored: the one place to change when bytes change. A layout
 * that older programs cannot read, or would change wrongly, gets the next number here, with the
 * store's; docs/format.md says what each version means. Layouts of segments have a table of their
 * own (`segment/format/segment-format.ts`).
 *
 * Version 1 of each layout is that of release 0.2.0. Development versions before it counted their
 * own versions; frames, encrypted objects and the store's mark began in another way then (ADR 70).
 */

/** Which versions of one kind of bytes are read; the newest is written. */
export interface FormatVersions {
  readonly oldest: number;
  readonly newest: number;
}

/** By what they are of. */
export const FORMAT_VERSIONS = {
  /** All of a store; a program that knows no such version leaves it alone. */
  store: { oldest: 1, newest: 1 },
  "WAL entry": { oldest: 1, newest: 1 },
  manifest: { oldest: 1, newest: 1 },
  /** Their frame; the content has a version of its own. */
  segment: { oldest: 1, newest: 1 },
  tombstones: { oldest: 1, newest: 1 },
  /** The index file of a backup. */
  backup: { oldest: 1, newest: 1 },
  /** The records of one request in a WAL entry. */
  batch: { oldest: 1, newest: 1 },
  /** Documents by column. */
  columns: { oldest: 1, newest: 1 },
  encryption: { oldest: 1, newest: 1 },
  "API key": { oldest: 1, newest: 1 },
  "key revocation": { oldest: 1, newest: 1 },
  "key changes": { oldest: 1, newest: 1 },
  "key uses": { oldest: 1, newest: 1 },
  /** Other versions are no fault there: the cache begins anew. */
  "disk cache": { oldest: 1, newest: 1 },
} as const satisfies Record<string, FormatVersions>;

/** The reason why bytes of a development version are refused, for errors of code `too_old`. */
export const DEVELOPMENT_FORMAT = "it was written by a development version before 0.2.0";

/** Names the versions that are read, for errors. */
export function readableVersions({ oldest, newest }: FormatVersions): string {
  return oldest === newest ? `${newest}` : `${oldest} to ${newest}`;
}
