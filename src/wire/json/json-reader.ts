import { assert } from "../../base/assert.ts";
import { clip } from "../../base/bounded-text.ts";
import { KIB } from "../../base/byte-sizes.ts";
import { DatabaseError, malformed } from "../../base/errors.ts";
import type { Steps } from "../../base/steps.ts";
import { attributeNameTooLong, checkAttributeNameLength } from "../../model/attribute-name.ts";
import { ATTRIBUTE_NAME_CHARS_MAX } from "../../model/contract-limits.ts";
import type { JsonValue } from "../../model/json-value.ts";
import { NEED_MORE_BYTES, PAUSE_IN_TOKEN } from "./byte-window.ts";
import { JsonBuild } from "./json-build.ts";
import { JsonDom, type JsonKind, readJsonValue } from "./json-dom.ts";
import type { JsonForm } from "./json-form.ts";
import type { Float32Builder } from "./json-numbers.ts";
import { JsonSkip } from "./json-skip.ts";
import {
  JSON_BYTE,
  JsonTokens,
  type NameBound,
  type PartsBound,
  startsNumber,
} from "./json-tokens.ts";
import type { UnknownMembers } from "./unknown-members.ts";

/** Bytes of a value that are read between two pauses, in some ten nanoseconds each. */
const VALUE_STEP_BYTES = 16 * KIB;

/** Bounds of one reader. */
export interface JsonReaderOptions {
  /** Greatest stretch that one `attempt` may need at once; beyond it the body is `too_large`. */
  readonly stepBytesMax?: number;
  /** Steps of `attempt` pause inside of long tokens; see `isPaused`. */
  readonly mayPause?: boolean;
  /** Bytes of the body, if they are known: so much is taken for them at once. */
  readonly bodyBytes?: number;
}

/**
 * Reads JSON (RFC 8259, strict) from a body that may still be arriving: the caller pulls what it
 * expects, in the order in which it comes.
 *
 * Whole bodies: `push` once, `end`, pull, `finish`. Bodies that are arriving: pull only in steps
 * given to `attempt`, each as long as one element of the arrays that make a body large. When the
 * bytes run out, the step is undone and runs again once `push` says that it is worth while:
 *
 *     for await (const chunk of body) if (reader.push(chunk)) run();
 *     reader.end(); run();
 *     const run = () => { while (!done && reader.attempt(step)); };
 *
 * where `step` reads the next key, or the next element, or closes a container, and only then
 * changes the caller's state. Memory is bounded by the longest step, and the work is linear in the
 * body: a step runs again only when its bytes have doubled.
 *
 * Every fault of the syntax is `invalid`, every value of another kind than the caller asked for is
 * `malformed`; both name path, line and column.
 */
export class JsonReader {
  readonly #tokens: JsonTokens;
  readonly #stepBytesMax: number;
  /** Unread bytes from which on the interrupted step is tried again. */
  #resumeBytes = 0;
  #attempting = false;
  readonly #mayPause: boolean;
  #isPaused = false;

  constructor(options: JsonReaderOptions = {}) {
    this.#mayPause = options.mayPause ?? false;
    this.#tokens = new JsonTokens(options.bodyBytes);
    this.#stepBytesMax = options.stepBytesMax ?? Number.POSITIVE_INFINITY;
  }

  /** Takes the next bytes of the body (copied). True if an interrupted step should run again. */
  push(chunk: Uint8Array): boolean {
    assert(!this.#attempting, "bytes pushed inside a step");
    const { window } = this.#tokens;
    window.push(chunk);
    return window.limit - window.at >= this.#resumeBytes;
  }

  /** Says that the body is complete: from now on, running out of bytes is a fault. */
  end(): void {
    this.#tokens.window.ended = true;
  }

  /**
   * Runs `step`, which pulls from this reader. If the bytes received so far end inside it, the
   * reader goes back to where it was before and the result is false: the step runs again later, so
   * it must leave no trace before its last pull. Steps do not nest. `bytesMax` replaces
   * `stepBytesMax` for this step.
   */
  attempt(step: () => void, bytesMax = this.#stepBytesMax): boolean {
    assert(!this.#attempting, "a step inside a step");
    const { window, stack } = this.#tokens;
    const start = window.at;
    stack.save();
    this.#attempting = true;
    this.#isPaused = false;
    this.#tokens.mayPause = this.#mayPause;
    try {
      step();
      this.#resumeBytes = 0;
      this.#tokens.forgetLong();
      return true;
    } catch (signal) {
      if (signal === PAUSE_IN_TOKEN) {
        this.#isPaused = true;
        window.at = start;
        stack.restore();
      } else if (signal === NEED_MORE_BYTES) this.#undo(start, bytesMax);
      else throw signal;
      return false;
    } finally {
      this.#attempting = false;
      this.#tokens.mayPause = false;
    }
  }

  /** True if the last step was undone inside a long token: it is to run again, after a pause. */
  get isPaused(): boolean {
    return this.#isPaused;
  }

  /** `attempt` of a body that is all there, with pauses: runs `read` until it comes to its end. */
  *inSteps<T>(read: () => T): Steps<T> {
    let result: { readonly value: T } | undefined;
    for (;;) {
      this.attempt(() => {
        result = { value: read() };
      });
      if (result !== undefined) return result.value;
      yield;
    }
  }

  /** Bytes of the body up to the reading position. */
  get offset(): number {
    return this.#tokens.window.offset;
  }

  /** Path of the value being read or read last: `upsert_rows[17].vector[3]`; "" at the top. */
  path(): string {
    return this.#tokens.stack.path();
  }

  /** The words that name the position of the next value, which may be read on from there. */
  where(): string {
    this.#tokens.peek();
    return this.#tokens.where(this.#tokens.window.at);
  }

  /** Kind of the next value; reads only the space before it. */
  peekKind(): JsonKind {
    const byte = this.#tokens.peek();
    const kind = KINDS[byte];
    if (kind === undefined) throw this.#tokens.unexpected("expected a value");
    return kind;
  }

  /** Kind of the first element of the array that comes next; undefined if it is empty. */
  peekElementKind(): JsonKind | undefined {
    const { window } = this.#tokens;
    assert(this.#tokens.peek() === JSON_BYTE.arrayStart, "no array to peek into");
    const start = window.at++;
    const kind = this.#tokens.peek() === JSON_BYTE.arrayEnd ? undefined : this.peekKind();
    window.at = start;
    return kind;
  }

  /** Reads `{`. Then come a name and a value in turns, until the name is undefined. */
  beginObject(expected = "a map", hint?: string): void {
    this.#expect("object", expected, hint);
    this.#tokens.open(true);
  }

  /**
   * Reads the next member's name and colon, or `}`. Refuses a `known` name that the object has
   * already; the others are not kept, so one of them may be there twice.
   */
  nextKnownKey(known: { has(name: string): boolean }): string | undefined {
    const name = this.#tokens.nextName();
    if (name === undefined || !known.has(name)) return name;
    if (!this.#tokens.stack.addName(name)) throw this.#tokens.duplicate();
    return name;
  }

  /**
   * Reads the next member's name, where that is an attribute's. One that the object has already,
   * or that is too long, is refused (400), a very long one before its end has arrived.
   */
  nextAttributeName(): string | undefined {
    const name = this.#tokens.nextName(ATTRIBUTE_NAME_BOUND);
    if (name === undefined) return undefined;
    checkAttributeNameLength(name);
    if (!this.#tokens.stack.addName(name)) throw this.#tokens.duplicate();
    return name;
  }

  /** Reads `[`. Then come `nextElement` and a value in turns, until `nextElement` returns false. */
  beginArray(expected = "a sequence", hint?: string): void {
    this.#expect("array", expected, hint);
    this.#tokens.open(false);
  }

  /** Reads the comma before the next element, if there is one, or `]` and returns false. */
  nextElement(): boolean {
    return !this.#tokens.closes(JSON_BYTE.arrayEnd);
  }

  /** Reads a string. */
  readString(): string {
    this.#expect("string", "a string");
    return this.#tokens.string();
  }

  /**
   * The bytes up to the next quote inside the string that comes next, which stays unread: its text,
   * if that has no escape. They are not checked, and valid until the next `push`.
   */
  peekRawString(): Uint8Array {
    assert(this.#tokens.peek() === JSON_BYTE.quote, "no string to peek into");
    return this.#tokens.rawString();
  }

  /** Passes the string that `peekRawString` showed, whose bytes the caller found to be its text. */
  passRawString(raw: Uint8Array): void {
    this.#tokens.window.at += raw.length + 2;
  }

  /** Reads `true` or `false`. */
  readBoolean(): boolean {
    this.#expect("boolean", "a boolean");
    const value = this.#tokens.peek() === JSON_BYTE.t;
    this.#tokens.literal(value ? "true" : "false");
    return value;
  }

  /** Reads `null`. */
  readNull(): void {
    this.#expect("null", "null");
    this.#tokens.literal("null");
  }

  /** Reads a number of either syntax as the nearest float64. */
  readNumber(): number {
    this.#expect("number", "a number");
    return this.#tokens.number();
  }

  /**
   * Reads a number of either syntax, which `wasInteger` tells afterwards: an integer exactly, as a
   * bigint beyond ±(2^53 − 1), any other number as the nearest float64.
   */
  readNumeric(): number | bigint {
    this.#expect("number", "a number");
    const start = this.#tokens.window.at;
    const value = this.#tokens.number();
    if (!this.#tokens.numbers.integer) return value;
    // Adding 0 makes -0 plain 0, which is all that an integer can mean.
    return Number.isSafeInteger(value) ? value + 0 : BigInt(this.#tokens.textFrom(start));
  }

  /** Whether the number that was read last has neither fraction nor exponent. */
  get wasInteger(): boolean {
    return this.#tokens.numbers.integer;
  }

  /**
   * Reads an array of numbers, each rounded as `NumberScanner.scanFloat32` says, to the end of
   * `target`, and returns their count. After an interruption `target` holds some of them: a step
   * that calls this starts with `target.truncate`.
   */
  readNumbersInto(target: Float32Builder, bound = UNBOUNDED_NUMBERS): number {
    this.beginArray();
    const tokens = this.#tokens;
    const { numbers } = tokens;
    const before = target.length;
    while (!tokens.closes(JSON_BYTE.arrayEnd)) {
      if (!startsNumber(tokens.peek())) throw this.mismatch("a number");
      if (target.length - before === bound.countMax) throw bound.refuse(this.path());
      const value = numbers.scanFloat32();
      tokens.passNumber(value);
      target.push(value);
    }
    return target.length - before;
  }

  /**
   * Passes over a value of any kind; its syntax is checked, but not whether its objects have a name
   * twice.
   */
  skipValue(): void {
    this.beginSkip().step(Number.POSITIVE_INFINITY);
  }

  /** Passes over the value that comes next as `skipValue` does, but in steps for `attempt`. */
  beginSkip(): JsonSkip {
    return new JsonSkip(this.#tokens);
  }

  /** Reads a value of any kind as a whole; one with more parts than `bound` allows is refused. */
  readValue(bound?: PartsBound): JsonValue {
    if (bound === undefined) return readJsonValue(this.#tokens);
    return this.#tokens.withBound(bound, () => readJsonValue(this.#tokens));
  }

  /** Parts of the value that was read last within a bound, itself included if it has any. */
  get partsRead(): number {
    return this.#tokens.partsRead;
  }

  /**
   * Reads of a value of any kind what its form knows, within the bounds of `JsonBuild`, in steps;
   * unknown members are ignored and noted in `unknown`. The body is all there.
   */
  *readKnownInSteps(form: JsonForm, unknown: UnknownMembers): Steps<JsonValue> {
    const dom = this.beginKnown(form, unknown);
    let isEnd = false;
    for (;;) {
      // A pause undoes only the token that it occurs in.
      this.attempt(() => {
        isEnd = dom.step(VALUE_STEP_BYTES);
      });
      this.#tokens.window.countLines();
      if (isEnd) return dom.value;
      yield;
    }
  }

  /** Begins what `readKnownInSteps` does, in steps for `attempt`, while bytes still arrive. */
  beginKnown(form: JsonForm, unknown: UnknownMembers): JsonDom {
    return new JsonDom(this.#tokens, form, new JsonBuild(unknown));
  }

  /**
   * Counts the lines so far; to be called now and then, so that no call counts all lines at once.
   */
  countLines(): void {
    this.#tokens.window.countLines();
  }

  /** Makes sure that only space follows. Interrupted, like any pull, until `end` was called. */
  finish(): void {
    assert(this.#tokens.stack.depth === 0, "finished inside a container");
    this.#tokens.finish();
  }

  /** The error for the next value, which is not the `expected` kind of thing. */
  mismatch(expected: string, hint?: string): DatabaseError {
    const where = this.#tokens.where(this.#tokens.window.at);
    const path = this.path();
    const reason = `invalid type: ${this.describe()}, expected ${expected} ${where}`;
    return malformed(path, reason, hint);
  }

  /** The error for what was just read, which has the right kind but the wrong shape. */
  refuse(reason: string, hint?: string): DatabaseError {
    return malformed(this.path(), `${reason} ${this.#tokens.where(this.#tokens.window.at)}`, hint);
  }

  #expect(kind: JsonKind, expected: string, hint?: string): void {
    if (this.peekKind() !== kind) throw this.mismatch(expected, hint);
  }

  /** Names the next value as error messages do; scalars are read, and named with their value. */
  describe(): string {
    const kind = this.peekKind();
    if (kind === "object") return "map";
    if (kind === "array") return "sequence";
    const value = readJsonValue(this.#tokens);
    if (typeof value === "string") return `string ${JSON.stringify(clip(value))}`;
    if (typeof value === "bigint") return `integer \`${clip(String(value))}\``;
    if (typeof value === "number") return `floating point \`${value}\``;
    return value === null ? "null" : `boolean \`${value}\``;
  }

  #undo(start: number, bytesMax: number): void {
    const { window, stack } = this.#tokens;
    const unread = window.limit - start;
    if (unread >= bytesMax) {
      throw new DatabaseError(
        "too_large",
        `${this.path()}: a value of more than ${bytesMax} bytes of JSON`,
      );
    }
    window.at = start;
    stack.restore();
    this.#resumeBytes = Math.min(unread * 2, bytesMax);
  }
}

/**
 * Maximum length of an array of numbers, and the error for more; `path` is the path of the next
 * number.
 */
export interface NumbersBound {
  readonly countMax: number;
  readonly refuse: (path: string) => DatabaseError;
}

const UNBOUNDED_NUMBERS: NumbersBound = {
  countMax: Number.MAX_SAFE_INTEGER,
  refuse: (path) => malformed(path, "too many numbers"),
};

/** Reads `bytes` as one JSON value with nothing after it. */
export function parseJson(bytes: Uint8Array): JsonValue {
  const reader = new JsonReader();
  reader.push(bytes);
  reader.end();
  const value = reader.readValue();
  reader.finish();
  return value;
}

/** No longer name in JSON is short enough: a code point is escaped with at most twelve bytes. */
const ATTRIBUTE_NAME_BOUND: NameBound = {
  bytesMax: ATTRIBUTE_NAME_CHARS_MAX * 12,
  refuse: attributeNameTooLong,
};

/** Kind of a value by its first byte; all others are undefined. */
const KINDS: readonly (JsonKind | undefined)[] = Array.from({ length: 256 }, (_, byte) => {
  if (startsNumber(byte)) return "number";
  if (byte === JSON_BYTE.quote) return "string";
  if (byte === JSON_BYTE.arrayStart) return "array";
  if (byte === JSON_BYTE.objectStart) return "object";
  if (byte === JSON_BYTE.t || byte === JSON_BYTE.f) return "boolean";
  return byte === JSON_BYTE.n ? "null" : undefined;
});
