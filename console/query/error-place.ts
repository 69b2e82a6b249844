/** Where in a request's text the fault is that the server's message names. */

import { type JsonNode, parseJsonSource, type TextRange } from "./json-source.ts";

/**
 * The range of `text` that `message` is about: by the path in it, by the attribute that it names,
 * or by line and column. Undefined where the message names no place.
 */
export function errorPlace(message: string, text: string): TextRange | undefined {
  const syntax = /^Failed to parse the request body as JSON: /.exec(message);
  if (syntax) return lineAndColumn(message, text);
  const parsed = parseJsonSource(text);
  if (!("root" in parsed)) return undefined;
  const plain = message
    .replace(/^💔 /u, "")
    .replace(/^Failed to deserialize the JSON body into the target type: /, "");
  const subquery = /^queries\[\d+\]: /.exec(plain)?.[0] ?? "";
  const start = subquery === "" ? [] : parsePath(subquery.slice(0, -2));
  const within = nodeAt(parsed.root, start)?.value ?? parsed.root;
  const named = namedPlace(plain.slice(subquery.length), within);
  if (named !== undefined) return named;
  const path = leadingPath(plain.slice(subquery.length));
  const found = path === undefined ? undefined : nearestAt(within, path);
  if (found !== undefined) return found;
  return subquery === "" ? lineAndColumn(message, text) : rangeOf(within);
}

/** A step of a path: a member's name, or an element's index. */
export type PathStep = string | number;

/** Reads a path as the server writes it: `queries[0].filters[2]`, `a["odd name"].b`. */
export function parsePath(path: string): PathStep[] {
  const steps: PathStep[] = [];
  for (const [, name, index, quoted] of path.matchAll(STEP)) {
    if (name !== undefined) steps.push(name);
    else if (index !== undefined) steps.push(Number(index));
    else if (quoted !== undefined) steps.push(quotedName(quoted));
  }
  return steps;
}

/** A value at a path, and where its name stands if it is a member. */
interface FoundNode {
  readonly value: JsonNode;
  readonly name: TextRange | undefined;
}

/** The value at a path; undefined where there is none. */
function nodeAt(root: JsonNode, path: readonly PathStep[]): FoundNode | undefined {
  let found: FoundNode | undefined = { value: root, name: undefined };
  for (const step of path) found = found && childAt(found.value, step);
  return found;
}

const STEP = /([\w$-]+)|\[(\d+)\]|\[("(?:[^"\\]|\\.)*")\]/g;
const PATH = /^(?:[\w$-]+|\["(?:[^"\\]|\\.)*"\])(?:\.[\w$-]+|\[\d+\]|\["(?:[^"\\]|\\.)*"\])*/;

function leadingPath(message: string): PathStep[] | undefined {
  const path = PATH.exec(message)?.[0];
  return path === undefined ? undefined : parsePath(path);
}

/** The place of the path, or of the last part of it that is there; nothing if its root is not. */
function nearestAt(root: JsonNode, path: readonly PathStep[]): TextRange | undefined {
  for (let length = path.length; length > 0; length--) {
    const found = nodeAt(root, path.slice(0, length));
    if (found === undefined) continue;
    // What a member lacks is shown at its name: its value may have hundreds of lines.
    return length < path.length ? (found.name ?? rangeOf(found.value)) : rangeOf(found.value);
  }
  return undefined;
}

/** Messages that name an attribute instead of a path. */
const NAMED: readonly (readonly [pattern: RegExp, member: string])[] = [
  [/^filter error in key `([^`]*)`/, "filters"],
  [/rank_by field "((?:[^"\\]|\\.)*)"/, "rank_by"],
  [
    /^attribute "((?:[^"\\]|\\.)*)" not found in schema, cannot be part of `include_attributes`/,
    "include_attributes",
  ],
  [/^invalid group_by: attribute "((?:[^"\\]|\\.)*)"/, "group_by"],
  [/^query vector for attribute "((?:[^"\\]|\\.)*)"/, "rank_by"],
  [/^invalid aggregate_by: .* "((?:[^"\\]|\\.)*)" is /, "aggregate_by"],
];

function namedPlace(message: string, root: JsonNode): TextRange | undefined {
  for (const [pattern, member] of NAMED) {
    const name = pattern.exec(message)?.[1];
    if (name === undefined) continue;
    const found = nodeAt(root, [member]);
    if (found === undefined) continue;
    return stringIn(found.value, name) ?? rangeOf(found.value);
  }
  return undefined;
}

/** The first string of this value below a node. */
function stringIn(node: JsonNode, value: string): TextRange | undefined {
  if (node.kind === "string") return node.value === value ? rangeOf(node) : undefined;
  const below =
    node.kind === "array"
      ? node.elements
      : node.kind === "object"
        ? node.members.map((member) => member.value)
        : [];
  for (const child of below) {
    const found = stringIn(child, value);
    if (found !== undefined) return found;
  }
  return undefined;
}

function childAt(node: JsonNode, step: PathStep): FoundNode | undefined {
  if (typeof step === "number") {
    const value = node.kind === "array" ? node.elements[step] : undefined;
    return value && { value, name: undefined };
  }
  const member =
    node.kind === "object" ? node.members.find(({ name }) => name === step) : undefined;
  return member && { value: member.value, name: member.at };
}

/** The message's `at line L column C`; columns are bytes of UTF-8, from 1. */
function lineAndColumn(message: string, text: string): TextRange | undefined {
  const numbers = /at line (\d+) column (\d+)/.exec(message);
  if (numbers === null) return undefined;
  const lines = text.split("\n");
  const index = Math.min(Number(numbers[1]), lines.length) - 1;
  const line = lines[index];
  const before = lines.slice(0, index).reduce((sum, { length }) => sum + length + 1, 0);
  const bytes = new TextEncoder().encode(line).slice(0, Math.max(0, Number(numbers[2]) - 1));
  const column = Math.min(new TextDecoder().decode(bytes).length, line.length);
  return { start: before + column, end: before + Math.min(column + 1, line.length) };
}

function rangeOf({ start, end }: TextRange): TextRange {
  return { start, end };
}

function quotedName(quoted: string): string {
  try {
    return JSON.parse(quoted) as string;
  } catch {
    return quoted.slice(1, -1);
  }
}
