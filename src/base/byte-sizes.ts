/** Units of bytes, and the bound of one stored object. */

/** Bytes of a kibibyte. */
export const KIB = 1024;
/** Bytes of a mebibyte. */
export const MIB = 1024 * KIB;
/** Bytes of a gibibyte. */
export const GIB = 1024 * MIB;
/** One object in the store; bounds what a reader must be ready to hold. */
export const OBJECT_BYTES_MAX = 1 * GIB;
