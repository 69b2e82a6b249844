/** Arrays of numbers of one size. */
type NumberArray =
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Int32Array
  | Float32Array
  | Float64Array;

/**
 * The array itself if it has room for `length` elements, else a copy of at least twice its length,
 * so that adding elements one by one takes linear time. Inner loops compare the length themselves
 * and call this only to grow.
 */
export function withRoom<A extends NumberArray>(array: A, length: number): A {
  if (length <= array.length) return array;
  const Same = array.constructor as new (length: number) => A;
  const larger = new Same(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}
