/** What is said of columns of Parquet and Arrow files whose values are not taken as they are. */

import type { AttributeType, ScalarKind } from "../../model/attribute-type.ts";
import { FileFault, type SourceColumn } from "./source-row.ts";

/** What a column's values become, or why they cannot be imported. */
export type ColumnForm = Omit<SourceColumn, "name">;

/** Digits behind the point of a decimal that is read. */
const DECIMAL_SCALE_MAX = 76;
/** Said of times that are finer than milliseconds. */
export const FINE_TIME_NOTE = "datetimes have milliseconds: what is finer is cut off";

/** The form of a column of scalars. */
export function scalarForm(of: ScalarKind, note?: string): ColumnForm {
  return { type: { kind: "scalar", of }, ...(note !== undefined && { note }) };
}

/** The form of a column of decimals with so many digits behind the point. */
export function decimalForm(scale: number): ColumnForm {
  if (Math.abs(scale) > DECIMAL_SCALE_MAX) {
    return foreignForm(`a decimal of scale ${scale}`, `at most ${DECIMAL_SCALE_MAX} is read`);
  }
  if (scale <= 0) return scalarForm("int");
  const note = "decimals become the nearest float64; as ids they must be integers";
  return { ...scalarForm("float", note), rounds: true };
}

/** The form of a column of lists of what has the form `element`. */
export function listForm(element: ColumnForm): ColumnForm {
  const { type, ...noted } = element;
  if (type === undefined) return element;
  if (type.kind === "scalar") return { type: { kind: "array", of: type.of }, ...noted };
  // Lists of lists of numbers are the vectors of one document; how long they are, rows tell.
  const isVectors = type.kind === "array" && type.of === "float";
  if (isVectors) return { type: VECTORS_OF_ANY_LENGTH, ...noted };
  return { fault: "lists of these cannot be stored: arrays have strings, numbers, bools or dates" };
}

/** Stands for `[][N]f32` until a row tells N. */
const VECTORS_OF_ANY_LENGTH: AttributeType = { kind: "multi_vector", dimensions: 0 };

/** The form of a column whose values have members of their own. */
export function nestedForm(kind: string, members: readonly string[]): ColumnForm {
  const named = members.length === 0 ? "" : ` {${members.slice(0, 4).join(", ")}}`;
  return {
    isNested: kind === "struct",
    fault:
      `a ${kind}${named} has no place in a document, which is flat: give its members columns ` +
      "of their own",
  };
}

/** Two columns of one name would be taken for one; in a nested file a member may have a dot. */
export function checkLeafNames(file: string, columns: readonly SourceColumn[]): void {
  const names = columns.map(({ name }) => name);
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice === undefined) return;
  throw new FileFault(`${file}: two columns are named ${JSON.stringify(twice)}; rename one`);
}

/** The form of a column that has no counterpart. */
export function foreignForm(kind: string, cure: string): ColumnForm {
  return { fault: `${kind} cannot be stored: ${cure}` };
}
