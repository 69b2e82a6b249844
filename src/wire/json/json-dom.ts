import type { JsonNumbers, JsonObject, JsonValue } from "../../model/json-value.ts";
import { JSON_BYTE, type JsonTokens } from "./json-tokens.ts";

const FLOATS_MIN = 64;

/** Arrays of numbers up to this length are plain arrays, so that small operands keep one form. */
const JSON_SHORT_ARRAY_MAX = 8;

/** The kind of a JSON value, as its first byte tells it. */
export type JsonKind = "null" | "boolean" | "string" | "number" | "array" | "object";

/** Reads the next value, of whatever kind, as a whole. */
export function readJsonValue(tokens: JsonTokens): JsonValue {
  const byte = tokens.peek();
  switch (byte) {
    case JSON_BYTE.quote:
      return tokens.string();
    case JSON_BYTE.arrayStart:
      return readArray(tokens);
    case JSON_BYTE.objectStart:
      return readObject(tokens);
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
  throw tokens.fault("expected a value");
}

/** Whether a token that starts with `byte` is a number. */
export function startsNumber(byte: number): boolean {
  return byte === JSON_BYTE.minus || (byte >= JSON_BYTE.zero && byte <= JSON_BYTE.nine);
}

function readNumber(tokens: JsonTokens): number | bigint {
  const start = tokens.window.at;
  const value = tokens.number();
  if (!tokens.numbers.integer) return value;
  return Number.isSafeInteger(value) ? BigInt(value) : BigInt(tokens.textFrom(start));
}

function readObject(tokens: JsonTokens): JsonObject {
  tokens.open(true);
  const members: JsonObject = new Map();
  for (;;) {
    const name = tokens.nextName();
    if (name === undefined) return members;
    if (members.has(name)) throw tokens.duplicate();
    members.set(name, readJsonValue(tokens));
  }
}

function readArray(tokens: JsonTokens): JsonValue[] | JsonNumbers {
  const start = tokens.window.at;
  tokens.open(false);
  const first = tokens.peek();
  if (startsNumber(first)) {
    const numbers = readNumbers(tokens);
    if (numbers !== undefined) return numbers;
    // Short or mixed: read once more, each element in its own form. At most twice per array.
    tokens.stack.close();
    tokens.window.at = start;
    tokens.open(false);
  }
  const elements: JsonValue[] = [];
  while (!tokens.closes(JSON_BYTE.arrayEnd)) elements.push(readJsonValue(tokens));
  return elements;
}

/**
 * Reads the elements and the end of an array as numbers. If it turns out to be short or to hold
 * other things, returns undefined, having moved but with the array still open.
 */
function readNumbers(tokens: JsonTokens): JsonNumbers | undefined {
  const start = tokens.window.at;
  let floats = new Float64Array(FLOATS_MIN);
  let count = 0;
  let integers = true;
  let safe = true;
  for (;;) {
    if (!startsNumber(tokens.peek())) return undefined;
    tokens.stack.count++;
    const value = tokens.number();
    if (count === floats.length) floats = enlarged(floats);
    floats[count++] = value;
    if (!tokens.numbers.integer) integers = false;
    else if (!Number.isSafeInteger(value)) safe = false;

    const byte = tokens.peek();
    if (byte === JSON_BYTE.comma) {
      tokens.window.at++;
      continue;
    }
    if (byte !== JSON_BYTE.arrayEnd) throw tokens.fault("expected `,` or `]`");
    if (count <= JSON_SHORT_ARRAY_MAX) return undefined;
    const values = floats.slice(0, count);
    const exact = integers && !safe ? tokens.textFrom(start).split(",").map(BigInt) : undefined;
    tokens.window.at++;
    tokens.stack.close();
    return { values, integers, exact };
  }
}

function enlarged(floats: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(floats.length * 2);
  larger.set(floats);
  return larger;
}
