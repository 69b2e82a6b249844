import { isJsonNumbers, type JsonObject, type JsonValue } from "../../model/json-value.ts";
import { jsonText } from "../../wire/json/json-text.ts";

/**
 * Flattens the payload of the record `id` to attributes: `{"a": {"b": 1}}` becomes `a.b`. Arrays of
 * scalars stay arrays; all other arrays become their JSON as a text. Nulls are left out, since a
 * document without the attribute has null. A name in `taken` gets a `_` at its end. Throws if two
 * values get the same name.
 */
export function payloadAttributes(
  id: JsonValue,
  payload: JsonObject,
  taken: ReadonlySet<string>,
): [name: string, value: JsonValue][] {
  const attributes = [...payload].flatMap(([name, value]) => attributesOf(name, value, taken));
  const names = new Set<string>();
  for (const [name] of attributes) {
    if (!names.has(name)) names.add(name);
    else {
      throw new Error(
        `record ${jsonText(id)}: two values of its payload become the attribute ` +
          `${JSON.stringify(name)}; rename one of them at the source`,
      );
    }
  }
  return attributes;
}

function attributesOf(
  name: string,
  value: JsonValue,
  taken: ReadonlySet<string>,
): [string, JsonValue][] {
  if (value === null) return [];
  if (value instanceof Map) {
    return [...value].flatMap(([inner, part]) => attributesOf(`${name}.${inner}`, part, taken));
  }
  const attribute = taken.has(name) ? `${name}_` : name.replace(/^\$/, "_$");
  return [[attribute, isFlat(value) ? value : jsonText(value)]];
}

/** A scalar, or an array of scalars of one kind. */
function isFlat(value: JsonValue): boolean {
  if (!Array.isArray(value)) return true;
  const kinds = new Set(value.map((element) => kindOf(element)));
  return kinds.size <= 1 && !kinds.has("object");
}

function kindOf(value: JsonValue): string {
  if (value === null || typeof value === "object" || isJsonNumbers(value)) return "object";
  return typeof value === "bigint" ? "number" : typeof value;
}
