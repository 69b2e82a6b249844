/** Prints values of requests as source text, with line breaks where a line would be too long. */

import { isList, isMembers, type Json } from "./json-value.ts";

/** How a language writes what JSON writes. */
export interface Dialect {
  /** A value that is no array and no object. */
  scalar(value: null | boolean | string | number | bigint): string;
  /** What stands before a member's value, as `"name": `. */
  name(name: string): string;
  /** One level of indentation. */
  readonly indent: string;
  /** Whether a comma stands behind the last element of broken lines. */
  readonly trailingComma: boolean;
}

/** Columns that lines should not exceed. */
const WIDTH = 88;

/** JSON itself. */
export const JSON_DIALECT: Dialect = {
  scalar: (value) => (typeof value === "bigint" ? String(value) : JSON.stringify(value)),
  name: (name) => `${JSON.stringify(name)}: `,
  indent: "  ",
  trailingComma: false,
};

/** A request as JSON text for people. */
export function printJson(value: Json): string {
  return printLiteral(value, JSON_DIALECT);
}

/**
 * Prints `value` as it stands behind `level` levels of indentation and `used` further columns. Its
 * first line is not indented.
 */
export function printLiteral(value: Json, dialect: Dialect, level = 0, used = 0): string {
  if (!isList(value) && !isMembers(value)) return dialect.scalar(value);
  const room = WIDTH - level * dialect.indent.length - used;
  const line = inOneLine(value, dialect, room);
  if (line !== undefined) return line;
  const inner = dialect.indent.repeat(level + 1);
  const end = `${dialect.trailingComma ? "," : ""}\n${dialect.indent.repeat(level)}`;
  if (isList(value)) {
    if (value.every((element) => typeof element === "number")) {
      return `[\n${fillLines(value, dialect, inner)}${end}]`;
    }
    const lines = value.map((element) => inner + printLiteral(element, dialect, level + 1));
    return `[\n${lines.join(",\n")}${end}]`;
  }
  const lines = Object.entries(value).map(([name, member]) => {
    const head = dialect.name(name);
    return inner + head + printLiteral(member, dialect, level + 1, head.length);
  });
  return `{\n${lines.join(",\n")}${end}}`;
}

/** The value in one line; undefined as soon as it needs more than `room` columns. */
function inOneLine(value: Json, dialect: Dialect, room: number): string | undefined {
  if (isList(value)) {
    const parts = partsInLine(value, room, (element, left) => inOneLine(element, dialect, left));
    return parts && `[${parts.join(", ")}]`;
  }
  if (!isMembers(value)) {
    const text = dialect.scalar(value);
    return text.length > room ? undefined : text;
  }
  const parts = partsInLine(Object.entries(value), room, ([name, member], left) => {
    const head = dialect.name(name);
    const text = inOneLine(member, dialect, left - head.length);
    return text === undefined ? undefined : head + text;
  });
  return parts && `{${parts.join(", ")}}`;
}

function partsInLine<T>(
  items: readonly T[],
  room: number,
  print: (item: T, left: number) => string | undefined,
): string[] | undefined {
  let left = room - 2;
  const parts: string[] = [];
  for (const item of items) {
    const text = print(item, left);
    if (text === undefined) return undefined;
    left -= text.length + 2;
    parts.push(text);
  }
  return left + 2 < 0 ? undefined : parts;
}

/** Numbers one after the other, as many as a line holds: vectors have thousands. */
function fillLines(values: readonly Json[], dialect: Dialect, indent: string): string {
  const lines: string[] = [];
  let line = indent;
  for (const [i, value] of values.entries()) {
    const text = dialect.scalar(value as number) + (i < values.length - 1 ? "," : "");
    const space = line === indent ? "" : " ";
    if (line !== indent && line.length + space.length + text.length > WIDTH) {
      lines.push(line);
      line = indent + text;
      continue;
    }
    line += space + text;
  }
  return [...lines, line].join("\n");
}
