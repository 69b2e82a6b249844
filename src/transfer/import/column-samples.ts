/** What a sample of the files, and what they declare, says of each column. */

import { formatAttributeType } from "../../model/attribute-type.ts";
import { scanObject } from "../../wire/json/scan-object.ts";
import type { SourceColumn, SourceRow } from "../read/source-row.ts";
import { ColumnSample } from "./infer-type.ts";
import { PlanFault } from "./plan-fault.ts";
import { kindOfJson, kindOfList, kindOfText, type ValueKind } from "./value-kinds.ts";

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
    for (const { content } of file.rows) {
      if (content.kind === "json") sampleJson(content.text, columnOf);
      else if (content.kind === "fault") continue;
      else {
        const { columns = [] } = file;
        for (const [i, { name }] of columns.entries()) {
          const column = columnOf(name);
          if (content.kind === "texts") column.sample.add(kindOfText(content.texts[i]));
          else column.sample.add(kindOfCell(content.values[i]));
          column.isText = content.kind === "texts";
        }
      }
    }
  }
  return known;
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

function sampleJson(text: Uint8Array, columnOf: (name: string) => SampledColumn): void {
  const members = scanObject(text);
  if (typeof members === "string") return; // It is rejected when it is imported.
  for (const { name, start, end } of members) {
    columnOf(name).sample.add(kindOfJson(Buffer.from(text.subarray(start, end)).toString()));
  }
}

function kindOfCell(value: unknown): ValueKind {
  switch (typeof value) {
    case "undefined":
      return { kind: "null" };
    case "boolean":
      return { kind: "bool" };
    case "number":
      return { kind: Number.isInteger(value) ? "int" : "float" };
    case "bigint":
      return { kind: "int" };
    case "string":
      return kindOfJson(JSON.stringify(value));
    default:
      return kindOfList(value as ArrayLike<unknown>);
  }
}

function quote(name: string): string {
  return JSON.stringify(name);
}
