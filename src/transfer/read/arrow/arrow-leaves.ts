/** Columns of Arrow tables, as they are declared or without nesting. */

import { type Batch, type DataType, type Field, type Table, Type } from "@uwdata/flechette";
import { cellJson, jsonCell } from "../cell-json.ts";
import { scalarForm } from "../column-faults.ts";
import type { SourceColumn } from "../source-row.ts";
import { batchCells, type CellAt, columnCells, rangeReader } from "./arrow-cells.ts";
import { arrowColumnForm } from "./arrow-column.ts";

/** A column as it is imported. */
export interface ArrowLeaf extends SourceColumn {
  /** Reads the column in a table of one batch. */
  readonly cells: (table: Table) => CellAt;
}

/** The columns of a table as they are declared. */
export function declaredLeaves(fields: readonly Field[]): ArrowLeaf[] {
  return fields.map(({ name, type }, i) => {
    const form = arrowColumnForm(type);
    // Columns that cannot be imported are not read.
    const isRead = form.fault === undefined;
    const cells = (table: Table) => (isRead ? columnCells(table.getChildAt(i)) : nothing);
    return { name, ...form, cells };
  });
}

/** The columns of a table with structs taken apart; lists of structs are their JSON. */
export function flatLeaves(fields: readonly Field[]): ArrowLeaf[] {
  return fields.flatMap((field, i) => leavesOf(field, { name: field.name, path: [i] }));
}

function leavesOf(
  { type }: Field,
  { name, path }: { readonly name: string; readonly path: readonly number[] },
): ArrowLeaf[] {
  if (type.typeId === Type.Struct) {
    return type.children.flatMap((child, i) =>
      leavesOf(child, { name: `${name}.${child.name}`, path: [...path, i] }),
    );
  }
  if (isListOfStructs(type)) {
    const cells = (table: Table) => pathCells(table, path, jsonCells);
    return [{ name, ...scalarForm("string"), cells }];
  }
  const form = arrowColumnForm(type);
  const isRead = form.fault === undefined;
  const cells = (table: Table) => (isRead ? pathCells(table, path, batchCells) : nothing);
  return [{ name, ...form, cells }];
}

type AnyBatch = Batch<unknown>;

/** Reads a member of structs, which is null where one of these is. */
function pathCells(
  table: Table,
  [first, ...path]: readonly number[],
  cellsOf: (batch: AnyBatch) => CellAt,
): CellAt {
  const [top] = table.getChildAt(first).data as readonly AnyBatch[];
  const structs: AnyBatch[] = [];
  let batch = top;
  for (const index of path) {
    structs.push(batch);
    batch = batch.children[index];
  }
  const cells = cellsOf(batch);
  return (index) => (structs.every((struct) => isThere(struct, index)) ? cells(index) : undefined);
}

function isThere(batch: AnyBatch, index: number): boolean {
  return batch.nullCount === 0 || !(batch.validity?.length > 0) || batch.isValid(index);
}

function isList(type: DataType): type is Extract<DataType, { readonly children: [Field] }> {
  const lists: readonly number[] = [
    Type.List,
    Type.LargeList,
    Type.ListView,
    Type.LargeListView,
    Type.FixedSizeList,
  ];
  return lists.includes(type.typeId);
}

function isListOfStructs(type: DataType): boolean {
  if (!isList(type)) return false;
  const [{ type: element }] = type.children;
  return element.typeId === Type.Struct || isListOfStructs(element);
}

function jsonCells(batch: AnyBatch): CellAt {
  const json = jsonReader(batch);
  return (index) => jsonCell(isThere(batch, index) ? index : undefined, (at) => json(at as number));
}

function jsonReader(batch: AnyBatch): (index: number) => string {
  const { type, children } = batch;
  const orNull = (json: (index: number) => string) => (index: number) =>
    isThere(batch, index) ? json(index) : "null";
  if (isList(type)) {
    const element = jsonReader(children[0]);
    const range = rangeReader(batch, type);
    return orNull((index) => {
      const { start, end } = range(index);
      const parts = Array.from({ length: Math.max(0, end - start) }, (_, i) => element(start + i));
      return `[${parts.join()}]`;
    });
  }
  if (type.typeId === Type.Struct) {
    const members = type.children.map(({ name }, i) => {
      return { name: JSON.stringify(name), json: jsonReader(children[i]) };
    });
    return orNull(
      (index) => `{${members.map(({ name, json }) => `${name}:${json(index)}`).join()}}`,
    );
  }
  const cells = batchCells(batch);
  return (index) => cellJson(cells(index));
}

function nothing(): undefined {
  return undefined;
}
