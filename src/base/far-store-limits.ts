/** Bounds of reading a far store in few rounds and only once, with unit and reason. */

const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;

/** Last entries of a log that an opening asks for before it knows which ones it needs. */
export const OPENING_ENTRIES_AHEAD_MAX = 64;
/** Pages of the listing that an opening begins with; a longer one is left, as it is not needed. */
export const OPENING_LIST_PAGES_MAX = 4;
/** Tombstones that an opening asks for before it knows which ones it needs. */
export const OPENING_TOMBSTONES_AHEAD_MAX = 64;
/** Bytes of each such object that are asked for; a larger one is read again where it is needed. */
export const OPENING_AHEAD_BYTES_MAX = 256 * KIB;
/** Bytes of entries that are replayed together: what their ids lead to is then read in one go. */
export const REPLAY_GROUP_BYTES_MAX = 1 * MIB;
/** Entries that are replayed together. */
export const REPLAY_GROUP_ENTRIES_MAX = 64;
/** Bytes of the disk cache's directory, unless a setting says otherwise; our choice. */
export const DISK_CACHE_BYTES_DEFAULT = 10 * GIB;
/** Least bytes of a disk cache: with fewer, what one query reads would not stay for the next. */
export const DISK_CACHE_BYTES_MIN = 64 * MIB;
/** Bytes that wait to be written to the disk cache before reads of the store wait for the disk. */
export const DISK_CACHE_PENDING_BYTES_MAX = 64 * MIB;
/** Files that a disk cache has open; the machine's calls wait for 4 threads, which others need. */
export const DISK_CACHE_FILES_MAX = 16;
/** How long a disk cache leaves its disk alone after it failed; a failing disk may be slow, too. */
export const DISK_CACHE_REST_MS = 30_000;
/** How stale the note of a cached region's last use may be: one small write in this time. */
export const DISK_CACHE_TOUCH_MS = 600_000;
/** Segments of which a reader remembers whether and how they are encrypted; 1 KiB each at most. */
export const OBJECT_HEADS_MAX = 4096;
