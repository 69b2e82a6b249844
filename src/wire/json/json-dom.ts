import type { ExactElement, JsonNumbers, JsonObject, JsonValue } from "../../model/json-value.ts";
import { NEED_MORE_BYTES, PAUSE_IN_TOKEN } from "./byte-window.ts";
import type { JsonBuild } from "./json-build.ts";
import { ANY_FORM, type JsonForm } from "./json-form.ts";
import { JsonSkip } from "./json-skip.ts";
import { JSON_BYTE, type JsonTokens, type NumberScan, startsNumber } from "./json-tokens.ts";

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
  return new JsonDom(tokens, form, build).all();
}

/** A container that is being read. */
interface OpenContainer {
  readonly form: JsonForm;
  /** Of an array. */
  readonly elements: JsonValue[] | undefined;
  /** Of an object. */
  readonly members: JsonObject;
  /** Of the member that is being read. */
  name: string;
}

/** Of arrays. */
const NO_MEMBERS: JsonObject = new Map();

/** Parses a value as `readJsonValue` does, in steps of any size; bytes may arrive between them. */
export class JsonDom {
  readonly #tokens: JsonTokens;
  readonly #build: JsonBuild | undefined;
  readonly #open: OpenContainer[] = [];
  /** Of the value that was begun last. */
  #form: JsonForm;
  #hasBegun = false;
  /** A member that is passed over. */
  #skip: JsonSkip | undefined;
  /** An array that may be one of numbers. */
  #scan: NumberScan | undefined;
  #numbers: NumbersReader | undefined;
  #value: JsonValue = null;

  /** The value is what `tokens` read next. */
  constructor(tokens: JsonTokens, form: JsonForm, build: JsonBuild | undefined) {
    this.#tokens = tokens;
    this.#form = form;
    this.#build = build;
  }

  /** What was read, after the last step. */
  get value(): JsonValue {
    return this.#value;
  }

  /** Reads all of it at once. */
  all(): JsonValue {
    while (!this.#advance(Number.POSITIVE_INFINITY));
    return this.#value;
  }

  /**
   * Reads or skips about `bytes`; true once the value is read. If the bytes received so far end
   * inside a token, or the token is long, the step ends before it. If that is the first token of
   * the step, the signal is thrown.
   */
  step(bytes: number): boolean {
    const { window, stack } = this.#tokens;
    const first = window.at;
    const end = first + bytes;
    const build = this.#build;
    let at = first;
    let depth = 0;
    let count = 0;
    let containers = 0;
    let values = 0;
    try {
      do {
        at = window.at;
        depth = stack.depth;
        count = depth > 0 ? stack.count : 0;
        if (build !== undefined) {
          containers = build.containerCount;
          values = build.valueCount;
        }
        if (this.#advance(end)) return true;
      } while (window.at < end && this.#scan === undefined);
    } catch (signal) {
      if (signal !== NEED_MORE_BYTES && signal !== PAUSE_IN_TOKEN) throw signal;
      // Undoes the incomplete token; the tokens before it stay.
      window.at = at;
      stack.depth = depth;
      if (depth > 0) stack.count = count;
      if (build !== undefined) {
        build.containerCount = containers;
        build.valueCount = values;
      }
      if (at === first) throw signal;
    }
    return false;
  }

  #advance(end: number): boolean {
    if (this.#skip !== undefined) {
      this.#passOver(this.#skip, end);
      return false;
    }
    if (this.#scan !== undefined) {
      this.#countNumbers(this.#scan, end + this.#scan.bytes);
      return false;
    }
    if (this.#numbers !== undefined) {
      if (!this.#numbers.step(end)) return false;
      const { value } = this.#numbers;
      this.#numbers = undefined;
      return this.#give(value);
    }
    const container = this.#open.at(-1);
    if (container !== undefined) return this.#goOn(container, end);
    if (this.#hasBegun) return true;
    const isWhole = this.#begin(end);
    this.#hasBegun = true;
    return isWhole;
  }

  /** Skips a member. It may have several containers; undoing restores the state of all of them. */
  #passOver(skip: JsonSkip, end: number): void {
    const { window, stack } = this.#tokens;
    stack.save();
    try {
      if (skip.step(end - window.at)) this.#skip = undefined;
    } catch (signal) {
      stack.restore();
      throw signal;
    }
  }

  /** Reads a scalar, or the bracket that opens a container. */
  #begin(end: number): boolean {
    const tokens = this.#tokens;
    const byte = tokens.peek();
    switch (byte) {
      case JSON_BYTE.quote:
        return this.#give(this.#string());
      case JSON_BYTE.arrayStart:
        tokens.open(false);
        this.#build?.addContainer(tokens);
        this.#countNumbers({ bytes: 0, count: 1 }, end);
        return false;
      case JSON_BYTE.objectStart:
        tokens.open(true);
        this.#build?.addContainer(tokens);
        this.#open.push({ form: this.#form, elements: undefined, members: new Map(), name: "" });
        return false;
      case JSON_BYTE.t:
        tokens.literal("true");
        return this.#give(true);
      case JSON_BYTE.f:
        tokens.literal("false");
        return this.#give(false);
      case JSON_BYTE.n:
        tokens.literal("null");
        return this.#give(null);
    }
    if (startsNumber(byte)) return this.#give(readNumber(tokens));
    throw tokens.unexpected("expected a value");
  }

  #string(): string {
    const tokens = this.#tokens;
    const { at } = tokens.window;
    const text = tokens.string(undefined, this.#build?.stringBytesMax(this.#form));
    this.#build?.checkString(tokens, tokens.window.at - at, this.#form);
    return text;
  }

  /** Finds out whether the array that was opened is one of numbers, as far as before `end`. */
  #countNumbers(scan: NumberScan, end: number): void {
    const tokens = this.#tokens;
    const count = tokens.countNumbers(scan, end);
    if (count === undefined) {
      this.#scan = scan;
      return;
    }
    this.#scan = undefined;
    if (count > JSON_SHORT_ARRAY_MAX) {
      this.#build?.addNumbers(tokens, count, this.#form);
      this.#numbers = new NumbersReader(tokens, count);
    } else {
      this.#open.push({ form: this.#form, elements: [], members: NO_MEMBERS, name: "" });
    }
  }

  /** Goes on inside a container: begins its next value, or ends it. */
  #goOn(container: OpenContainer, end: number): boolean {
    const tokens = this.#tokens;
    const { form, elements } = container;
    if (elements === undefined) return this.#goOnInObject(container, end);
    if (tokens.closes(JSON_BYTE.arrayEnd)) {
      this.#open.pop();
      return this.#give(elements);
    }
    this.#build?.addElement(tokens, elements.length, form);
    this.#form = form.next?.(elements) ?? ANY_FORM;
    return this.#begin(end);
  }

  #goOnInObject(container: OpenContainer, end: number): boolean {
    const tokens = this.#tokens;
    const { form, members } = container;
    const name = tokens.nextName();
    if (name === undefined) {
      this.#open.pop();
      return this.#give(members);
    }
    const member = form.members === undefined ? (form.values ?? ANY_FORM) : form.members.get(name);
    if (member === undefined) {
      this.#build?.unknown.note(name, form.members?.keys() ?? [], () => tokens.stack.path());
      this.#skip = new JsonSkip(tokens);
      return false;
    }
    if (members.has(name)) throw tokens.duplicate();
    this.#build?.addMember(tokens, members.size, form);
    container.name = name;
    this.#form = member;
    return this.#begin(end);
  }

  /** Puts a value that was read where it belongs; true if it is the whole. */
  #give(value: JsonValue): boolean {
    const container = this.#open.at(-1);
    if (container === undefined) {
      this.#value = value;
      return true;
    }
    if (container.elements === undefined) container.members.set(container.name, value);
    else container.elements.push(value);
    return false;
  }
}

/** Reads the elements and the end of an array of `count` numbers. */
class NumbersReader {
  readonly #tokens: JsonTokens;
  readonly #values: Float64Array;
  readonly #exact: ExactElement[] = [];
  #areIntegers = true;
  /** At the end of the last step that was not undone. */
  #readCount = 0;
  #exactCount = 0;

  constructor(tokens: JsonTokens, count: number) {
    this.#tokens = tokens;
    this.#values = new Float64Array(count);
  }

  get value(): JsonNumbers {
    const exact = this.#exact;
    const integers = this.#areIntegers;
    const hasExact = integers && exact.length > 0;
    return { values: this.#values, integers, exact: hasExact ? exact : undefined };
  }

  /** Reads on to about `end` of the window; true once the array has ended. */
  step(end: number): boolean {
    const tokens = this.#tokens;
    const { window, numbers } = tokens;
    const values = this.#values;
    this.#exact.length = this.#exactCount;
    let count = this.#readCount;
    let areIntegers = this.#areIntegers;
    let hasEnded = false;
    do {
      hasEnded = tokens.closes(JSON_BYTE.arrayEnd);
      if (hasEnded) break;
      if (!startsNumber(tokens.peek())) throw tokens.unexpected("expected a value");
      const start = window.at;
      const value = tokens.number();
      if (!numbers.integer) areIntegers = false;
      else if (!Number.isSafeInteger(value)) {
        this.#exact.push([count, BigInt(tokens.textFrom(start))]);
      }
      values[count++] = value;
    } while (window.at < end);
    this.#readCount = count;
    this.#exactCount = this.#exact.length;
    this.#areIntegers = areIntegers;
    return hasEnded;
  }
}

function readNumber(tokens: JsonTokens): number | bigint {
  const start = tokens.window.at;
  const value = tokens.number();
  if (!tokens.numbers.integer) return value;
  return Number.isSafeInteger(value) ? BigInt(value) : BigInt(tokens.textFrom(start));
}
