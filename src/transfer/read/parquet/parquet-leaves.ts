/** Columns of Parquet files without nesting: members of structs are columns with a dot. */

import type { SchemaTree } from "hyparquet";
import { cellJson, jsonCell } from "../cell-json.ts";
import { scalarForm } from "../column-faults.ts";
import type { CellValue, SourceColumn } from "../source-row.ts";
import { cellsOf } from "./parquet-cells.ts";
import { listElement, parquetColumnForm } from "./parquet-column.ts";

/** A column as it is imported. */
export interface ParquetLeaf extends SourceColumn {
  /** The column of the file that it is read with. */
  readonly top: SchemaTree;
  /** Turns a value of that column into a cell. */
  readonly cell: (value: unknown) => CellValue;
}

/** The columns of a file as they are declared. */
export function declaredLeaves(children: readonly SchemaTree[]): ParquetLeaf[] {
  return children.map((top) => {
    return { name: top.element.name, ...parquetColumnForm(top), top, cell: cellsOf(top) };
  });
}

/** The columns of a file with structs taken apart; lists of structs are their JSON. */
export function flatLeaves(children: readonly SchemaTree[]): ParquetLeaf[] {
  return children.flatMap((top) => leavesOf(top, { top, path: [top.element.name] }));
}

interface Place {
  readonly top: SchemaTree;
  /** Names from the file's column down. */
  readonly path: readonly string[];
}

function leavesOf(column: SchemaTree, { top, path }: Place): ParquetLeaf[] {
  if (isStruct(column)) {
    return column.children.flatMap((child) =>
      leavesOf(child, { top, path: [...path, child.element.name] }),
    );
  }
  const inner = path.slice(1);
  const name = path.join(".");
  if (isListOfStructs(column)) {
    const json = jsonOf(column);
    const cell = (value: unknown) => jsonCell(memberAt(value, inner), json);
    return [{ name, ...scalarForm("string"), top, cell }];
  }
  const cells = cellsOf(column);
  const cell = (value: unknown) => cells(memberAt(value, inner));
  return [{ name, ...parquetColumnForm(column), top, cell }];
}

function isStruct(column: SchemaTree): boolean {
  const { element, children } = column;
  const isMap = element.converted_type === "MAP" || element.logical_type?.type === "MAP";
  const isRepeated = element.repetition_type === "REPEATED";
  return children.length > 0 && !isMap && !isRepeated && listElement(column) === undefined;
}

function isListOfStructs(column: SchemaTree): boolean {
  const inner = column.children.length === 0 ? undefined : listElement(column);
  return inner !== undefined && (isStruct(inner) || isListOfStructs(inner));
}

function memberAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((inner, name) => {
    return (inner as Readonly<Record<string, unknown>> | null | undefined)?.[name];
  }, value);
}

function jsonOf(column: SchemaTree): (value: unknown) => string {
  const orNull = (json: (value: unknown) => string) => (value: unknown) =>
    value === null || value === undefined ? "null" : json(value);
  const inner = column.children.length === 0 ? undefined : listElement(column);
  if (inner !== undefined) {
    const element = jsonOf(inner);
    return orNull((value) => `[${Array.from(value as ArrayLike<unknown>, element).join()}]`);
  }
  if (isStruct(column)) {
    const members = column.children.map((child) => {
      return { name: child.element.name, json: jsonOf(child) };
    });
    return orNull((value) => {
      const parts = members.map(
        ({ name, json }) => `${JSON.stringify(name)}:${json(memberAt(value, [name]))}`,
      );
      return `{${parts.join()}}`;
    });
  }
  const cell = cellsOf(column);
  return orNull((value) => cellJson(cell(value)));
}
