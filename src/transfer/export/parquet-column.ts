/** Attributes as Parquet columns: how each type is declared, and its values from their JSON. */

import type { SchemaElement } from "hyparquet";
import { type AttributeType, parseAttributeType } from "../../model/attribute-type.ts";
import { parseDatetime } from "../../model/datetime.ts";
import { scanArray } from "../../wire/json/scan-object.ts";

/** A column of a Parquet file. */
export interface ParquetColumn {
  readonly name: string;
  /** Its elements in the file's schema, outermost first. */
  readonly elements: readonly SchemaElement[];
  /** Numbers that no compression makes shorter. */
  readonly isDense: boolean;
  /** A value from its JSON; undefined for null. */
  readonly value: (json: string) => unknown;
}

/** The column of an attribute, `type` as schemas spell it. */
export function parquetColumn(name: string, type: string): ParquetColumn {
  const parsed = parseAttributeType(type);
  if (parsed === undefined) {
    throw new Error(`attribute ${name} has the type ${type}, which this version cannot export`);
  }
  const isDense = parsed.kind === "vector" || parsed.kind === "multi_vector";
  const value = valueParser(parsed);
  const orNull = (json: string) => (json === "null" ? undefined : value(json));
  return { name, elements: elementsOf(name, parsed), isDense, value: orNull };
}

function elementsOf(name: string, type: AttributeType): SchemaElement[] {
  switch (type.kind) {
    case "scalar":
      return [{ name, repetition_type: "OPTIONAL", ...leafOf(type.of) }];
    case "array":
      return listOf(name, [leafElement(type.of === "unknown" ? "string" : type.of)]);
    case "vector":
      return listOf(name, [leafElement("float32")]);
    case "multi_vector": {
      const [list, ...inner] = listOf("element", [leafElement("float32")]);
      return listOf(name, [{ ...list, repetition_type: "REQUIRED" }, ...inner]);
    }
    case "bytes":
      return [{ name, type: "BYTE_ARRAY", repetition_type: "OPTIONAL" }];
    case "sparse":
      return [{ name, repetition_type: "OPTIONAL", ...leafOf("string") }];
  }
}

/** The three levels by which Parquet tells null from empty. */
function listOf(name: string, element: readonly SchemaElement[]): SchemaElement[] {
  return [
    { name, repetition_type: "OPTIONAL", num_children: 1, converted_type: "LIST" },
    { name: "list", repetition_type: "REPEATED", num_children: 1 },
    ...element,
  ];
}

function leafElement(kind: LeafKind): SchemaElement {
  return { name: "element", repetition_type: "REQUIRED", ...leafOf(kind) };
}

type LeafKind = "string" | "int" | "uint" | "float" | "float32" | "uuid" | "datetime" | "bool";

function leafOf(kind: LeafKind): Pick<SchemaElement, "type" | "converted_type" | "logical_type"> {
  switch (kind) {
    case "int":
      return { type: "INT64" };
    case "uint":
      return { type: "INT64", converted_type: "UINT_64" };
    case "float":
      return { type: "DOUBLE" };
    case "float32":
      return { type: "FLOAT" };
    case "datetime":
      return { type: "INT64", converted_type: "TIMESTAMP_MILLIS" };
    case "bool":
      return { type: "BOOLEAN" };
    case "uuid": {
      const logical_type = { type: "UUID" } as const;
      return { type: "FIXED_LEN_BYTE_ARRAY", ...{ type_length: 16 }, logical_type };
    }
    case "string":
      return { type: "BYTE_ARRAY", converted_type: "UTF8" };
  }
}

function valueParser(type: AttributeType): (json: string) => unknown {
  switch (type.kind) {
    case "scalar":
      return scalarParser(type.of);
    case "array": {
      const scalar = scalarParser(type.of === "unknown" ? "string" : type.of);
      return (json) => elementTexts(json).map(scalar);
    }
    case "vector":
      return vectorOf;
    case "multi_vector":
      return (json) => elementTexts(json).map(vectorOf);
    case "bytes":
      return (json) => new Uint8Array(Buffer.from(JSON.parse(json) as string, "base64"));
    case "sparse":
      return (json) => json;
  }
}

function scalarParser(kind: Exclude<LeafKind, "float32">): (json: string) => unknown {
  switch (kind) {
    case "int":
    case "uint":
      return BigInt;
    case "float":
      return Number;
    case "datetime":
      return datetimeMs;
    case "bool":
      return (json) => json === "true";
    case "string":
    case "uuid":
      return (json) => JSON.parse(json) as string;
  }
}

/** JavaScript's own dates end with the year 275760, and attributes do not. */
function datetimeMs(json: string): bigint {
  const ms = parseDatetime(JSON.parse(json) as string);
  if (typeof ms === "string") throw new Error(`the datetime ${json} cannot be exported: ${ms}`);
  return ms;
}

/** The texts of the elements of a JSON array. */
function elementTexts(json: string): string[] {
  const bytes = Buffer.from(json);
  const elements = scanArray(bytes, 0) ?? [];
  return elements.map(({ start, end }) => bytes.toString("utf8", start, end));
}

/** A vector from base64 of float32, as exports ask for. */
function vectorOf(json: string): number[] {
  const bytes = Buffer.from(JSON.parse(json) as string, "base64");
  return Array.from({ length: bytes.length / 4 }, (_, i) => bytes.readFloatLE(4 * i));
}
