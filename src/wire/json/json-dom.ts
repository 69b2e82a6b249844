import type { ExactElement, JsonNumbers, JsonObject, JsonValue } from "../../model/json-value.ts";
import type { JsonBuild } from "./json-build.ts";
import { ANY_FORM, type JsonForm } from "./json-form.ts";
import { JsonSkip } from "./json-skip.ts";
import { JSON_BYTE, type JsonTokens, startsNumber } from "./json-tokens.ts";

/** Arrays of numbers up to this length are plain arrays, so that small operands keep one form. */
const JSON_SHORT_ARRAY_MAX = 8;

/** The kind of a JSON value, as its first byte tells it. */
export type JsonKind = "null" | "boolean" | "string" | "number" | "array" | "object";

/**
 * Reads the next value, of whatever kind, as a whole: or, in a `build`, what its form knows of it,
 * within the bounds of the build.
 */
export function readJsonValue(
  tokens: JsonTokens,
  form: JsonForm = ANY_FORM,
  build?: JsonBuild,
): JsonValue {
  const byte = tokens.peek();
  switch (byte) {
    case JSON_BYTE.quote:
      return tokens.string();
    case JSON_BYTE.arrayStart:
      return readArray(tokens, form, build);
    case JSON_BYTE.objectStart:
      return readObject(tokens, form, build);
    case JSON_BYTE.t:
      tokens.literal("true");
      return true;
    case JSON_BYTE.f:
      tokens.literal("false");
      return false;
    case JSON_BYTE.n:
      tokens.literal("null");
      return null;
  }
  if (startsNumber(byte)) return readNumber(tokens);
  throw tokens.unexpected("expected a value");
}

function readNumber(tokens: JsonTokens): number | bigint {
  const start = tokens.window.at;
  const value = tokens.number();
  if (!tokens.numbers.integer) return value;
  return Number.isSafeInteger(value) ? BigInt(value) : BigInt(tokens.textFrom(start));
}

function readObject(tokens: JsonTokens, form: JsonForm, build?: JsonBuild): JsonObject {
  tokens.open(true);
  build?.addContainer(tokens);
  const members: JsonObject = new Map();
  for (;;) {
    const name = tokens.nextName();
    if (name === undefined) return members;
    const member = form.members === undefined ? (form.values ?? ANY_FORM) : form.members.get(name);
    if (member === undefined) {
      build?.unknown.note(name, form.members?.keys() ?? [], () => tokens.stack.path());
      new JsonSkip(tokens).step(Number.POSITIVE_INFINITY);
      continue;
    }
    if (members.has(name)) throw tokens.duplicate();
    build?.addMember(tokens, members.size, form);
    members.set(name, readJsonValue(tokens, member, build));
  }
}

function readArray(
  tokens: JsonTokens,
  form: JsonForm,
  build?: JsonBuild,
): JsonValue[] | JsonNumbers {
  tokens.open(false);
  build?.addContainer(tokens);
  const count = tokens.numberCount();
  if (count > JSON_SHORT_ARRAY_MAX) {
    build?.addNumbers(tokens, count, form);
    return readNumbers(tokens, count);
  }
  const elements: JsonValue[] = [];
  while (!tokens.closes(JSON_BYTE.arrayEnd)) {
    build?.addElement(tokens, form);
    elements.push(readJsonValue(tokens, form.next?.(elements), build));
  }
  return elements;
}

/** Reads the elements and the end of an array of `count` numbers. */
function readNumbers(tokens: JsonTokens, count: number): JsonNumbers {
  const values = new Float64Array(count);
  const { window, numbers } = tokens;
  const exact: ExactElement[] = [];
  let integers = true;
  for (let i = 0; !tokens.closes(JSON_BYTE.arrayEnd); i++) {
    if (!startsNumber(tokens.peek())) throw tokens.unexpected("expected a value");
    const start = window.at;
    const value = tokens.number();
    values[i] = value;
    if (!numbers.integer) integers = false;
    else if (!Number.isSafeInteger(value)) exact.push([i, BigInt(tokens.textFrom(start))]);
  }
  return { values, integers, exact: integers && exact.length > 0 ? exact : undefined };
}
