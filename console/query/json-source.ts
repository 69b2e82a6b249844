/**
 * Reads JSON text into values that know where they stand, so that a fault that the server names by
 * its path can be shown in the text. Numbers keep their digits.
 */

import { type Json, numberOf } from "./json-value.ts";

/** A range of the text, half-open, in UTF-16 units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** A value and its place. */
export type JsonNode = TextRange &
  (
    | { readonly kind: "object"; readonly members: readonly JsonMember[] }
    | { readonly kind: "array"; readonly elements: readonly JsonNode[] }
    | { readonly kind: "string"; readonly value: string }
    | { readonly kind: "number"; readonly text: string }
    | { readonly kind: "literal"; readonly value: boolean | null }
  );

/** A member of an object: the place of its name, quotes included, and its value. */
export interface JsonMember {
  readonly name: string;
  readonly at: TextRange;
  readonly value: JsonNode;
}

/** Where text stops to be JSON, and what was expected there. */
export interface SyntaxFault {
  readonly offset: number;
  readonly message: string;
}

/** A parsed text, or its first fault. */
export type ParsedJson = { readonly root: JsonNode } | { readonly fault: SyntaxFault };

/** Nesting that the server accepts. */
const DEPTH_MAX = 64;

/** Parses a whole text; as the server does, it takes no name twice. */
export function parseJsonSource(text: string): ParsedJson {
  const reader = new Reader(text);
  try {
    return { root: reader.document() };
  } catch (error) {
    if (error instanceof Fault) return { fault: { offset: error.offset, message: error.message } };
    throw error;
  }
}

/** The value without its places. */
export function jsonOf(node: JsonNode): Json {
  switch (node.kind) {
    case "object":
      return Object.fromEntries(node.members.map(({ name, value }) => [name, jsonOf(value)]));
    case "array":
      return node.elements.map(jsonOf);
    case "number":
      return numberOf(node.text);
    default:
      return node.value;
  }
}

/** Parses a text to its value; undefined where it is no JSON. */
export function parseJsonText(text: string): Json | undefined {
  const parsed = parseJsonSource(text);
  return "root" in parsed ? jsonOf(parsed.root) : undefined;
}

class Fault extends Error {
  readonly offset: number;

  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const LITERALS = [
  ["true", true],
  ["false", false],
  ["null", null],
] as const;

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonNode {
    const root = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#fault("nothing may follow the value");
    return root;
  }

  #value(depth: number): JsonNode {
    this.#skipSpace();
    const start = this.#at;
    if (depth > DEPTH_MAX) throw this.#fault(`at most ${DEPTH_MAX} levels are allowed`);
    const char = this.#text[start];
    if (char === "{") return this.#object(depth);
    if (char === "[") return this.#array(depth);
    if (char === '"') return { kind: "string", start, value: this.#string(), end: this.#at };
    for (const [word, value] of LITERALS) {
      if (!this.#text.startsWith(word, start)) continue;
      this.#at += word.length;
      return { kind: "literal", start, end: this.#at, value };
    }
    NUMBER.lastIndex = start;
    const number = NUMBER.exec(this.#text)?.[0];
    if (number === undefined) throw this.#fault("expected a value");
    this.#at += number.length;
    return { kind: "number", start, end: this.#at, text: number };
  }

  #object(depth: number): JsonNode {
    const start = this.#at++;
    const members: JsonMember[] = [];
    const names = new Set<string>();
    for (let isFirst = true; !this.#ends("}"); isFirst = false) {
      if (!isFirst) this.#expect(",", "expected a comma or }");
      this.#skipSpace();
      const nameStart = this.#at;
      if (this.#text[nameStart] !== '"') throw this.#fault("expected a member's name in quotes");
      const name = this.#string();
      const at = { start: nameStart, end: this.#at };
      if (names.has(name)) throw new Fault(nameStart, `"${name}" is there twice`);
      names.add(name);
      this.#expect(":", "expected a colon");
      members.push({ name, at, value: this.#value(depth + 1) });
    }
    return { kind: "object", start, end: this.#at, members };
  }

  #array(depth: number): JsonNode {
    const start = this.#at++;
    const elements: JsonNode[] = [];
    for (let isFirst = true; !this.#ends("]"); isFirst = false) {
      if (!isFirst) this.#expect(",", "expected a comma or ]");
      elements.push(this.#value(depth + 1));
    }
    return { kind: "array", start, end: this.#at, elements };
  }

  /** Takes the closing bracket if it is next. */
  #ends(bracket: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  #string(): string {
    const start = this.#at;
    let at = start + 1;
    while (at < this.#text.length && this.#text[at] !== '"') {
      if (this.#text.charCodeAt(at) < 0x20) throw new Fault(at, "a string ends on its line");
      at += this.#text[at] === "\\" ? 2 : 1;
    }
    if (at >= this.#text.length) throw new Fault(start, "this string has no end");
    this.#at = at + 1;
    try {
      return JSON.parse(this.#text.slice(start, this.#at)) as string;
    } catch {
      throw new Fault(start, "this string has an escape that JSON does not know");
    }
  }

  #expect(char: string, message: string): void {
    this.#skipSpace();
    if (this.#text[this.#at] !== char) throw this.#fault(message);
    this.#at++;
  }

  #skipSpace(): void {
    while (/[ \t\r\n]/.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  #fault(message: string): Fault {
    return new Fault(this.#at, message);
  }
}
