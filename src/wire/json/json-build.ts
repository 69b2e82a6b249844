import { type DatabaseError, invalid } from "../../base/errors.ts";
import type { JsonForm } from "./json-form.ts";
import { JSON_BYTE, type JsonTokens } from "./json-tokens.ts";
import type { UnknownMembers } from "./unknown-members.ts";

/** Arrays and objects of one body; our choice: four for each expression that it may have. */
export const JSON_CONTAINERS_MAX = 262_144;
/** Its values, but for those of lists that may be long; our choice: sixteen for each expression. */
export const JSON_VALUES_MAX = 1_048_576;

/** Elements of one list; our choice: an array of twice as many grows for 60 ms in one step. */
const JSON_LIST_ELEMENTS_MAX = 2_097_152;
/** Numbers of one array that is no list; our choice, far more than any such array has. */
const JSON_NUMBERS_MAX = 4096;
/** Bytes of JSON of one string, or name, of a request; our choice: each is handled in one step. */
export const JSON_STRING_BYTES_MAX = 1_048_576;

/**
 * What is built of one body, counted while it is read: a value costs many times the bytes that it
 * is written with, so that the length of the body is no bound.
 */
export class JsonBuild {
  readonly unknown: UnknownMembers;
  /** What was built so far. */
  containerCount = 0;
  valueCount = 0;

  constructor(unknown: UnknownMembers) {
    this.unknown = unknown;
  }

  /** Counts the array or object that was just opened. */
  addContainer(tokens: JsonTokens): void {
    if (this.containerCount === JSON_CONTAINERS_MAX) {
      throw tooMany(tokens, `a request may have at most ${JSON_CONTAINERS_MAX} arrays and objects`);
    }
    this.containerCount++;
  }

  /** Counts the member that comes next, of an object that has `size` already. */
  addMember(tokens: JsonTokens, size: number, { valuesMax }: JsonForm): void {
    if (size === valuesMax)
      throw tooMany(tokens, `an object here may have at most ${valuesMax} members`);
    this.#addValues(tokens, 1);
  }

  /** Counts the element that comes next, of an array that has `size` already. */
  addElement(tokens: JsonTokens, size: number, form: JsonForm): void {
    const { isList = false, elementsMax = JSON_LIST_ELEMENTS_MAX } = form;
    if (size === elementsMax) {
      throw tooMany(tokens, `an array here may have at most ${elementsMax} elements`);
    }
    if (!isList || takesMemory(tokens.peek())) this.#addValues(tokens, 1);
  }

  /** Counts the elements of an array of numbers, before they are read. */
  addNumbers(tokens: JsonTokens, count: number, { isList = false, numbersMax }: JsonForm): void {
    if (numbersMax !== undefined && count > numbersMax.count) {
      throw numbersMax.refuse(tokens.stack.path(), count);
    }
    if (isList) return;
    if (count > JSON_NUMBERS_MAX) {
      throw tooMany(tokens, `an array here may have at most ${JSON_NUMBERS_MAX} numbers`);
    }
    this.#addValues(tokens, count);
  }

  /** Bounds a string or a name that was read, of so many bytes of JSON. */
  checkString(tokens: JsonTokens, bytes: number, form: JsonForm): void {
    const bytesMax = this.stringBytesMax(form);
    if (bytes <= bytesMax) return;
    throw tooMany(tokens, `a string here may have at most ${bytesMax} bytes of JSON`);
  }

  /** Bytes of JSON that a string of a form may have. */
  stringBytesMax({ stringBytesMax = JSON_STRING_BYTES_MAX }: JsonForm): number {
    return stringBytesMax;
  }

  #addValues(tokens: JsonTokens, count: number): void {
    if (this.valueCount + count > JSON_VALUES_MAX) {
      throw tooMany(tokens, `a request may have at most ${JSON_VALUES_MAX} values`);
    }
    this.valueCount += count;
  }
}

/** Strings of a list take what they take in the body, or little more; literals next to nothing. */
function takesMemory(byte: number): boolean {
  return (
    byte !== JSON_BYTE.quote && byte !== JSON_BYTE.t && byte !== JSON_BYTE.f && byte !== JSON_BYTE.n
  );
}

function tooMany(tokens: JsonTokens, rule: string): DatabaseError {
  const where = tokens.where(tokens.window.at);
  return invalid(`💔 ${tokens.stack.path() || "the body"}: ${rule} ${where}`);
}
