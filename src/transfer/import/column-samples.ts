/** What a sample of the files, and what they declare, says of each column. */

import { formatAttributeType } from "../../model/attribute-type.ts";
import { scanObject } from "../../wire/json/scan-object.ts";
import { DecimalCell } from "../read/decimal-cell.ts";
import { InvalidText } from "../read/decode-text.ts";
import type { CellValue, SourceColumn, SourceRow } from "../read/source-row.ts";
import { ColumnSample } from "./column-sample.ts";
import { PlanFault } from "./plan-fault.ts";
import {
  kindOfInteger,
  kindOfJson,
  kindOfList,
  kindOfString,
  kindOfText,
  type ValueKind,
} from "./value-kinds.ts";

/** The beginning of one file. */
export interface SampledFile {
  readonly name: string;
  /** Undefined where each row names its own members. */
  readonly columns: readonly SourceColumn[] | undefined;
  readonly rows: readonly SourceRow[];
}

/** A column as it is known before anything is decided of it. */
export interface SampledColumn {
  readonly sample: ColumnSample;
  /** What the file says of it. */
  declared: SourceColumn | undefined;
  /** Values are texts of a table. */
  isText: boolean;
}

/** All columns by name, in their order. Throws `PlanFault` where files contradict each other. */
export function sampleColumns(files: readonly SampledFile[]): Map<string, SampledColumn> {
  const known = new Map<string, SampledColumn>();
  const columnOf = (name: string): SampledColumn => {
    const found = known.get(name) ?? {
      sample: new ColumnSample(),
      declared: undefined,
      isText: false,
    };
    known.set(name, found);
    return found;
  };
  for (const file of files) {
    for (const column of file.columns ?? []) declare(columnOf(column.name), column, file.name);
    for (const row of file.rows) sampleRow(row, file, columnOf);
  }
  return known;
}

type ColumnOf = (name: string) => SampledColumn;

function sampleRow({ content, line }: SourceRow, file: SampledFile, columnOf: ColumnOf): void {
  const place = `${file.name.split(/[\\/]/).at(-1)}:${line}`;
  if (content.kind === "fault") return; // The row is rejected when it is imported.
  if (content.kind === "json") {
    sampleJson(content.text, place, columnOf);
    return;
  }
  for (const [i, { name }] of (file.columns ?? []).entries()) {
    const column = columnOf(name);
    column.isText = content.kind === "texts";
    if (content.kind === "texts") {
      const text = content.texts[i];
      column.sample.add(kindOfText(text), { place, text: text ?? "" });
    } else {
      const value = content.values[i];
      column.sample.add(kindOfCell(value), { place, text: exampleText(value) });
    }
  }
}

/** Files may declare a column of one name differently; integers and floats together are floats. */
function declare(column: SampledColumn, declared: SourceColumn, file: string): void {
  const before = column.declared;
  column.declared = declared;
  if (before?.type === undefined || declared.type === undefined) return;
  const spelled = [formatAttributeType(before.type), formatAttributeType(declared.type)];
  if (spelled[0] === spelled[1]) return;
  if (!spelled.every((type) => ["int", "uint", "float"].includes(type))) {
    throw new PlanFault(
      `column ${quote(declared.name)} is ${spelled[1]} in ${file} and ${spelled[0]} in a file ` +
        "before: import them one after the other, with another name for one of them",
      declared.name,
    );
  }
  column.declared = { ...declared, type: { kind: "scalar", of: "float" } };
}

function sampleJson(bytes: Uint8Array, place: string, columnOf: ColumnOf): void {
  const members = scanObject(bytes);
  if (typeof members === "string") return; // It is rejected when it is imported.
  for (const { name, start, end } of members) {
    const text = Buffer.from(bytes.subarray(start, end)).toString();
    columnOf(name).sample.add(kindOfJson(text), { place, text });
  }
}

function kindOfCell(value: CellValue): ValueKind {
  switch (typeof value) {
    case "undefined":
      return { kind: "null" };
    case "boolean":
      return { kind: "bool" };
    case "number":
      return { kind: Number.isInteger(value) ? "int" : "float" };
    case "bigint":
      return kindOfInteger(value);
    case "string":
      return kindOfString(value);
    default:
      if (value instanceof DecimalCell) return { kind: "float" };
      if (value instanceof InvalidText) return { kind: "broken" };
      return kindOfList(value as ArrayLike<unknown>);
  }
}

function exampleText(value: CellValue): string {
  if (value instanceof DecimalCell) return value.text;
  return typeof value === "object" ? "" : String(value);
}

function quote(name: string): string {
  return JSON.stringify(name);
}
