import type { ExactElement, JsonNumbers, JsonObject, JsonValue } from "../../model/json-value.ts";
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
  const dom = new JsonDom(tokens, form, build);
  dom.step(Number.POSITIVE_INFINITY);
  return dom.value;
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

/** What `readJsonValue` does, in as many steps as the caller likes. All of the value must be there. */
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

  /** Reads on for about `bytes`, or looks at them; true once the value was read. */
  step(bytes: number): boolean {
    const { window } = this.#tokens;
    const end = window.at + bytes;
    do {
      if (this.#advance(end)) return true;
    } while (window.at < end && this.#scan === undefined);
    return false;
  }

  #advance(end: number): boolean {
    if (this.#skip !== undefined) {
      if (this.#skip.step(end - this.#tokens.window.at)) this.#skip = undefined;
      return false;
    }
    if (this.#scan !== undefined) {
      this.#countNumbers(this.#scan, this.#scan.at + end - this.#tokens.window.at);
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
    this.#hasBegun = true;
    return this.#begin(end);
  }

  /** Reads a scalar, or the bracket that opens a container. */
  #begin(end: number): boolean {
    const tokens = this.#tokens;
    const byte = tokens.peek();
    switch (byte) {
      case JSON_BYTE.quote:
        return this.#give(tokens.string());
      case JSON_BYTE.arrayStart:
        tokens.open(false);
        this.#build?.addContainer(tokens);
        this.#countNumbers({ at: tokens.window.at, count: 1 }, end);
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
    this.#build?.addElement(tokens, form);
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
  #readCount = 0;

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
