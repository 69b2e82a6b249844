import type { AttributeType } from "../../../src/model/attribute-type.ts";
import type { Column } from "../../../src/model/columns.ts";
import type { VectorDataset } from "./datasets.ts";

/** Some vectors of a dataset as a column of their element type. */
export function datasetColumn(
  { dimensions, values }: VectorDataset,
  rows: readonly number[],
  type: AttributeType,
): Column {
  const count = rows.length;
  const vectorAt = (row: number) => values.subarray(row * dimensions, (row + 1) * dimensions);
  if (values instanceof Float32Array) {
    const taken = new Float32Array(count * dimensions);
    rows.forEach((row, o) => {
      taken.set(vectorAt(row), o * dimensions);
    });
    return { type, count, data: { kind: "f32", dimensions, values: taken } };
  }
  const taken = new Float16Array(count * dimensions);
  rows.forEach((row, o) => {
    taken.set(vectorAt(row), o * dimensions);
  });
  return { type, count, data: { kind: "f16", dimensions, values: new Uint16Array(taken.buffer) } };
}
