/** Scales a vector to a length, in place; one of zeros stays. */
export function scaleToLength(vector: Float32Array, length: number): void {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return;
  const scale = length / Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i] *= scale;
}
