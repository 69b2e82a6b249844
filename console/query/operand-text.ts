/** Operands of filters as people type them, to the values of requests and back. */

import type { ScalarKind } from "../../src/model/attribute-type.ts";
import { parseJsonText } from "./json-source.ts";
import { isList, type Json, numberOf } from "./json-value.ts";
import { JSON_DIALECT, printLiteral } from "./print-literal.ts";
import type { RequestAttribute } from "./request-schema.ts";

/** A value, or what is wrong with the text. */
export type Typed = { readonly value: Json } | { readonly problem: string };

/** Reads one value of the attribute's type, or of its elements. */
export function readValue(text: string, attribute: RequestAttribute): Typed {
  const kind = elementKind(attribute);
  if (kind === "string") return { value: text };
  const trimmed = text.trim();
  if (trimmed === "") return { problem: `type a value of type ${kind ?? attribute.typeText}` };
  if (kind === "int" || kind === "uint") {
    const pattern = kind === "uint" ? /^\d+$/ : /^-?\d+$/;
    if (pattern.test(trimmed)) return { value: numberOf(String(BigInt(trimmed))) };
    return { problem: `"${trimmed}" is no ${kind === "uint" ? "whole number from 0" : "integer"}` };
  }
  if (kind === "float") {
    const number = Number(trimmed);
    if (Number.isFinite(number)) return { value: number };
    return { problem: `"${trimmed}" is no number` };
  }
  if (kind === "bool") {
    if (trimmed === "true" || trimmed === "false") return { value: trimmed === "true" };
    return { problem: "type true or false" };
  }
  return { value: trimmed };
}

/** Reads several: a JSON array, or values with commas between them. */
export function readValues(text: string, attribute: RequestAttribute): Typed {
  const trimmed = text.trim();
  if (trimmed.startsWith("[")) {
    const value = parseJsonText(trimmed);
    if (isList(value)) return { value };
    return { problem: "this begins as a JSON array, but is none" };
  }
  if (trimmed === "") return { problem: "type one value or more, with commas between them" };
  const values: Json[] = [];
  for (const part of trimmed.split(",")) {
    const read = readValue(part.trim(), attribute);
    if ("problem" in read) return read;
    values.push(read.value);
  }
  return { value: values };
}

/** A value as `readValue` reads it. */
export function valueText(value: Json): string {
  return typeof value === "string" ? value : printLiteral(value, JSON_DIALECT);
}

/** Values as `readValues` reads them. */
export function valuesText(values: readonly Json[]): string {
  const isPlain = values.every((value) =>
    typeof value === "string"
      ? value !== "" && value.trim() === value && !/^\[|,/.test(value)
      : !isList(value),
  );
  if (isPlain && values.length > 0) return values.map(valueText).join(", ");
  return printLiteral(values, JSON_DIALECT);
}

/** The type of single values; undefined for those that cannot be compared. */
function elementKind({ type }: RequestAttribute): ScalarKind | undefined {
  if (type?.kind === "scalar") return type.of;
  return type?.kind === "array" && type.of !== "unknown" ? type.of : undefined;
}
