import { type DatabaseError, invalid } from "../../base/errors.ts";
import type { JsonForm } from "./json-form.ts";
import { JSON_BYTE, type JsonTokens } from "./json-tokens.ts";
import type { UnknownMembers } from "./unknown-members.ts";

/** Arrays and objects of one body; our choice: four for each expression that it may have. */
export const JSON_CONTAINERS_MAX = 262_144;
/** Its values, but for those of lists that may be long; our choice: sixteen for each expression. */
export const JSON_VALUES_MAX = 1_048_576;

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

  /** Counts the element that comes next. */
  addElement(tokens: JsonTokens, { isList = false }: JsonForm): void {
    if (!isList || takesMemory(tokens.peek())) this.#addValues(tokens, 1);
  }

  /** Counts the elements of an array of numbers, before they are read. */
  addNumbers(tokens: JsonTokens, count: number, { isList = false, numbersMax }: JsonForm): void {
    if (numbersMax !== undefined && count > numbersMax.count) {
      throw numbersMax.refuse(tokens.stack.path(), count);
    }
    if (!isList) this.#addValues(tokens, count);
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
  return invalid(`💔 ${tokens.stack.path()}: ${rule} ${where}`);
}
