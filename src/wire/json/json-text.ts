import { isJsonNumbers, type JsonValue, jsonElements } from "../../model/json-value.ts";

/** Writes a JSON value such that reading it again gives the same one: integers stay exact. */
export function jsonText(value: JsonValue): string {
  if (typeof value === "bigint") return String(value);
  if (typeof value === "number") return floatText(value);
  if (value instanceof Map) {
    const members = [...value].map(
      ([name, member]) => `${JSON.stringify(name)}:${jsonText(member)}`,
    );
    return `{${members.join(",")}}`;
  }
  if (isJsonNumbers(value)) return `[${jsonElements(value).map(jsonText).join(",")}]`;
  if (Array.isArray(value)) return `[${value.map(jsonText).join(",")}]`;
  return JSON.stringify(value);
}

/** The syntax of a number says whether it is an integer, so a fraction must stay one. */
function floatText(value: number): string {
  const text = Object.is(value, -0) ? "-0" : String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}
