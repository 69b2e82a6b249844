/** Types of Parquet columns as attribute types; the table is in docs/import.md. */

import type { SchemaElement, SchemaTree } from "hyparquet";
import type { ColumnForm } from "../column-faults.ts";
import {
  decimalForm,
  FINE_TIME_NOTE,
  foreignForm,
  listForm,
  nestedForm,
  scalarForm,
} from "../column-faults.ts";

/** What the values of a column become. */
export function parquetColumnForm(column: SchemaTree): ColumnForm {
  const { element, children } = column;
  if (element.repetition_type === "REPEATED") return listForm(valueForm(column));
  if (children.length === 0) return leafForm(element);
  if (element.converted_type === "MAP" || element.logical_type?.type === "MAP") {
    return nestedForm("map", []);
  }
  const list = listElement(column);
  return list === undefined ? valueForm(column) : listForm(parquetColumnForm(list));
}

function valueForm({ element, children }: SchemaTree): ColumnForm {
  if (children.length === 0) return leafForm(element);
  return nestedForm(
    "struct",
    children.map((child) => child.element.name),
  );
}

/** The elements of a list in its three-level form; undefined if the column is none. */
export function listElement({ element, children }: SchemaTree): SchemaTree | undefined {
  const isList = element.converted_type === "LIST" || element.logical_type?.type === "LIST";
  const [repeated] = children;
  if (!isList || repeated?.element.repetition_type !== "REPEATED") return undefined;
  if (repeated.children.length === 1) return repeated.children[0];
  // The old two-level form, where the repeated element is the value itself.
  return { ...repeated, element: { ...repeated.element, repetition_type: "REQUIRED" } };
}

function leafForm(element: SchemaElement): ColumnForm {
  const { type, converted_type: converted, logical_type: logical } = element;
  if (isDecimal(element)) return decimalForm(scaleOf(element));
  if (converted?.startsWith("TIME_") || logical?.type === "TIME") {
    return foreignForm("a time of day", "make it a string or an integer");
  }
  if (converted === "BSON" || converted === "INTERVAL" || logical?.type === "INTERVAL") {
    return foreignForm(converted ?? "INTERVAL", "make it a string or an integer");
  }
  switch (type) {
    case "BOOLEAN":
      return scalarForm("bool");
    case "INT32":
    case "INT64":
      return integerForm(element);
    case "INT96":
      return scalarForm("datetime", FINE_TIME_NOTE);
    case "FLOAT":
    case "DOUBLE":
      return scalarForm("float");
    case "FIXED_LEN_BYTE_ARRAY":
      if (logical?.type === "UUID") return scalarForm("uuid");
      return logical?.type === "FLOAT16" ? scalarForm("float") : { type: { kind: "bytes" } };
    default:
      return isTextLeaf(element) ? scalarForm("string") : { type: { kind: "bytes" } };
  }
}

/** Returns true if a leaf has texts. */
export function isTextLeaf({ converted_type, logical_type }: SchemaElement): boolean {
  const logical = ["STRING", "ENUM", "JSON"].includes(logical_type?.type ?? "");
  return logical || ["UTF8", "ENUM", "JSON"].includes(converted_type ?? "");
}

/** Returns true if a leaf has decimals. */
export function isDecimal({ converted_type, logical_type }: SchemaElement): boolean {
  return converted_type === "DECIMAL" || logical_type?.type === "DECIMAL";
}

/** Digits behind the point of a leaf of decimals. */
export function scaleOf({ scale, logical_type: logical }: SchemaElement): number {
  return scale ?? (logical?.type === "DECIMAL" ? logical.scale : 0) ?? 0;
}

function integerForm({ converted_type: converted, logical_type: logical }: SchemaElement) {
  if (converted === "DATE" || logical?.type === "DATE") return scalarForm("datetime");
  if (converted === "TIMESTAMP_MILLIS") return scalarForm("datetime");
  if (converted === "TIMESTAMP_MICROS") return scalarForm("datetime", FINE_TIME_NOTE);
  if (logical?.type === "TIMESTAMP") {
    return scalarForm("datetime", logical.unit === "MILLIS" ? undefined : FINE_TIME_NOTE);
  }
  const isUnsigned =
    converted === "UINT_64" ||
    (logical?.type === "INTEGER" && logical.bitWidth === 64 && !logical.isSigned);
  return scalarForm(isUnsigned ? "uint" : "int");
}
