/** Lists of floats put together from the levels and values of Parquet's pages. */

import type { SchemaTree } from "hyparquet";
import type { CellValue } from "../source-row.ts";

/** Floats of a page or a row as they are stored. */
export type Floats = Float32Array | Float64Array;

/** A column of lists of floats, in the three-level form that writers agree on. */
export interface FloatListColumn {
  /** Names from the column down to its elements. */
  readonly path: readonly string[];
  readonly type: "FLOAT" | "DOUBLE";
  /** Definition level of a list without elements; below it the list is null. */
  readonly listLevel: number;
  /** Definition level of an element that is there. */
  readonly valueLevel: number;
}

/** One page. A level stands for each element, and for each list that has none. */
export interface FloatPage {
  /** 0 where a row begins, else 1. */
  readonly repetition: Uint8Array;
  /** Undefined where all elements are there, and no list is empty. */
  readonly definition: Uint8Array | undefined;
  /** The elements that are there. */
  readonly values: Floats;
}

/** Undefined for every other column: that is for the general reader. */
export function floatListColumn(column: SchemaTree): FloatListColumn | undefined {
  const [list] = column.children;
  const [element] = list?.children ?? [];
  const isList =
    column.element.converted_type === "LIST" &&
    column.element.repetition_type !== "REPEATED" &&
    column.children.length === 1 &&
    list.element.repetition_type === "REPEATED" &&
    list.children.length === 1;
  if (!isList || element.children.length > 0) return undefined;
  const { type, repetition_type, converted_type, logical_type } = element.element;
  const isPlain = converted_type === undefined && logical_type === undefined;
  if (!isPlain || repetition_type === "REPEATED") return undefined;
  if (type !== "FLOAT" && type !== "DOUBLE") return undefined;
  const listLevel = column.element.repetition_type === "OPTIONAL" ? 1 : 0;
  const valueLevel = listLevel + (repetition_type === "OPTIONAL" ? 2 : 1);
  return { path: element.path, type, listLevel, valueLevel };
}

/**
 * Gathers rows over pages. A list is a view of its page's values, so that none is copied; one that
 * has null elements, or goes on in the next page, is made anew.
 */
export class FloatLists {
  readonly #column: FloatListColumn;
  readonly #rows: CellValue[] = [];

  constructor(column: FloatListColumn) {
    this.#column = column;
  }

  /** The lists so far; undefined stands for null. */
  get rows(): CellValue[] {
    return this.#rows;
  }

  /** Takes the next page; false if it goes on with a row that is not there. */
  add(page: FloatPage): boolean {
    const { repetition, values } = page;
    let valueStart = 0;
    for (let start = 0; start < repetition.length; ) {
      const next = repetition.indexOf(0, start + 1);
      const end = next === -1 ? repetition.length : next;
      const valueEnd = valueStart + this.#valueCount(page, start, end);
      const list = this.#list(page, { start, end }, values.subarray(valueStart, valueEnd));
      if (repetition[start] === 0) this.#rows.push(list);
      else if (!this.#continueRow(list)) return false;
      start = end;
      valueStart = valueEnd;
    }
    return true;
  }

  #valueCount({ definition }: FloatPage, start: number, end: number): number {
    if (definition === undefined) return end - start;
    let count = 0;
    for (let i = start; i < end; i++) if (definition[i] === this.#column.valueLevel) count++;
    return count;
  }

  #list(
    { definition }: FloatPage,
    { start, end }: { readonly start: number; readonly end: number },
    values: Floats,
  ): CellValue {
    const { listLevel, valueLevel } = this.#column;
    if (definition === undefined || values.length === end - start) return values;
    if (definition[start] < listLevel) return undefined;
    if (definition[start] === listLevel) return values;
    let next = 0;
    // A null stands as it does in lists of the general reader.
    const elements = Array.from(definition.subarray(start, end), (level) =>
      level === valueLevel ? values[next++] : null,
    );
    return elements as unknown as CellValue;
  }

  #continueRow(list: CellValue): boolean {
    const last = this.#rows.pop();
    if (!isList(last) || !isList(list)) return false;
    const isFloats = last instanceof Float32Array && list instanceof Float32Array;
    if (isFloats) {
      const whole = new Float32Array(last.length + list.length);
      whole.set(last);
      whole.set(list, last.length);
      this.#rows.push(whole);
    } else {
      this.#rows.push([...(last as Iterable<CellValue>), ...(list as Iterable<CellValue>)]);
    }
    return true;
  }
}

function isList(value: CellValue): boolean {
  return typeof value === "object";
}
