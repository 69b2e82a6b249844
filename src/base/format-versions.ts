/**
 * The versions of everything that is stored: the one place to change when bytes change. A layout
 * that older programs cannot read, or would change wrongly, gets the next number here, with the
 * store's; docs/format.md says what each version means. Layouts of segments have a table of their
 * own (`segment/format/segment-format.ts`).
 */

/** Which versions of one kind of bytes are read; the newest is written. */
export interface FormatVersions {
  readonly oldest: number;
  readonly newest: number;
}

/** By what they are of. */
export const FORMAT_VERSIONS = {
  /** All of a store; a program that knows no such version leaves it alone. */
  store: { oldest: 1, newest: 3 },
  "WAL entry": { oldest: 1, newest: 2 },
  manifest: { oldest: 1, newest: 2 },
  /** Their frame; the content has a version of its own. */
  segment: { oldest: 1, newest: 1 },
  /** Version 2 only where terms of deleted documents are counted; others are still written as 1. */
  tombstones: { oldest: 1, newest: 2 },
  /** The index file of a backup. */
  backup: { oldest: 1, newest: 1 },
  /** The records of one request in a WAL entry. */
  batch: { oldest: 1, newest: 1 },
  /** Documents by column. */
  columns: { oldest: 1, newest: 1 },
  /** Version 2 only where a context is bound to the key; others are still written as 1. */
  encryption: { oldest: 1, newest: 2 },
  "API key": { oldest: 1, newest: 1 },
  "key revocation": { oldest: 1, newest: 1 },
  "key changes": { oldest: 1, newest: 1 },
  "key uses": { oldest: 1, newest: 1 },
  /** Other versions are no fault there: the cache begins anew. */
  "disk cache": { oldest: 1, newest: 1 },
} as const satisfies Record<string, FormatVersions>;
