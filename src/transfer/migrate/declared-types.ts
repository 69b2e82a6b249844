import { isJsonNumbers, type JsonObject, type JsonValue } from "../../model/json-value.ts";

/**
 * Types that must be declared, found in the first documents: numbers of which some have a fraction
 * are floats, which a first whole number would not show. All other types the server infers.
 */
export function declaredTypes(rows: readonly JsonObject[]): Record<string, string> {
  const types: Record<string, string> = {};
  for (const row of rows) {
    for (const [name, value] of row) {
      const type = name === "id" ? undefined : floatType(value);
      if (type !== undefined) types[name] = type;
    }
  }
  return types;
}

function floatType(value: JsonValue): string | undefined {
  if (typeof value === "number") return "float";
  if (isJsonNumbers(value)) return value.integers ? undefined : "[]float";
  const isFloats = Array.isArray(value) && value.some((element) => typeof element === "number");
  return isFloats ? "[]float" : undefined;
}
