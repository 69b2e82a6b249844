/**
 * What the values of a write take of the heap, at about, from their JSON until they are committed:
 * the lists that are read, and the columns that are bound of them. Vectors' numbers and strings'
 * characters are not counted: they take no more than their JSON.
 */

/** A document's place in the list of an attribute, whether it has a value or not, and in a column. */
export const CELL_BYTES = 16;
/** A string beside its characters. */
export const STRING_BYTES = 32;
/** An array that is no vector, beside its elements. */
export const ARRAY_BYTES = 64;
/** An element of such an array. */
export const ELEMENT_BYTES = 32;
/** An object, beside its entries. */
export const OBJECT_BYTES = 256;
/** An entry of an object. */
export const ENTRY_BYTES = 64;
/** A vector that is a view of its own. */
export const VIEW_BYTES = 160;

/** Where the documents of a body are held. */
export interface BuiltMemory {
  /**
   * The body's documents take so many bytes now, beyond the bytes of the body itself. Throws if
   * there is no room for them.
   */
  hold(bytes: number): void;
  /**
   * Room for so many numbers of vectors until the write is over, of any content; undefined if they
   * are to lie where all else does.
   */
  vectors(count: number): Float32Array | undefined;
}

/** For bodies that are bounded by their length alone. */
export const UNBOUNDED_MEMORY: BuiltMemory = { hold: () => {}, vectors: () => undefined };
