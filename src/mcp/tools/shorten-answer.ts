/**
 * Answers in as many bytes as an assistant can use. What is left out is said, first of all, with
 * how to ask for less.
 */

import { clip } from "../../base/bounded-text.ts";
import { KIB, MIB } from "../../base/byte-sizes.ts";
import {
  isJsonNumbers,
  type JsonObject,
  type JsonValue,
  jsonElements,
} from "../../model/json-value.ts";
import { parseJson } from "../../wire/json/json-reader.ts";
import { jsonText } from "../../wire/json/json-text.ts";
import { ToolFault } from "./mcp-tool.ts";

/** Of a tool's result: some 10,000 tokens, from which on hosts of assistants warn or cut. */
export const RESULT_BYTES_MAX = 32 * KIB;
/** Of an answer of the server that is looked at, on the thread that serves all requests. */
export const ANSWER_BYTES_MAX = 4 * MIB;
/** An array of more numbers is a vector, of which a model can use nothing but that it is there. */
const NUMBERS_SHOWN_MAX = 16;
/** Of a vector, what is shown. */
const VECTOR_NUMBERS_SHOWN = 3;
/** Characters of each text that are shown once an answer is too large. */
const TEXT_CHARS_SHOWN = 1000;

/**
 * The answer as it is shown; `pick` leaves out what nobody reads. `advice` completes "To see the
 * rest, …". Throws `ToolFault` if it is too large to be looked at.
 */
export function shortenAnswer(
  body: Uint8Array,
  advice: string,
  pick: (answer: JsonValue) => JsonValue = (answer) => answer,
): string {
  if (body.byteLength > ANSWER_BYTES_MAX) {
    throw new ToolFault(
      `the answer has ${body.byteLength} bytes, at most ${ANSWER_BYTES_MAX} are looked at; ` +
        advice,
    );
  }
  const whole = withoutVectors(pick(parseJson(body)));
  const text = jsonText(whole);
  if (Buffer.byteLength(text) <= RESULT_BYTES_MAX) return text;
  return shortenedText(withShortTexts(whole), advice);
}

function shortenedText(value: JsonValue, advice: string): string {
  const cuts = new Map<string, ListCut>();
  let shown = value;
  for (;;) {
    const note = noteText(cuts, advice);
    const text = `${note}\n${jsonText(shown)}`;
    const bytesOver = Buffer.byteLength(text) - RESULT_BYTES_MAX;
    if (bytesOver <= 0) return text;
    const longest = longestOf(listsOf(shown));
    if (longest === undefined) return clipBytes(text);
    const kept = keptOf(longest.elements, bytesOver);
    shown = replaced(shown, longest.elements, longest.elements.slice(0, kept));
    const { total } = cuts.get(longest.path) ?? { total: longest.elements.length };
    cuts.set(longest.path, { kept, total });
  }
}

interface ListCut {
  readonly kept: number;
  readonly total: number;
}

function noteText(cuts: ReadonlyMap<string, ListCut>, advice: string): string {
  const lists = [...cuts].map(
    ([path, { kept, total }]) => `; ${kept} of ${total} ${path} are shown`,
  );
  return (
    `This answer was longer than ${RESULT_BYTES_MAX} bytes: texts longer than ` +
    `${TEXT_CHARS_SHOWN} characters are cut${lists.join("")}. To see the rest, ${advice}.`
  );
}

/** What is left where no list can be shortened any more. */
function clipBytes(text: string): string {
  const end = "… (the end is missing)";
  const bytes = Buffer.from(text).subarray(0, RESULT_BYTES_MAX - Buffer.byteLength(end));
  return bytes.toString().replace(/\ufffd$/, "") + end;
}

/** How many elements are left if so many bytes go; at least one goes. */
function keptOf(elements: readonly JsonValue[], bytesOver: number): number {
  let left = bytesOver;
  let kept = elements.length;
  // The note that says so takes bytes, too: another round drops what it needs.
  while (kept > 0 && left > 0) left -= sizeOf(elements[--kept]) + 1;
  return kept;
}

interface Place {
  readonly path: string;
  readonly elements: readonly JsonValue[];
  readonly bytes: number;
}

/** The longest list; of one that is long for a single list in it, that one. */
function longestOf(places: readonly Place[]): Place | undefined {
  const sorted = [...places].sort((a, b) => b.bytes - a.bytes);
  let [longest] = sorted;
  for (;;) {
    const { path, bytes } = longest ?? { path: "", bytes: 0 };
    const inner = sorted.find((place) => place.path.startsWith(`${path}[`));
    if (inner === undefined || inner.bytes <= bytes / 2) return longest;
    longest = inner;
  }
}

/** Lists at the top of an answer, and those of subqueries, that have elements. */
function listsOf(root: JsonValue): Place[] {
  const found: Place[] = [];
  const visit = (value: JsonValue, path: string, depth: number) => {
    if (value instanceof Map && depth > 0) {
      for (const [name, member] of value) {
        visit(member, path === "" ? name : `${path}.${name}`, depth - 1);
      }
    }
    if (!Array.isArray(value) || value.length === 0) return;
    found.push({ path: path || "the list", elements: value, bytes: sizeOf(value) });
    if (depth === 0) return;
    for (const [i, element] of value.entries()) visit(element, `${path}[${i}]`, depth - 1);
  };
  visit(root, "", LIST_DEPTH_MAX);
  return found;
}

/** `results[0].rows` is at this depth. */
const LIST_DEPTH_MAX = 3;

function replaced(value: JsonValue, from: readonly JsonValue[], to: JsonValue[]): JsonValue {
  if (value === from) return to;
  if (value instanceof Map) return mapMembers(value, (member) => replaced(member, from, to));
  return Array.isArray(value) ? value.map((element) => replaced(element, from, to)) : value;
}

function withoutVectors(value: JsonValue): JsonValue {
  const numbers = numbersOf(value);
  if (numbers !== undefined && numbers.length > NUMBERS_SHOWN_MAX) {
    const first = numbers.slice(0, VECTOR_NUMBERS_SHOWN).map(jsonText).join(", ");
    return `[${first}, … ${numbers.length} numbers]`;
  }
  if (value instanceof Map) return mapMembers(value, withoutVectors);
  return Array.isArray(value) ? value.map(withoutVectors) : value;
}

function numbersOf(value: JsonValue): readonly (number | bigint)[] | undefined {
  if (isJsonNumbers(value)) return jsonElements(value);
  if (!Array.isArray(value)) return undefined;
  return value.every(isNumber) ? (value as (number | bigint)[]) : undefined;
}

function isNumber(value: JsonValue): boolean {
  return typeof value === "number" || typeof value === "bigint";
}

function withShortTexts(value: JsonValue): JsonValue {
  if (typeof value === "string") {
    if (value.length <= TEXT_CHARS_SHOWN) return value;
    return `${clip(value, TEXT_CHARS_SHOWN)} (${value.length} characters)`;
  }
  if (value instanceof Map) return mapMembers(value, withShortTexts);
  return Array.isArray(value) ? value.map(withShortTexts) : value;
}

function mapMembers(object: JsonObject, change: (member: JsonValue) => JsonValue): JsonObject {
  return new Map([...object].map(([name, member]) => [name, change(member)]));
}

function sizeOf(value: JsonValue): number {
  return Buffer.byteLength(jsonText(value));
}
